#include "result.h"

#include <stdio.h>
#include <stdlib.h>

#include "artifact.h"
#include "result_parts.h"
#include "trace.h"
#include "utc.h"

double result_wall_clock_ms(const struct run *run)
{
    return (double)(run_finish_ns(run) - run->run_start_ns) / 1e6;
}

enum tt_status result_rows(const struct run *run, struct row **rows, size_t *n, struct tt_error *err)
{
    size_t succeeded = run_count_succeeded(run);
    *n = 0;
    *rows = calloc(succeeded ? succeeded : 1, sizeof **rows);
    if (!*rows)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu rows", succeeded);
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        if (!request_succeeded(r))
            continue;
        if (!row_of_request(&(*rows)[(*n)++], run, r)) {
            free(*rows);
            *rows = NULL;
            return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "request %zu succeeded without a start, output or end", i);
        }
    }
    return TT_OK;
}

static enum tt_status metrics_of(const struct run *run, const struct row *rows, size_t n, struct metrics *m,
                                 struct tt_error *err)
{
    struct metrics_input in = {rows, n, result_wall_clock_ms(run), run_performance_eligible(run)};
    enum tt_status status = metrics_compute(&in, m);
    return status == TT_OK ? TT_OK : tt_fail(err, status, TT_NO_OFFSET, "no memory for the metrics of %zu rows", n);
}

enum tt_status result_metrics(const struct run *run, struct metrics *m, struct tt_error *err)
{
    struct row *rows;
    size_t n;
    enum tt_status status = result_rows(run, &rows, &n, err);
    if (status != TT_OK)
        return status;
    status = metrics_of(run, rows, n, m, err);
    free(rows);
    return status;
}

struct document { /* what the writers below share */
    const struct run *run;
    struct row *rows;
    size_t row_count;
    struct metrics metrics;
};

static void put_failures(struct json_out *o, const struct run *run)
{
    json_out_key(o, "failures");
    json_out_array(o);
    for (size_t i = 0; i < run->count; i++)
        if (!request_succeeded(&run->requests[i]))
            result_write_failure(o, run, &run->requests[i]);
    json_out_array_end(o);
}

static void put_rows(struct json_out *o, const struct document *d)
{
    const struct row *row = d->rows;
    json_out_key(o, "request_timings");
    json_out_array(o);
    for (size_t i = 0; i < d->run->count; i++)
        if (request_succeeded(&d->run->requests[i]))
            result_write_row(o, d->run, &d->run->requests[i], row++);
    json_out_array_end(o);
}

const char *result_measurement_protocol(const struct metrics *m)
{
    return m->reasoning_chunks > 0 ? "capacity-v4-reasoning" : "capacity-v3";
}

uint64_t result_responses_received(const struct run *run)
{
    uint64_t n = 0;
    for (size_t i = 0; i < run->count; i++)
        n += request_succeeded(&run->requests[i]) || run->requests[i].verdict.response_received;
    return n;
}

static void put_time(struct json_out *o, const char *key, const char *key_ns, uint64_t unix_ns)
{
    char text[UTC_BYTES];
    utc_format(unix_ns, text);
    json_put_text(o, key, text);
    json_put_u64(o, key_ns, unix_ns);
}

static void put_run_id(struct json_out *o, const struct run *run)
{
    char start[UTC_BYTES], id[UTC_BYTES + sizeof "benchmark-"];
    utc_format_compact(run->run_start_realtime_ns, start);
    snprintf(id, sizeof id, "benchmark-%s", start);
    json_put_text(o, "run_id", id);
}

