/* The tables of keys. */
#include "audit_form.h"

#include <string.h>

enum { /* shorter, for the tables alone */
       T = FORM_TEXT,
       I = FORM_INTEGER,
       D = FORM_DOUBLE,
       B = FORM_BOOL,
       O = FORM_OBJECT,
       A = FORM_ARRAY,
       N = FORM_NULL,
       OPT = FORM_OPTIONAL
};

#define ALL ARTIFACT_NO_ROWS
#define TTFT ARTIFACT_FROM_TTFT
#define AUG ARTIFACT_AUGUST
#define SEP ARTIFACT_SEPTEMBER
#define MOD ARTIFACT_MODERN
#define NEW ARTIFACT_NEWEST

static const struct form_field top[] = {
    {"base_url", T, ALL},
    {"clock_domain_id", T | N, MOD},
    {"completed", I, ALL},
    {"concurrency", I, ALL},
    {"configuration_fingerprint", T | N, MOD},
    {"context_distribution", O, TTFT},
    {"context_seed", I, TTFT},
    {"context_tokens", I | N, ALL},
    {"controlled_output_policy", T, MOD},
    {"engine", T | N, TTFT},
    {"failed", I, TTFT},
    {"failures", A, TTFT},
    {"finished_at", T, TTFT},
    {"finished_at_unix_ns", I, MOD},
    {"gpu", T | N, TTFT},
    {"manifest", T | N, TTFT},
    {"max_context_tokens", I | N, ALL},
    {"max_tokens", I, ALL},
    {"measurement_protocol", T, TTFT},
    {"metric_population", O, MOD},
    {"metrics", O, ALL},
    {"model", T, ALL},
    {"performance_eligible", B, MOD},
    {"prompt_cache_mode", T, SEP},
    {"request_canaries", B, SEP},
    {"request_timings", A, TTFT},
    {"requests", I, ALL},
    {"response_words", I, SEP},
    {"responses_received", I, MOD},
    {"run_id", T, ALL},
    {"sampling", O, NEW},
    {"schema", T, ALL},
    {"serve_flags", O, ALL},
    {"shared_prefix_tokens", I, MOD},
    {"source_recipe", T | N, TTFT},
    {"started_at", T, TTFT},
    {"started_at_unix_ns", I, MOD},
    {"tier", T | N, TTFT},
    {"timestamp_precision", T, MOD},
    {"timing_methodology", O, TTFT},
    {"trace", O | OPT, NEW},
    {"wall_clock_ms", D, TTFT},
    {NULL, 0, ALL},
};

static const struct form_field population[] = {
    {"aggregate_throughput_eligible", B, MOD},
    {"attempted_requests", I, MOD},
    {"excluded_requests", I, MOD},
    {"failure_policy", T, MOD},
    {"p99_interpretation", T, MOD},
    {"p99_interpretation_by_metric", O, MOD},
    {"p99_minimum_recommended_samples", I, MOD},
    {"p99_samples_by_metric", O, MOD},
    {"performance_eligible_requests", I, MOD},
    {"successful_requests", I, MOD},
    {NULL, 0, ALL},
};

static const struct form_field sampling[] = {{"temperature", O, NEW}, {"top_p", O, NEW}, {NULL, 0, ALL}};

static const struct form_field parameter[] = {
    {"effective_request", D | N, NEW}, {"requested", D | N, NEW}, {"sent", B, NEW}, {NULL, 0, ALL}};

static const struct form_field serve_flags[] = {
    {"no_thinking", B, ALL},
    {"reasoning_effort", T | N, TTFT},
    {"shared_prefix_burst", B, ALL},
    {"thinking_mode", T, ALL},
    {NULL, 0, ALL},
};

