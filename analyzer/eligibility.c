#include "eligibility.h"

#include "eligibility_message.h"
#include "failure.h"

#include <string.h>

static bool is_2xx(const struct request *r)
{
    return r->facts.head_seen && r->facts.http_status >= 200 && r->facts.http_status < 300;
}

static bool is_redirect(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static bool was_lost(const struct request *r)
{
    return r->lost_reads > 0 || r->behind_gap;
}

/* The run's own doing, before anything the server did. */
static enum failure_code judge_run(const struct request *r)
{
    if (r->plan_fault)
        return FAIL_NOT_BUILT;
    if (r->start_ns == TAPE_NONE)
        return r->behind_gap ? FAIL_LOST_RECORDS : FAIL_NOT_SENT;
    if (r->done_ns == TAPE_NONE)
        return was_lost(r) ? FAIL_LOST_RECORDS : FAIL_NOT_RECORDED;
    return strcmp(r->done_reason, "cancelled") == 0 ? FAIL_CANCELLED : FAIL_NONE;
}

static enum failure_code judge_transport(const struct run *run, const struct request *r)
{
    if (r->facts.head_seen && !is_2xx(r))
        return is_redirect(r->facts.http_status) ? FAIL_REDIRECT_REFUSED : FAIL_HTTP_STATUS;
    return was_lost(r) ? FAIL_LOST_RECORDS : failure_of_transport(run, r);
}

/* A body without a content type is judged by whether it holds events. */
static bool is_event_stream(const struct stream_facts *f)
{
    return f->has_content_type ? f->event_stream : f->events > 0;
}

/* No content: what else was there? */
static enum failure_code judge_silence(const struct stream_facts *f)
{
    if (f->reasoning_chunks + f->tool_call_chunks + f->refusal_chunks > 0)
        return FAIL_NO_VISIBLE_OUTPUT;
    return f->finish_reason_count > 0 ? FAIL_EMPTY_FINISH : FAIL_NO_OUTPUT;
}

static enum failure_code judge_stream(const struct stream_facts *f)
{
    if (f->payload_bytes == 0)
        return FAIL_EMPTY_BODY;
    if (f->compressed)
        return FAIL_COMPRESSED_BODY;
    if (!is_event_stream(f))
        return FAIL_NOT_AN_EVENT_STREAM;
    if (f->error_seen)
        return FAIL_IN_BAND_ERROR;
    if (f->content_chunks == 0)
        return judge_silence(f);
    return f->done_seen || f->finish_reason_count > 0 ? FAIL_NONE : FAIL_NO_TERMINAL;
}

static enum failure_code judge_observations(const struct run *run, const struct request *r)
{
    const struct stream_facts *f = &r->facts;
    if (r->marker && !f->canary.passed)
        return f->canary.marker_at_start && f->canary.foreign_marker_count == 0 ? FAIL_CANARY_CAPTURE_LIMIT
                                                                                : FAIL_CANARY;
    if (run->options.response_words > 0 && !f->controlled.passed)
        return f->controlled.exact_adherence == ADHERENCE_NULL ? FAIL_CONTROLLED_OUTPUT_CAPTURE_LIMIT
                                                               : FAIL_CONTROLLED_OUTPUT;
    return FAIL_NONE;
}

/* In the order in which things happen: the first failing step names the failure. */
static enum failure_code judge(const struct run *run, const struct request *r)
{
    enum failure_code code = judge_run(r);
    if (code == FAIL_NONE)
        code = judge_transport(run, r);
    if (code == FAIL_NONE)
        code = judge_stream(&r->facts);
    return code == FAIL_NONE ? judge_observations(run, r) : code;
}

static bool can_form_row(const struct request *r)
{
    return r->start_ns != TAPE_NONE && request_first_output_ns(r) != TAPE_NONE &&
           r->facts.first_content_ns != TAPE_NONE && r->facts.end_ns != TAPE_NONE;
}

void eligibility_judge_request(const struct run *run, struct request *r)
{
    enum failure_code code = judge(run, r);
    const struct failure_entry *entry = failure_describe(code);
    struct verdict *v = &r->verdict;
    v->failure = entry->class;
    v->error_type = entry->error_type;
    v->response_received = is_2xx(r);
    v->has_metadata = v->response_received;
    v->has_timing = can_form_row(r) && entry->class != FAILURE_REQUEST_ERROR && entry->class != FAILURE_RUNNER_ERROR;
    eligibility_write_message(run, r, code);
}

void eligibility_judge(struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        eligibility_judge_request(run, &run->requests[i]);
    for (size_t i = 0; i < run->warmup_count; i++)
        eligibility_judge_request(run, &run->warmups[i]);
}
