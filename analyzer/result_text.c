/* The parts of the result that describe it: population, settings, methods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result_parts.h"

#define P99_MINIMUM_SAMPLES 100u

static const char *p99_interpretation(uint64_t samples)
{
    return samples >= P99_MINIMUM_SAMPLES ? "tail-estimate" : "descriptive-nearest-rank-only";
}

static const struct {
    const char *key;
    enum metrics_distribution distribution;
} p99_metrics[] = {
    {"decode_tok_s", METRICS_DECODE_TOK_S},
    {"e2e", METRICS_E2E},
    {"effective_prefill_tok_s", METRICS_EFFECTIVE_PREFILL_TOK_S},
    {"tpot", METRICS_TPOT},
    {"ttft", METRICS_TTFT},
};

enum { P99_METRICS = sizeof p99_metrics / sizeof p99_metrics[0] };

static void put_p99(struct json_out *o, const struct metrics *m, uint64_t succeeded)
{
    json_put_text(o, "p99_interpretation", p99_interpretation(succeeded));
    json_out_key(o, "p99_interpretation_by_metric");
    json_out_object(o);
    for (size_t i = 0; i < P99_METRICS; i++)
        json_put_text(o, p99_metrics[i].key, p99_interpretation(m->distribution[p99_metrics[i].distribution].samples));
    json_out_object_end(o);
    json_put_u64(o, "p99_minimum_recommended_samples", P99_MINIMUM_SAMPLES);
    json_out_key(o, "p99_samples_by_metric");
    json_out_object(o);
    for (size_t i = 0; i < P99_METRICS; i++)
        json_put_u64(o, p99_metrics[i].key, m->distribution[p99_metrics[i].distribution].samples);
    json_out_object_end(o);
}

void result_write_metric_population(struct json_out *o, const struct run *run, const struct metrics *m)
{
    uint64_t succeeded = run_count_succeeded(run);
    json_out_object(o);
    json_put_bool(o, "aggregate_throughput_eligible", m->eligible);
    json_put_u64(o, "attempted_requests", run->count);
    json_put_u64(o, "excluded_requests", run->count - succeeded);
    json_put_text(o, "failure_policy",
                  "failed or contract-invalid responses retain sanitized timing and metadata but are excluded from "
                  "performance distributions");
    put_p99(o, m, succeeded);
    json_put_u64(o, "performance_eligible_requests", succeeded);
    json_put_u64(o, "successful_requests", succeeded);
    json_out_object_end(o);
}

static void put_parameter(struct json_out *o, const char *key, struct opt_double effective, struct opt_double requested)
{
    json_out_key(o, key);
    json_out_object(o);
    json_put_opt_double(o, "effective_request", effective);
    json_put_opt_double(o, "requested", requested);
    json_put_bool(o, "sent", effective.has);
    json_out_object_end(o);
}

void result_write_sampling(struct json_out *o, const struct run_options *options)
{
    struct opt_double top_p = {options->has_top_p, options->top_p};
    json_out_object(o);
    put_parameter(o, "temperature", (struct opt_double){true, options->temperature_effective},
                  (struct opt_double){options->has_temperature_requested, options->temperature_requested});
    put_parameter(o, "top_p", top_p, top_p);
    json_out_object_end(o);
}

void result_write_serve_flags(struct json_out *o, const struct run_options *options)
{
    json_out_object(o);
    /* The older flag: thinking_mode "disabled" by another name. */
    json_put_bool(o, "no_thinking", options->no_thinking);
    json_put_text(o, "reasoning_effort", options->reasoning_effort);
    json_put_bool(o, "shared_prefix_burst", options->burst);
    json_put_text(o, "thinking_mode", options->thinking_mode);
    json_out_object_end(o);
}

