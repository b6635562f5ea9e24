/* The registry of invariants. */
#include "audit_parts.h"
#include "json_put.h"

#define NO_ROWS "results without rows keep nothing that it could be computed from"
#define NO_RUNS "results of July without rows do not keep it"
#define NOT_MODERN "kept since the modern generation (8 September)"
#define NOT_NEWEST "kept since the newest generation (19 September)"

enum {
    ROWS = AUDIT_NEEDS_ROWS,
    TRACE = AUDIT_NEEDS_TRACE | AUDIT_NEEDS_ROWS,
    OURS = AUDIT_NEEDS_OURS | AUDIT_NEEDS_ROWS
};

static const struct audit_invariant invariants[] = {
    {"form.keys", "each object has the keys of its generation, each of its type", "6, 8", ARTIFACT_NO_ROWS, 0, NULL,
     audit_form_keys},
    {"form.order", "keys are sorted", "5", ARTIFACT_NO_ROWS, 0, NULL, audit_form_order},
    {"form.numbers", "doubles are the shortest text that reads back equal, integers count", "5", ARTIFACT_NO_ROWS, 0,
     NULL, audit_form_numbers},
    {"counts", "completed + failed = requests, and as many rows and failures", "6", ARTIFACT_NO_ROWS, 0, NULL,
     audit_counts},
    {"indexes", "rows and failures ascend and hold each index from 0 on once", "6", ARTIFACT_FROM_TTFT, 0, NO_ROWS,
     audit_indexes},
    {"contexts", "context_distribution counts the planned contexts; one target when it was given", "1, 6",
     ARTIFACT_FROM_TTFT, 0, NO_ROWS, audit_contexts},
    {"responses", "responses_received = rows + failures with a response", "6", ARTIFACT_MODERN, 0, NOT_MODERN,
     audit_responses},
    {"rows.formulas", "generation, prefill, decode and per-token times follow from the row's own times and tokens", "4",
     ARTIFACT_FROM_TTFT, ROWS, NO_ROWS, audit_rows_formulas},
    {"rows.times", "0 <= first output <= content <= end <= wall; together they fit the concurrency", "2, 4",
     ARTIFACT_FROM_TTFT, ROWS, NO_ROWS, audit_rows_times},
    {"rows.tokens", "tokens are given where their source is usage, and null where it is not", "2, 4",
     ARTIFACT_FROM_TTFT, ROWS, NO_ROWS, audit_rows_tokens},
    {"rows.success", "a row has content and passed what the run asked for", "2, 7", ARTIFACT_AUGUST, ROWS,
     "rows keep chunks since August", audit_rows_success},
    {"rows.nanoseconds", "each time is a whole number of nanoseconds, divided once", "4", ARTIFACT_NEWEST, OURS,
     NOT_NEWEST, audit_rows_nanoseconds},
    {"protocol", "capacity-v4-reasoning exactly when a success streamed reasoning", "6", ARTIFACT_FROM_TTFT, ROWS,
     NO_ROWS, audit_protocol},
    {"canary", "passed follows from what was counted; the marker from seed and index", "1, 3", ARTIFACT_MODERN, ROWS,
     NOT_MODERN, audit_canary},
    {"controlled_output", "adherence and passed follow from the words and the policy", "3", ARTIFACT_MODERN, ROWS,
     NOT_MODERN, audit_controlled},
    {"metrics.order", "ranks of one quantity rise, and content comes before the end", "5", ARTIFACT_NO_ROWS, 0, NULL,
     audit_metrics_order},
    {"metrics.distributions", "the statistics of each quantity follow from the rows, bit for bit", "5",
     ARTIFACT_FROM_TTFT, ROWS, NO_ROWS, audit_distributions},
    {"metrics.sums", "sums, samples, rates of adherence and sources of tokens follow from the rows", "5",
     ARTIFACT_FROM_TTFT, ROWS, NO_ROWS, audit_sums},
    {"metrics.throughput", "tokens per second of the wall clock, withheld where it must be", "5, 8", ARTIFACT_FROM_TTFT,
     ROWS, NO_ROWS, audit_throughput},
    {"metrics.cache_hits", "prefix_cache_hit_avg is the mean share of cached prompt tokens", "5", ARTIFACT_NO_ROWS,
     TRACE, NULL, audit_cache_hits},
    {"population", "metric_population repeats the counts", "6", ARTIFACT_MODERN, 0, NOT_MODERN, audit_population},
    {"p99", "wording and samples of each p99", "6", ARTIFACT_MODERN, 0, NOT_MODERN, audit_p99},
    {"eligibility", "eligible exactly when every request succeeded and the tape is whole; said three times", "6",
     ARTIFACT_MODERN, 0, NOT_MODERN, audit_eligibility},
    {"times.labels", "labels and run_id are the seconds of the Unix times", "6", ARTIFACT_NO_ROWS, 0, NULL,
     audit_labels},
    {"times.wall", "start and finish are as far apart as the wall clock says, within 10 ms and 500 ppm", "5, 6",
     ARTIFACT_FROM_TTFT, 0, NO_RUNS, audit_wall},
    {"settings", "settings are within the bounds of the flags and go together", "1", ARTIFACT_NO_ROWS, 0, NULL,
     audit_settings},
    {"sampling", "what was sent follows from what was asked for", "1, 6", ARTIFACT_NEWEST, 0, NOT_NEWEST,
     audit_sampling},
    {"serve_flags", "thinking, effort and burst exclude or imply each other", "1, 6", ARTIFACT_NO_ROWS, 0, NULL,
     audit_serve_flags},
    {"methodology", "timing_methodology is what a known program writes", "6", ARTIFACT_MODERN, 0,
     "the sentences of older generations are not kept here", audit_methodology},
    {"failures.class", "class, cause, message and what comes along of each failure", "7", ARTIFACT_FROM_TTFT, 0,
     NO_RUNS, audit_failures_class},
    {"failures.timing", "timing, metadata and observations of a failure are those of one answer", "7", ARTIFACT_MODERN,
     0, NOT_MODERN, audit_failures_timing},
    {"trace.accounts", "planned = succeeded + failed + cancelled + not sent", "9", ARTIFACT_NO_ROWS, TRACE, NULL,
     audit_trace_accounts},
    {"trace.requests", "one object per request, in order", "9", ARTIFACT_NO_ROWS, TRACE, NULL, audit_trace_requests},
    {"trace.policy", "a policy that there is, as it is", "9", ARTIFACT_NO_ROWS, TRACE, NULL, audit_trace_policy},
    {"trace.rows", "times, reasons and observations are those of the row or the failure", "9", ARTIFACT_NO_ROWS, TRACE,
     NULL, audit_trace_rows},
    {"trace.times", "the times of a request are in the order in which things happen", "9", ARTIFACT_NO_ROWS, TRACE,
     NULL, audit_trace_times},
    {"trace.overlap", "shares of foreign prefill follow from the times; in flight at least what they say", "9",
     ARTIFACT_NO_ROWS, TRACE, NULL, audit_trace_overlap},
    {"trace.warnings", "warnings follow from the requests", "9", ARTIFACT_NO_ROWS, TRACE, NULL, audit_trace_warnings},
    {"trace.connections", "as many connections as answers need, TLS and reuse as the run was set up", "9",
     ARTIFACT_NO_ROWS, TRACE, NULL, audit_trace_connections},
    {"trace.tape", "head, id, state and counts of the tape are such", "9", ARTIFACT_NO_ROWS, TRACE, NULL,
     audit_trace_tape},
    {"trace.timing", "bounds of the client's error fit their times; what follows from them and from the reads does",
     "9", ARTIFACT_NO_ROWS, TRACE, NULL, audit_trace_timing},
};

