#include "reason.h"
#include "timing.h"
#include "trace_parts.h"

static void put_bool(struct json_out *o, const char *key, bool v)
{
    json_out_key(o, key);
    json_out_bool(o, v);
}

/* Over the complete text, null where there is no answer to look at. */
static void put_canary(struct json_out *o, const struct request *r)
{
    const struct canary_facts *c = &r->facts.canary_full;
    json_out_key(o, "canary_full");
    if (!r->marker || !r->has_facts || r->facts.payload_bytes == 0) {
        json_out_null(o);
        return;
    }
    json_out_object(o);
    put_bool(o, "capture_complete", c->capture_complete);
    json_put_u64(o, "foreign_marker_count", c->foreign_marker_count);
    put_bool(o, "marker_at_start", c->marker_at_start);
    json_put_u64(o, "observed_marker_count", c->observed_marker_count);
    put_bool(o, "passed", c->passed);
    json_out_object_end(o);
}

static void put_controlled(struct json_out *o, const struct run *run, const struct request *r)
{
    const struct controlled_facts *c = &r->facts.controlled_full;
    json_out_key(o, "controlled_full");
    if (run->options.response_words == 0 || !r->has_facts || r->facts.payload_bytes == 0) {
        json_out_null(o);
        return;
    }
    json_out_object(o);
    put_bool(o, "capture_complete", c->capture_complete);
    json_out_key(o, "exact_adherence");
    if (c->exact_adherence == ADHERENCE_NULL)
        json_out_null(o);
    else
        json_out_bool(o, c->exact_adherence == ADHERENCE_YES);
    json_put_u64(o, "observed_code_words", c->observed_code_words);
    json_put_u64(o, "observed_extra_words", c->observed_extra_words);
    put_bool(o, "passed", c->passed);
    json_out_object_end(o);
}

/* libcurl's timers are microseconds since its own start; 0 is its word for "did not happen". */
static struct opt_double timer_ms(uint64_t end_us, uint64_t begin_us)
{
    if (end_us == 0 || end_us < begin_us)
        return (struct opt_double){false, 0};
    return (struct opt_double){true, (double)(end_us - begin_us) / 1e3};
}

static void put_strings(struct json_out *o, const char *key, const char *const *strings, size_t n)
{
    json_out_key(o, key);
    json_out_array(o);
    for (size_t i = 0; i < n; i++)
        json_out_cstring(o, strings[i]);
    json_out_array_end(o);
}

/* The bounds of timing.h. */
static void put_errors(struct json_out *o, const struct request *r)
{
    static const struct {
        const char *key;
        enum timing_what what;
    } errors[] = {{"client_error_e2e_ms", TIMING_E2E},
                  {"client_error_start_ms", TIMING_WHATS},
                  {"client_error_ttfo_ms", TIMING_TTFO},
                  {"client_error_ttft_ms", TIMING_TTFT}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        bool at_start = errors[i].what == TIMING_WHATS;
        struct opt_u64 error = at_start ? timing_start_error_ns(r) : timing_error_ns(r, errors[i].what);
        bool known = error.has && error.v != TAPE_NONE;
        json_put_opt_double(o, errors[i].key, (struct opt_double){known, known ? (double)error.v / 1e6 : 0});
    }
}

/* The one that excludes it first, then the others as they stand in the table. */
static void put_reasons(struct json_out *o, const struct request *r)
{
    const struct verdict *v = &r->verdict;
    json_out_key(o, "reasons");
    json_out_array(o);
    if (v->reason != REASON_NONE)
        json_out_cstring(o, reason_describe(v->reason)->id);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (code != v->reason && reason_set_has(&v->reasons, (enum reason_code)code))
            json_out_cstring(o, reason_describe((enum reason_code)code)->id);
    json_out_array_end(o);
}

void trace_write_request(struct json_out *o, const struct run *run, const struct request *r,
                         const struct overlap *overlap)
{
    const struct stream_facts *f = &r->facts;
    uint64_t start = r->start_ns, output = request_first_output_ns(r);
    const struct opt_double none = {false, 0};
    json_out_object(o);
    json_put_opt_u64(o, "cached_tokens", f->usage.cached_tokens);
    put_canary(o, r);
    put_errors(o, r);
    json_put_u64(o, "comments", f->comments);
    json_put_opt_double(o, "connect_ms", r->conn_reused ? none : timer_ms(r->timers.connect_us, 0));
    put_controlled(o, run, r);
    json_put_opt_double(o, "done_ms", trace_ms(f->done_ns, start));
    json_put_opt_double(o, "end_ms", trace_ms(f->end_ns, start));
    json_put_opt_double(o, "finish_ms", trace_ms(f->finish_ns, start));
    put_strings(o, "finish_reasons", (const char *const *)f->finish_reasons, f->finish_reason_count);
    json_put_opt_double(o, "first_byte_ms", trace_ms(f->first_byte_ns, start));
    json_put_opt_double(o, "first_content_ms", trace_ms(f->first_content_ns, start));
    json_put_opt_double(o, "first_reasoning_ms", trace_ms(f->first_reasoning_ns, start));
    json_put_u64(o, "foreign_markers_in_reasoning", f->reasoning_foreign_markers);
    json_put_opt_double(o, "headers_ms", trace_ms(f->head_ns, start));
    json_put_opt_u64(o, "in_flight_at_start",
                     (struct opt_u64){start != TAPE_NONE, overlap->in_flight_at_start[r->number]});
    json_put_opt_double(o, "last_content_ms", trace_ms(f->last_content_ns, start));
    json_put_opt_double(o, "last_reasoning_ms", trace_ms(f->last_reasoning_ns, start));
    json_put_opt_double(o, "overlap_prefill_share", overlap->prefill_share[r->number]);
    json_put_opt_u64(o, "reasoning_tokens", f->usage.reasoning_tokens);
    put_reasons(o, r);
    json_put_u64(o, "request_index", r->number);
    json_put_opt_u64(o, "retry_after_s", f->retry_after_s);
    json_put_opt_double(o, "role_ms", trace_ms(f->role_ns, start));
    json_put_opt_double(o, "start_offset_ms", trace_ms(start, run->run_start_ns));
    put_bool(o, "stream_terminal_observed", f->done_seen || f->finish_reason_count > 0);
    json_put_opt_double(o, "tls_ms", r->conn_reused ? none : timer_ms(r->timers.appconnect_us, r->timers.connect_us));
    json_put_u64(o, "tool_call_chunks", f->tool_call_chunks);
    json_put_opt_double(o, "ttfo_after_upload_ms", trace_ms(output, r->send_last_ns));
    json_put_opt_double(o, "upload_ms", trace_ms(r->send_last_ns, start));
    json_put_opt_double(o, "usage_ms", trace_ms(f->usage_ns, start));
    json_out_object_end(o);
}