/* base_url .. metric_population; the keys of one object come in order. */
static enum tt_status put_first_keys(struct json_out *o, const struct document *d)
{
    const struct run *run = d->run;
    const struct run_options *options = &run->options;
    size_t succeeded = run_count_succeeded(run);
    json_put_text(o, "base_url", options->base_url);
    json_put_text(o, "clock_domain_id", options->clock_domain_id);
    json_put_u64(o, "completed", succeeded);
    json_put_u64(o, "concurrency", options->concurrency);
    json_put_text(o, "configuration_fingerprint", options->configuration_fingerprint);
    json_out_key(o, "context_distribution");
    enum tt_status status = result_write_context_distribution(o, run);
    if (status != TT_OK)
        return status;
    json_out_key(o, "context_seed");
    if (options->context_seed)
        json_out_number_text(o, tt_view_str(options->context_seed));
    else
        json_out_null(o);
    json_put_opt_u64(o, "context_tokens", (struct opt_u64){options->context_tokens > 0, options->context_tokens});
    json_put_text(o, "controlled_output_policy", options->controlled_output_policy);
    json_put_text(o, "engine", options->engine);
    json_put_u64(o, "failed", run->count - succeeded);
    put_failures(o, run);
    put_time(o, "finished_at", "finished_at_unix_ns", run_finish_realtime_ns(run));
    json_put_text(o, "gpu", options->gpu);
    json_put_text(o, "manifest", options->manifest);
    json_put_opt_u64(o, "max_context_tokens", options->max_context_tokens);
    json_put_u64(o, "max_tokens", options->max_tokens);
    json_put_text(o, "measurement_protocol", result_measurement_protocol(&d->metrics));
    json_out_key(o, "metric_population");
    result_write_metric_population(o, run, &d->metrics);
    return TT_OK;
}

static void put_middle_keys(struct json_out *o, const struct document *d)
{
    const struct run_options *options = &d->run->options;
    json_out_key(o, "metrics");
    metrics_write(&d->metrics, o);
    json_put_text(o, "model", options->model);
    json_put_bool(o, "performance_eligible", run_performance_eligible(d->run));
    json_put_text(o, "prompt_cache_mode", options->prompt_cache_mode);
    json_put_bool(o, "request_canaries", options->request_canaries);
    put_rows(o, d);
    json_put_u64(o, "requests", d->run->count);
    json_put_u64(o, "response_words", options->response_words);
    json_put_u64(o, "responses_received", result_responses_received(d->run));
    put_run_id(o, d->run);
    json_out_key(o, "sampling");
    result_write_sampling(o, options);
    json_put_text(o, "schema", ARTIFACT_SCHEMA);
    json_out_key(o, "serve_flags");
    result_write_serve_flags(o, options);
    json_put_u64(o, "shared_prefix_tokens", options->shared_prefix_tokens);
    json_put_text(o, "source_recipe", options->source_recipe);
    put_time(o, "started_at", "started_at_unix_ns", d->run->run_start_realtime_ns);
    json_put_text(o, "tier", options->tier);
    json_put_text(o, "timestamp_precision", "nanosecond-unix-fields; ISO labels are second precision");
    json_out_key(o, "timing_methodology");
    result_write_timing_methodology(o);
}

static enum tt_status write_document(struct json_out *o, const struct document *d, const struct result_options *options)
{
    enum tt_status status;
    json_out_object(o);
    if ((status = put_first_keys(o, d)) != TT_OK)
        return status;
    put_middle_keys(o, d);
    if (!options->schema_exact) {
        json_out_key(o, "trace");
        if ((status = trace_write(o, d->run)) != TT_OK)
            return status;
    }
    json_put_double(o, "wall_clock_ms", result_wall_clock_ms(d->run));
    json_out_object_end(o);
    json_out_newline(o);
    return json_out_bytes(o).p ? TT_OK : TT_NOMEM;
}

enum tt_status result_write(const struct run *run, const struct result_options *options, struct json_out *out,
                            struct tt_error *err)
{
    struct document d = {.run = run};
    enum tt_status status = result_rows(run, &d.rows, &d.row_count, err);
    if (status != TT_OK)
        return status;
    status = metrics_of(run, d.rows, d.row_count, &d.metrics, err);
    if (status == TT_OK) {
        status = write_document(out, &d, options);
        if (status != TT_OK)
            tt_fail(err, status, TT_NO_OFFSET, "no memory for the result of %zu requests", run->count);
    }
    free(d.rows);
    return status;
}