const struct audit_invariant *audit_list(size_t *n)
{
    *n = sizeof invariants / sizeof *invariants;
    return invariants;
}

void audit_list_text(struct output *o)
{
    output_say(o, "%-22s %-12s %-8s %s\n", "invariant", "since", "result.md", "what has to hold");
    for (size_t i = 0; i < sizeof invariants / sizeof *invariants; i++) {
        const struct audit_invariant *v = &invariants[i];
        output_say(o, "%-22s %-12s %-8s %s\n", v->id,
                   v->needs & AUDIT_NEEDS_TRACE  ? "trace"
                   : v->needs & AUDIT_NEEDS_OURS ? "this program"
                                                 : artifact_generation_name(v->since),
                   v->source, v->meaning);
    }
}

void audit_list_json(struct json_out *json)
{
    json_out_array(json);
    for (size_t i = 0; i < sizeof invariants / sizeof *invariants; i++) {
        const struct audit_invariant *v = &invariants[i];
        json_out_object(json);
        json_put_text(json, "id", v->id);
        json_put_text(json, "meaning", v->meaning);
        json_put_bool(json, "needs_trace", (v->needs & AUDIT_NEEDS_TRACE) != 0);
        json_put_text(json, "since", artifact_generation_name(v->since));
        json_put_text(json, "source", v->source);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}
