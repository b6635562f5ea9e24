/* Names of the metrics, and the order in which they are written. */
#include "metrics.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *prefix, *unit;
} names[METRICS_DISTRIBUTIONS] = {
    [METRICS_TIME_TO_FIRST_OUTPUT] = {"time_to_first_output", "_ms"},
    [METRICS_TTFT] = {"ttft", "_ms"},
    [METRICS_GENERATION] = {"generation", "_ms"},
    [METRICS_E2E] = {"e2e", "_ms"},
    [METRICS_MEAN_TIME_PER_OUTPUT_TOKEN] = {"mean_time_per_output_token", "_ms"},
    [METRICS_TPOT] = {"tpot", "_ms"},
    [METRICS_EFFECTIVE_PREFILL_TOK_S] = {"effective_prefill_tok_s", ""},
    [METRICS_DECODE_TOK_S] = {"decode_tok_s", ""},
    [METRICS_PROMPT_TOKENS] = {"prompt_tokens", ""},
    [METRICS_COMPLETION_TOKENS] = {"completion_tokens", ""},
    [METRICS_MEAN_INTER_TOKEN_LATENCY_MS] = {"mean_inter_token_latency_ms", ""},
};

struct list {
    struct metrics_entry *at;
    size_t n;
};

static struct metrics_entry *add(struct list *list, const char *prefix, const char *statistic, const char *unit)
{
    assert(list->n < METRICS_KEYS);
    struct metrics_entry *entry = &list->at[list->n++];
    *entry = (struct metrics_entry){.type = METRICS_NULL};
    int n = snprintf(entry->key, sizeof entry->key, "%s%s%s", prefix, statistic, unit);
    assert(n > 0 && (size_t)n < sizeof entry->key);
    (void)n;
    return entry;
}

static void set_double(struct metrics_entry *entry, struct opt_double v)
{
    if (!v.has || !isfinite(v.v))
        return;
    entry->type = METRICS_DOUBLE;
    entry->number = v.v;
}

static void add_count(struct list *list, const char *key, uint64_t count)
{
    struct metrics_entry *entry = add(list, key, "", "");
    entry->type = METRICS_COUNT;
    entry->count = count;
}

static void add_optional(struct list *list, const char *key, struct opt_u64 count)
{
    if (count.has)
        add_count(list, key, count.v);
    else
        add(list, key, "", "");
}

static void add_distribution(struct list *list, const char *prefix, const char *unit, const struct stats *s)
{
    const struct {
        const char *name;
        double v;
    } statistics[METRICS_STATISTICS - 1] = {
        {"_mean", s->mean},
        {"_stddev", s->stddev},
        {"_mean_ci95_low", s->mean_ci95_low},
        {"_mean_ci95_high", s->mean_ci95_high},
        {"_min", s->min},
        {"_p25", s->p25},
        {"_p50", s->p50},
        {"_p75", s->p75},
        {"_p90", s->p90},
        {"_p95", s->p95},
        {"_p99", s->p99},
        {"_max", s->max},
    };
    for (size_t i = 0; i < METRICS_STATISTICS - 1; i++)
        set_double(add(list, prefix, statistics[i].name, unit), (struct opt_double){s->samples > 0, statistics[i].v});
    struct metrics_entry *samples = add(list, prefix, "_samples", "");
    samples->type = METRICS_COUNT;
    samples->count = s->samples;
}

static void add_scalars(struct list *list, const struct metrics *m)
{
    add_optional(list, "prompt_tokens", m->prompt_tokens);
    add_count(list, "prompt_token_samples", m->prompt_token_samples);
    add_optional(list, "output_tokens", m->output_tokens);
    add_count(list, "content_chunks", m->content_chunks);
    add_count(list, "reasoning_chunks", m->reasoning_chunks);
    add_count(list, "request_canary_samples", m->canary_samples);
    add_count(list, "request_canary_passed", m->canary_passed);
    add_count(list, "controlled_output_samples", m->controlled_samples);
    add_count(list, "controlled_output_exact_adherence", m->controlled_exact);
    add_count(list, "controlled_output_unobservable", m->controlled_unobservable);
    set_double(add(list, "controlled_output_exact_adherence_rate", "", ""), m->controlled_exact_rate);
    set_double(add(list, "throughput_tok_s", "", ""), m->throughput_tok_s);
    set_double(add(list, "content_chunks_s", "", ""), m->content_chunks_s);
    set_double(add(list, "prefix_cache_hit_avg", "", ""), m->prefix_cache_hit_avg);
    struct metrics_entry *eligible = add(list, "throughput_performance_eligible", "", "");
    eligible->type = METRICS_BOOL;
    eligible->count = m->eligible;
    add(list, "output_token_sources", "", "")->type = METRICS_SOURCES;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct metrics_entry *)a)->key, ((const struct metrics_entry *)b)->key);
}

void metrics_list(const struct metrics *m, struct metrics_entry out[METRICS_KEYS])
{
    struct list list = {out, 0};
    for (unsigned d = 0; d < METRICS_DISTRIBUTIONS; d++)
        add_distribution(&list, names[d].prefix, names[d].unit, &m->distribution[d]);
    add_scalars(&list, m);
    assert(list.n == METRICS_KEYS);
    qsort(out, METRICS_KEYS, sizeof *out, by_key);
}

void metrics_write_sources(const struct metrics *m, struct json_out *o)
{
    json_out_object(o);
    if (m->chunk_sources) {
        json_out_key(o, "content_chunks");
        json_out_u64(o, m->chunk_sources);
    }
    if (m->usage_sources) {
        json_out_key(o, "usage");
        json_out_u64(o, m->usage_sources);
    }
    json_out_object_end(o);
}

void metrics_write(const struct metrics *m, struct json_out *o)
{
    struct metrics_entry entry[METRICS_KEYS];
    metrics_list(m, entry);
    json_out_object(o);
    for (size_t i = 0; i < METRICS_KEYS; i++) {
        json_out_key(o, entry[i].key);
        if (entry[i].type == METRICS_COUNT)
            json_out_u64(o, entry[i].count);
        else if (entry[i].type == METRICS_DOUBLE)
            json_out_double(o, entry[i].number);
        else if (entry[i].type == METRICS_BOOL)
            json_out_bool(o, entry[i].count != 0);
        else if (entry[i].type == METRICS_SOURCES)
            metrics_write_sources(m, o);
        else
            json_out_null(o);
    }
    json_out_object_end(o);
}