static const struct form_field methodology[] = {
    {"artifact_timestamps", T, MOD},
    {"clock", T, TTFT},
    {"controlled_output", T, MOD},
    {"decode", T, TTFT},
    {"distributions", T, SEP},
    {"effective_prefill", T, TTFT},
    {"generation", T, TTFT},
    {"mean_inter_token_latency", T, TTFT},
    {"p99", T, MOD},
    {"request_canaries", T, SEP},
    {"time_to_first_output", T, AUG},
    {"tpot", T, SEP},
    {"ttft", T, TTFT},
    {NULL, 0, ALL},
};

static const struct form_field row[] = {
    {"content_chunks", I, AUG},
    {"controlled_output", O | N, MOD},
    {"decode_tok_s", D | N, TTFT},
    {"e2e_ms", D, TTFT},
    {"effective_prefill_tok_s", D | N, TTFT},
    {"generation_ms", D, TTFT},
    {"mean_inter_token_latency_ms", D | N, TTFT},
    {"mean_time_per_output_token_ms", D | N, MOD},
    {"output_token_source", T, TTFT},
    {"output_tokens", I | N, TTFT},
    {"planned_context_tokens", I, TTFT},
    {"prompt_tokens", I | N, TTFT},
    {"reasoning_chunks", I, AUG},
    {"request_canary", O | N, MOD},
    {"request_index", I, TTFT},
    {"time_to_first_output_ms", D, AUG},
    {"tpot_ms", D | N, SEP},
    {"ttft_ms", D, TTFT},
    {"visible_content_truncated", B, MOD},
    {"visible_generation_ms", D, AUG},
    {NULL, 0, ALL},
};

/* Which of the optional ones have to be there is a matter of the failure's class. */
static const struct form_field failure[] = {
    {"controlled_output", O | OPT, MOD},
    {"elapsed_ms", D | OPT, MOD},
    {"error_message", T | OPT, TTFT},
    {"error_message_truncated", B | OPT, TTFT},
    {"error_type", T, TTFT},
    {"failure_class", T, MOD},
    {"performance_eligible", B, MOD},
    {"planned_context_tokens", I | N | OPT, MOD},
    {"request_canary", O | OPT, MOD},
    {"request_index", I, TTFT},
    {"response_metadata", O | OPT, MOD},
    {"response_received", B, MOD},
    {"response_timing", O | N | OPT, MOD},
    {NULL, 0, ALL},
};

static const struct form_field metadata[] = {
    {"content_chunks", I, MOD},
    {"finish_reasons", A, MOD},
    {"output_token_source", T, MOD},
    {"reasoning_chunks", I, MOD},
    {"stream_terminal_observed", B, MOD},
    {"usage", O, MOD},
    {"visible_content_truncated", B, MOD},
    {NULL, 0, ALL},
};

static const struct form_field usage[] = {
    {"completion_tokens", I | OPT, MOD},
    {"prompt_tokens", I | OPT, MOD},
    {"total_tokens", I | OPT, MOD},
    {NULL, 0, ALL},
};

static const struct form_field canary[] = {
    {"capture_complete", B, MOD},
    {"foreign_marker_count", I, MOD},
    {"marker", T, MOD},
    {"marker_at_start", B, MOD},
    {"observed_marker_count", I, MOD},
    {"passed", B, MOD},
    {NULL, 0, ALL},
};

static const struct form_field controlled[] = {
    {"capture_complete", B, MOD},
    {"exact_adherence", B | N, MOD},
    {"observed_code_words", I, MOD},
    {"observed_extra_words", I, MOD},
    {"passed", B, MOD},
    {"policy", T, MOD},
    {"requested_words", I, MOD},
    {NULL, 0, ALL},
};

/* `trace` grows with the program: these it always had. */
static const struct form_field trace[] = {
    {"accounts", O, NEW},
    {"analyzer_version", T, NEW},
    {"connections", O, NEW},
    {"format_version", T, NEW},
    {"overlap", O, NEW},
    {"policy", O | OPT, NEW}, /* since results can be judged under another than `capacity` */
    {"prompt_generator", T | N, NEW},
    {"recorder_version", T | N, NEW},
    {"requests", A, NEW},
    {"tape", O, NEW},
    {"timing", O, NEW},
    {"warnings", A, NEW},
    {NULL, 0, ALL},
};

