#include "metrics.h"

#include <stdlib.h>

static struct opt_double of_count(struct opt_u64 count)
{
    return (struct opt_double){count.has, (double)count.v};
}

static struct opt_double of_row(const struct row *row, enum metrics_distribution d)
{
    switch (d) {
    case METRICS_TIME_TO_FIRST_OUTPUT:
        return (struct opt_double){true, row->time_to_first_output_ms};
    case METRICS_TTFT:
        return (struct opt_double){true, row->ttft_ms};
    case METRICS_GENERATION:
        return (struct opt_double){true, row->generation_ms};
    case METRICS_E2E:
        return (struct opt_double){true, row->e2e_ms};
    case METRICS_MEAN_TIME_PER_OUTPUT_TOKEN:
    case METRICS_TPOT:
    case METRICS_MEAN_INTER_TOKEN_LATENCY_MS:
        return row->time_per_output_token_ms;
    case METRICS_EFFECTIVE_PREFILL_TOK_S:
        return row->effective_prefill_tok_s;
    case METRICS_DECODE_TOK_S:
        return row->decode_tok_s;
    case METRICS_PROMPT_TOKENS:
        return of_count(row->prompt_tokens);
    case METRICS_COMPLETION_TOKENS:
        return of_count(row->output_tokens);
    case METRICS_DISTRIBUTIONS:
        break;
    }
    return (struct opt_double){false, 0};
}

static enum tt_status compute_distributions(const struct metrics_input *in, double *values, struct metrics *m)
{
    for (unsigned d = 0; d < METRICS_DISTRIBUTIONS; d++) {
        size_t n = 0;
        for (size_t i = 0; i < in->n; i++) {
            struct opt_double value = of_row(&in->rows[i], (enum metrics_distribution)d);
            if (value.has)
                values[n++] = value.v;
        }
        enum tt_status status = stats_compute(values, n, &m->distribution[d]);
        if (status != TT_OK)
            return status;
    }
    return TT_OK;
}

/* Past 64 bits there is no sum. */
static void add_count(struct opt_u64 *sum, uint64_t more)
{
    sum->has = sum->has && sum->v <= UINT64_MAX - more;
    sum->v += more;
}

static void count_row(struct metrics *m, const struct row *row)
{
    if (row->prompt_tokens.has) {
        m->prompt_token_samples++;
        add_count(&m->prompt_tokens, row->prompt_tokens.v);
    }
    if (row->output_tokens.has) {
        m->usage_sources++;
        add_count(&m->output_tokens, row->output_tokens.v);
    } else {
        m->chunk_sources++;
        m->output_tokens.has = false;
    }
    m->content_chunks += row->content_chunks;
    m->reasoning_chunks += row->reasoning_chunks;
    m->canary_samples += row->has_canary;
    m->canary_passed += row->has_canary && row->canary_passed;
    m->controlled_samples += row->has_controlled;
    m->controlled_exact += row->has_controlled && row->adherence == ADHERENCE_YES;
    m->controlled_unobservable += row->has_controlled && row->adherence == ADHERENCE_NULL;
}

static struct opt_double cache_hit_average(const struct metrics_input *in, double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < in->n; i++) {
        const struct row *row = &in->rows[i];
        if (row->cached_tokens.has && row->prompt_tokens.has && row->prompt_tokens.v > 0)
            values[n++] = (double)row->cached_tokens.v / (double)row->prompt_tokens.v;
    }
    return (struct opt_double){n > 0, n > 0 ? stats_mean(values, n) : 0};
}

static struct opt_double per_second(bool has, uint64_t count, double wall_clock_ms)
{
    bool can = has && wall_clock_ms > 0;
    return (struct opt_double){can, can ? (double)count / (wall_clock_ms / 1000) : 0};
}

enum tt_status metrics_compute(const struct metrics_input *in, struct metrics *out)
{
    double *values = malloc((in->n ? in->n : 1) * sizeof *values);
    if (!values)
        return TT_NOMEM;
    *out = (struct metrics){.prompt_tokens = {true, 0}, .output_tokens = {true, 0}, .eligible = in->eligible};
    enum tt_status status = compute_distributions(in, values, out);
    for (size_t i = 0; i < in->n; i++)
        count_row(out, &in->rows[i]);
    out->prompt_tokens.has = out->prompt_tokens.has && out->prompt_token_samples > 0;
    uint64_t observable = out->controlled_samples - out->controlled_unobservable;
    if (observable > 0)
        out->controlled_exact_rate = (struct opt_double){true, (double)out->controlled_exact / (double)observable};
    out->throughput_tok_s = per_second(in->eligible && out->output_tokens.has, out->output_tokens.v, in->wall_clock_ms);
    out->content_chunks_s = per_second(out->chunk_sources > 0, out->content_chunks, in->wall_clock_ms);
    out->prefix_cache_hit_avg = cache_hit_average(in, values);
    free(values);
    return status;
}