static const struct {
    const char *key, *text;
} methodology[] = {
    {"artifact_timestamps", "CLOCK_REALTIME Unix timestamps; independent artifacts may align them only when the "
                            "operator supplied the same explicit clock_domain_id"},
    {"clock", "client CLOCK_MONOTONIC, read once per received buffer"},
    {"controlled_output",
     "--response-words adherence is recorded; observe preserves historical behavior while strict rejects non-exact or "
     "truncated completions; visible response capture is capped at 8192 characters"},
    {"decode", "usage completion tokens after the first token divided by client-observed generation time; completion "
               "tokens may include reasoning tokens"},
    {"distributions",
     "request-level mean, sample standard deviation, normal-approximation 95% confidence interval for the mean, min, "
     "p25, p50, p75, p90, p95, p99, and max using the nearest-rank percentile method"},
    {"effective_prefill", "usage.prompt_tokens divided by client-observed time to first output; includes queueing, "
                          "scheduling, prefill, and first-token work"},
    {"generation", "client-observed E2E minus time to first output"},
    {"mean_inter_token_latency", "legacy key for a TPOT proxy: client-observed generation time divided by completion "
                                 "tokens after the first token; not raw per-token ITL"},
    {"p99", "numeric nearest-rank p99 is always retained for compatibility; it is descriptive only below 100 eligible "
            "samples"},
    {"request_canaries",
     "when enabled, each response must begin with its own synthetic marker and contain no other ANVIL_REQ marker; "
     "bounded/truncated captures fail closed and are excluded from performance metrics"},
    {"time_to_first_output", "request start through the first non-empty streamed reasoning or content delta"},
    {"tpot", "client-observed mean time per output token after the first output; identical to the legacy "
             "mean_inter_token_latency key"},
    {"ttft", "request start through the first non-empty streamed content delta"},
};

const char *result_methodology_text(const char *key)
{
    for (size_t i = 0; i < sizeof methodology / sizeof methodology[0]; i++)
        if (strcmp(methodology[i].key, key) == 0)
            return methodology[i].text;
    return NULL;
}

size_t result_methodology_texts(void)
{
    return sizeof methodology / sizeof methodology[0];
}

void result_write_timing_methodology(struct json_out *o)
{
    json_out_object(o);
    for (size_t i = 0; i < sizeof methodology / sizeof methodology[0]; i++)
        json_put_text(o, methodology[i].key, methodology[i].text);
    json_out_object_end(o);
}

struct target {
    char key[24]; /* decimal, which is also what sorts it */
    uint64_t tokens, count;
};

static int by_tokens(const void *a, const void *b)
{
    uint64_t x = ((const struct target *)a)->tokens, y = ((const struct target *)b)->tokens;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct target *)a)->key, ((const struct target *)b)->key);
}

/* Joins equal targets; returns how many different ones there are. */
static size_t join_targets(struct target *targets, size_t n)
{
    size_t kinds = 0;
    qsort(targets, n, sizeof *targets, by_tokens);
    for (size_t i = 0; i < n; i++) {
        if (kinds > 0 && targets[kinds - 1].tokens == targets[i].tokens)
            targets[kinds - 1].count++;
        else
            targets[kinds++] = targets[i];
    }
    for (size_t i = 0; i < kinds; i++)
        snprintf(targets[i].key, sizeof targets[i].key, "%llu", (unsigned long long)targets[i].tokens);
    qsort(targets, kinds, sizeof *targets, by_key);
    return kinds;
}

enum tt_status result_write_context_distribution(struct json_out *o, const struct run *run)
{
    struct target *targets = calloc(run->count ? run->count : 1, sizeof *targets);
    size_t n = 0;
    if (!targets)
        return TT_NOMEM;
    for (size_t i = 0; i < run->count; i++)
        if (run->requests[i].planned || run->requests[i].context_tokens > 0)
            targets[n++] = (struct target){.tokens = run->requests[i].context_tokens, .count = 1};
    size_t kinds = join_targets(targets, n);
    json_out_object(o);
    for (size_t i = 0; i < kinds; i++)
        json_put_u64(o, targets[i].key, targets[i].count);
    json_out_object_end(o);
    free(targets);
    return TT_OK;
}