static const struct form_field trace_accounts[] = {
    {"cancelled", I, NEW}, {"failed", I, NEW},    {"hold", B, NEW}, {"not_sent", I, NEW},
    {"planned", I, NEW},   {"succeeded", I, NEW}, {NULL, 0, ALL},
};

static const struct form_field trace_connections[] = {
    {"endpoint", T | N, NEW}, {"fresh", I, NEW},    {"http_version", T | N, NEW},
    {"insecure", B, NEW},     {"mode", T | N, NEW}, {"reused", I, NEW},
    {"tls", I, NEW},          {"via", T, NEW},      {NULL, 0, ALL},
};

static const struct form_field trace_overlap[] = {
    {"concurrency", I, NEW},
    {"full_concurrency_share", D | N, NEW},
    {"max_in_flight", I, NEW},
    {"mean_in_flight", D | N, NEW},
    {NULL, 0, ALL},
};

static const struct form_field trace_policy[] = {
    {"capture", T, NEW}, {"fingerprint", T, NEW}, {"name", T, NEW}, {"source", T, NEW},
    {"version", I, NEW}, {"without", A, NEW},     {NULL, 0, ALL},
};

static const struct form_field trace_canary[] = {
    {"capture_complete", B, NEW}, {"foreign_marker_count", I, NEW},
    {"marker_at_start", B, NEW},  {"observed_marker_count", I, NEW},
    {"passed", B, NEW},           {NULL, 0, ALL},
};

static const struct form_field trace_controlled[] = {
    {"capture_complete", B, NEW},
    {"exact_adherence", B | N, NEW},
    {"observed_code_words", I, NEW},
    {"observed_extra_words", I, NEW},
    {"passed", B, NEW},
    {NULL, 0, ALL},
};

static const struct form_field trace_warning[] = {
    {"code", T, NEW}, {"count", I, NEW}, {"requests", A | OPT, NEW}, {"text", T, NEW}, {NULL, 0, ALL}};

static const struct form_field trace_tape[] = {
    {"blocks", I, NEW},
    {"bytes", I, NEW},
    {"events", I, NEW},
    {"events_sharing_a_read", I, NEW},
    {"head", T, NEW},
    {"id", T, NEW},
    {"lost_reads", I, NEW},
    {"origin", O | N, NEW},
    {"payloads_not_json", I, NEW},
    {"reads", I, NEW},
    {"redactions", I, NEW},
    {"state", T, NEW},
    {NULL, 0, ALL},
};

static const struct form_field trace_timing[] = {
    {"calibration", O, NEW},
    {"client_error_ms", O, NEW},
    {"client_limited", O, NEW},
    {"clock", O, NEW},
    {"events_sharing_a_read_share", D | N, NEW},
    {"host", O, NEW},
    {"loop", O, NEW},
    {"read_lag_ms", O, NEW},
    {"reads", O, NEW},
    {NULL, 0, ALL},
};

static const struct form_field timing_calibration[] = {
    {"after", O | N, NEW}, {"alone", O | N, NEW}, {"before", O | N, NEW}, {"damaged", I, NEW}, {NULL, 0, ALL}};

static const struct form_field timing_limit[] = {
    {"limit_ms", D, NEW}, {"limit_percent", D, NEW}, {"requests", I, NEW}, {"strict", B, NEW}, {NULL, 0, ALL}};

static const struct form_field timing_errors[] = {{"e2e", O, NEW}, {"ttfo", O, NEW}, {"ttft", O, NEW}, {NULL, 0, ALL}};

static const struct form_field timing_lags[] = {
    {"all", O, NEW}, {"e2e", O, NEW}, {"ttfo", O, NEW}, {"ttft", O, NEW}, {NULL, 0, ALL}};

