/* Rows and failures: one JSON object per measured request. */
#include "result_parts.h"

static const char *const failure_class_names[] = {
    [FAILURE_NONE] = NULL,
    [FAILURE_REQUEST_ERROR] = "request_error",
    [FAILURE_STREAM_VALIDATION] = "stream_validation_failed",
    [FAILURE_CANARY] = "request_canary_failed",
    [FAILURE_CONTROLLED_OUTPUT] = "controlled_output_failed",
    [FAILURE_RUNNER_ERROR] = "runner_error",
};

const char *result_failure_class_name(enum failure_class failure)
{
    return failure_class_names[failure];
}

static void put_canary(struct json_out *o, const struct request *r)
{
    const struct canary_facts *c = &r->facts.canary;
    json_out_key(o, "request_canary");
    if (!r->marker) {
        json_out_null(o);
        return;
    }
    json_out_object(o);
    json_put_bool(o, "capture_complete", c->capture_complete);
    json_put_u64(o, "foreign_marker_count", c->foreign_marker_count);
    json_put_text(o, "marker", r->marker);
    json_put_bool(o, "marker_at_start", c->marker_at_start);
    json_put_u64(o, "observed_marker_count", c->observed_marker_count);
    json_put_bool(o, "passed", c->passed);
    json_out_object_end(o);
}

static void put_controlled(struct json_out *o, const struct run *run, const struct request *r)
{
    const struct controlled_facts *c = &r->facts.controlled;
    json_out_key(o, "controlled_output");
    if (run->options.response_words == 0) {
        json_out_null(o);
        return;
    }
    json_out_object(o);
    json_put_bool(o, "capture_complete", c->capture_complete);
    json_out_key(o, "exact_adherence");
    if (c->exact_adherence == ADHERENCE_NULL)
        json_out_null(o);
    else
        json_out_bool(o, c->exact_adherence == ADHERENCE_YES);
    json_put_u64(o, "observed_code_words", c->observed_code_words);
    json_put_u64(o, "observed_extra_words", c->observed_extra_words);
    json_put_bool(o, "passed", c->passed);
    json_put_text(o, "policy", run->options.controlled_output_policy);
    json_put_u64(o, "requested_words", run->options.response_words);
    json_out_object_end(o);
}

static const char *token_source(const struct request *r)
{
    return r->facts.usage.completion_tokens.has ? "usage" : "content_chunks";
}

void result_write_row(struct json_out *o, const struct run *run, const struct request *r, const struct row *row)
{
    json_out_object(o);
    json_put_u64(o, "content_chunks", row->content_chunks);
    put_controlled(o, run, r);
    json_put_opt_double(o, "decode_tok_s", row->decode_tok_s);
    json_put_double(o, "e2e_ms", row->e2e_ms);
    json_put_opt_double(o, "effective_prefill_tok_s", row->effective_prefill_tok_s);
    json_put_double(o, "generation_ms", row->generation_ms);
    json_put_opt_double(o, "mean_inter_token_latency_ms", row->time_per_output_token_ms);
    json_put_opt_double(o, "mean_time_per_output_token_ms", row->time_per_output_token_ms);
    json_put_text(o, "output_token_source", token_source(r));
    json_put_opt_u64(o, "output_tokens", row->output_tokens);
    json_put_u64(o, "planned_context_tokens", r->context_tokens);
    json_put_opt_u64(o, "prompt_tokens", row->prompt_tokens);
    json_put_u64(o, "reasoning_chunks", row->reasoning_chunks);
    put_canary(o, r);
    json_put_u64(o, "request_index", r->number);
    json_put_double(o, "time_to_first_output_ms", row->time_to_first_output_ms);
    json_put_opt_double(o, "tpot_ms", row->time_per_output_token_ms);
    json_put_double(o, "ttft_ms", row->ttft_ms);
    json_put_bool(o, "visible_content_truncated", r->facts.visible_content_truncated);
    json_put_double(o, "visible_generation_ms", row->visible_generation_ms);
    json_out_object_end(o);
}

static void put_usage(struct json_out *o, const struct usage_facts *usage)
{
    json_out_key(o, "usage");
    json_out_object(o);
    if (usage->completion_tokens.has)
        json_put_opt_u64(o, "completion_tokens", usage->completion_tokens);
    if (usage->prompt_tokens.has)
        json_put_opt_u64(o, "prompt_tokens", usage->prompt_tokens);
    if (usage->total_tokens.has)
        json_put_opt_u64(o, "total_tokens", usage->total_tokens);
    json_out_object_end(o);
}

static void put_metadata(struct json_out *o, const struct request *r)
{
    const struct stream_facts *f = &r->facts;
    json_out_key(o, "response_metadata");
    json_out_object(o);
    json_put_u64(o, "content_chunks", f->content_chunks);
    json_out_key(o, "finish_reasons");
    json_out_array(o);
    for (size_t i = 0; i < f->finish_reason_count; i++)
        json_out_cstring(o, f->finish_reasons[i]);
    json_out_array_end(o);
    json_put_text(o, "output_token_source", token_source(r));
    json_put_u64(o, "reasoning_chunks", f->reasoning_chunks);
    json_put_bool(o, "stream_terminal_observed", f->done_seen || f->finish_reason_count > 0);
    put_usage(o, &f->usage);
    json_put_bool(o, "visible_content_truncated", f->visible_content_truncated);
    json_out_object_end(o);
}

static void put_timing(struct json_out *o, const struct run *run, const struct request *r)
{
    struct row row;
    json_out_key(o, "response_timing");
    if (r->verdict.has_timing && row_of_request(&row, run, r))
        result_write_row(o, run, r, &row);
    else
        json_out_null(o);
}

static double elapsed_ms(const struct run *run, const struct request *r)
{
    uint64_t end = request_end_of_call_ns(run, r);
    return end == TAPE_NONE || end < r->start_ns ? 0.0 : (double)(end - r->start_ns) / 1e6;
}

/* Only a request without a plan can lack its target. */
static struct opt_u64 planned_tokens(const struct request *r)
{
    return (struct opt_u64){r->planned || r->context_tokens > 0, r->context_tokens};
}

void result_write_failure(struct json_out *o, const struct run *run, const struct request *r)
{
    const struct verdict *v = &r->verdict;
    json_out_object(o);
    if (v->has_metadata && run->options.response_words > 0)
        put_controlled(o, run, r);
    json_put_double(o, "elapsed_ms", elapsed_ms(run, r));
    json_put_text(o, "error_message", v->message[0] ? v->message : v->error_type);
    json_put_bool(o, "error_message_truncated", false); /* our own words always fit */
    json_put_text(o, "error_type", v->error_type);
    json_put_text(o, "failure_class", result_failure_class_name(v->failure));
    json_put_bool(o, "performance_eligible", false);
    json_put_opt_u64(o, "planned_context_tokens", planned_tokens(r));
    if (v->has_metadata && r->marker)
        put_canary(o, r);
    json_put_u64(o, "request_index", r->number);
    if (v->has_metadata)
        put_metadata(o, r);
    json_put_bool(o, "response_received", v->response_received);
    if (v->has_metadata)
        put_timing(o, run, r);
    json_out_object_end(o);
}