static const struct form_field timing_marks[] = {
    {"max", D | N, NEW}, {"n", I, NEW},         {"p50", D | N, NEW}, {"p90", D | N, NEW},
    {"p99", D | N, NEW}, {"p99_9", D | N, NEW}, {NULL, 0, ALL},
};

static const struct form_field timing_clock[] = {
    {"greatest_step_ms", D | N, NEW},
    {"records", I, NEW},
    {"slept_ms", D | N, NEW},
    {"slew_least_ppm", D | N, NEW},
    {"slew_most_ppm", D | N, NEW},
    {"slew_ppm", D | N, NEW},
    {"slew_uncertainty_ppm", D | N, NEW},
    {"stepped_ms", D | N, NEW},
    {"steps", I, NEW},
    {NULL, 0, ALL},
};

static const struct form_field timing_host[] = {
    {"cpu_pressure_us", I | N, NEW},
    {"involuntary_switches", I | N, NEW},
    {"records", I, NEW},
    {"steal_ticks", I | N, NEW},
    {"throttled_periods", I | N, NEW},
    {"voluntary_switches", I | N, NEW},
    {NULL, 0, ALL},
};

static const struct form_field timing_loop[] = {
    {"greatest_gap_ms", D | N, NEW}, {"late_greatest_ms", D | N, NEW},      {"late_total_ms", D | N, NEW},
    {"late_turns", I, NEW},          {"ring_high_water_bytes", I | N, NEW}, {NULL, 0, ALL},
};

static const struct form_field timing_reads[] = {
    {"count", I, NEW}, {"most_per_turn", I, NEW},    {"per_turn", D | N, NEW},
    {"turns", I, NEW}, {"with_kernel_time", I, NEW}, {"with_kernel_time_share", D | N, NEW},
    {NULL, 0, ALL},
};

static const struct form_field trace_request[] = {
    {"cached_tokens", I | N, NEW},
    {"canary_full", O | N, NEW},
    {"client_error_e2e_ms", D | N, NEW},
    {"client_error_start_ms", D | N, NEW},
    {"client_error_ttfo_ms", D | N, NEW},
    {"client_error_ttft_ms", D | N, NEW},
    {"comments", I, NEW},
    {"connect_ms", D | N, NEW},
    {"controlled_full", O | N, NEW},
    {"done_ms", D | N, NEW},
    {"end_ms", D | N, NEW},
    {"finish_ms", D | N, NEW},
    {"finish_reasons", A, NEW},
    {"first_byte_ms", D | N, NEW},
    {"first_content_ms", D | N, NEW},
    {"first_reasoning_ms", D | N, NEW},
    {"foreign_markers_in_reasoning", I, NEW},
    {"headers_ms", D | N, NEW},
    {"in_flight_at_start", I | N, NEW},
    {"last_content_ms", D | N, NEW},
    {"last_reasoning_ms", D | N, NEW},
    {"overlap_prefill_share", D | N, NEW},
    {"reasoning_tokens", I | N, NEW},
    {"reasons", A, NEW},
    {"request_index", I, NEW},
    {"retry_after_s", I | N, NEW},
    {"role_ms", D | N, NEW},
    {"start_offset_ms", D | N, NEW},
    {"stream_terminal_observed", B, NEW},
    {"tls_ms", D | N, NEW},
    {"tool_call_chunks", I, NEW},
    {"ttfo_after_upload_ms", D | N, NEW},
    {"upload_ms", D | N, NEW},
    {"usage_ms", D | N, NEW},
    {NULL, 0, ALL},
};

const struct form_field *form_fields(enum form_object object)
{
    static const struct form_field *const tables[FORM_OBJECTS] = {
        [FORM_TOP] = top,
        [FORM_POPULATION] = population,
        [FORM_SAMPLING] = sampling,
        [FORM_PARAMETER] = parameter,
        [FORM_SERVE_FLAGS] = serve_flags,
        [FORM_METHODOLOGY] = methodology,
        [FORM_ROW] = row,
        [FORM_FAILURE] = failure,
        [FORM_METADATA] = metadata,
        [FORM_USAGE] = usage,
        [FORM_CANARY] = canary,
        [FORM_CONTROLLED] = controlled,
        [FORM_TRACE] = trace,
        [FORM_TRACE_ACCOUNTS] = trace_accounts,
        [FORM_TRACE_CONNECTIONS] = trace_connections,
        [FORM_TRACE_OVERLAP] = trace_overlap,
        [FORM_TRACE_POLICY] = trace_policy,
        [FORM_TRACE_CANARY] = trace_canary,
        [FORM_TRACE_CONTROLLED] = trace_controlled,
        [FORM_TRACE_WARNING] = trace_warning,
        [FORM_TRACE_TAPE] = trace_tape,
        [FORM_TRACE_REQUEST] = trace_request,
        [FORM_TRACE_TIMING] = trace_timing,
        [FORM_TIMING_CALIBRATION] = timing_calibration,
        [FORM_TIMING_ERRORS] = timing_errors,
        [FORM_TIMING_LAGS] = timing_lags,
        [FORM_TIMING_LIMIT] = timing_limit,
        [FORM_TIMING_MARKS] = timing_marks,
        [FORM_TIMING_CLOCK] = timing_clock,
        [FORM_TIMING_HOST] = timing_host,
        [FORM_TIMING_LOOP] = timing_loop,
        [FORM_TIMING_READS] = timing_reads,
    };
    return tables[object];
}

static bool is_one_of(const char *key, const char *const *list)
{
    while (*list && strcmp(*list, key) != 0)
        list++;
    return *list != NULL;
}

static bool starts_with_one_of(const char *key, const char *const *list)
{
    while (*list && strncmp(key, *list, strlen(*list)) != 0)
        list++;
    return *list != NULL;
}

static unsigned metric_types(const char *key)
{
    static const char *const sums[] = {"prompt_tokens", "output_tokens", NULL};
    static const char *const counts[] = {"content_chunks",
                                         "reasoning_chunks",
                                         "prompt_token_samples",
                                         "request_canary_samples",
                                         "request_canary_passed",
                                         "controlled_output_samples",
                                         "ttft_samples",
                                         "controlled_output_exact_adherence",
                                         "controlled_output_unobservable",
                                         NULL};
    size_t n = strlen(key);
    if (strcmp(key, "output_token_sources") == 0)
        return O;
    if (strcmp(key, "throughput_performance_eligible") == 0)
        return B;
    if (is_one_of(key, sums))
        return I | N;
    return is_one_of(key, counts) || (n > 8 && strcmp(key + n - 8, "_samples") == 0) ? I : D | N;
}

void form_metric(const char *key, enum artifact_generation *since, unsigned *types)
{
    static const char *const modern[] = {"completion_tokens_", "mean_time_per_output_token_",     "controlled_output_",
                                         "request_canary_",    "throughput_performance_eligible", NULL};
    static const char *const ever[] = {
        "content_chunks",       "content_chunks_s", "output_token_sources", "output_tokens", "prefix_cache_hit_avg",
        "prompt_token_samples", "prompt_tokens",    "throughput_tok_s",     "ttft_samples",  NULL};
    const char *p50 = strstr(key, "_p50"), *p95 = strstr(key, "_p95");
    *types = metric_types(key);
    if (starts_with_one_of(key, modern))
        *since = MOD;
    else if (is_one_of(key, ever))
        *since = TTFT;
    else if (strcmp(key, "reasoning_chunks") == 0)
        *since = AUG;
    else if (!(p50 || p95) || strncmp(key, "tpot_", 5) == 0)
        *since = SEP;
    else
        *since = strncmp(key, "time_to_first_output_", 21) == 0 ? AUG : TTFT;
}
