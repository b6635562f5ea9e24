/* Is the whole of a 2xx an answer, and does it say how it ended and what it took? */
#include <stdio.h>
#include <string.h>

#include "reason_parts.h"
#include "row.h"

/* One whose content type says otherwise is not read as events, nor is a compressed one. */
bool reason_events_were_read(const struct stream_facts *f)
{
    return !f->compressed && (!f->has_content_type || f->event_stream);
}

/* Facts that stand whatever came after them need a 2xx that can be read. */
static const char *why_no_answer(const struct reason_case *c)
{
    const struct request *r = c->request;
    if (!r->facts.head_seen)
        return "no response head came";
    if (!reason_is_2xx(r))
        return "the status is not 2xx";
    return reason_was_lost(r) ? "records of it are lost" : NULL;
}

/* What is missing needs a whole answer to be missed in. */
static const char *why_not_whole(const struct reason_case *c)
{
    const char *why = why_no_answer(c);
    if (why)
        return why;
    return reason_answer_is_whole(c->run, c->request) ? NULL : "the answer is not whole";
}

static const char *why_no_events(const struct reason_case *c)
{
    const struct stream_facts *s = &c->request->facts;
    const char *why = why_not_whole(c);
    if (why)
        return why;
    if (!reason_events_were_read(s))
        return "its body was not read as events";
    return NULL;
}

/* The last that came of the body; of an empty one, how it ended. */
static void at_the_end(const struct request *r, struct reason_finding *f)
{
    if (r->facts.last_byte_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, r->facts.last_byte_ns, r->facts.last_byte_ns);
    else
        reason_at(f, TAPE_DONE, r->done_ns, r->done_ns);
}

void reason_empty_body(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    if (reason_skip(f, why_not_whole(c)))
        return;
    reason_decide(f, r->facts.payload_bytes == 0);
    reason_see(f, "%llu bytes of payload", (unsigned long long)r->facts.payload_bytes);
    reason_want(f, "at least 1");
    at_the_end(r, f);
}

void reason_compressed(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (reason_skip(f, why_no_answer(c)))
        return;
    reason_decide(f, s->compressed);
    reason_see(f, "content-encoding %s", s->compressed ? "is not identity" : "is absent or identity");
    reason_want(f, "none, or identity");
    reason_at(f, TAPE_HEAD, s->head_ns, s->head_ns);
}

/* A body without a content type is judged by whether it holds events. */
void reason_not_events(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    const char *why = s->has_content_type ? why_no_answer(c) : why_not_whole(c);
    if (reason_skip(f, why))
        return;
    if (s->payload_bytes == 0 && reason_skip(f, "the body is empty"))
        return;
    if (s->compressed && !s->has_content_type && reason_skip(f, "the body is compressed and has no content type"))
        return;
    reason_decide(f, s->has_content_type ? !s->event_stream : s->events == 0);
    reason_see(f, "content-type %s, %llu events",
               !s->has_content_type ? "is absent"
               : s->event_stream    ? "is text/event-stream"
                                    : "is another one",
               (unsigned long long)s->events);
    reason_want(f, "text/event-stream, or none and at least 1 event");
    reason_at(f, TAPE_HEAD, s->head_ns, s->head_ns);
}

void reason_in_band_error(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (reason_skip(f, why_no_answer(c)))
        return;
    if (!reason_events_were_read(s) && reason_skip(f, "its body was not read as events"))
        return;
    reason_decide(f, s->error_seen);
    reason_see(f, "%s error among %llu events", s->error_seen ? "an" : "no", (unsigned long long)s->events);
    reason_want(f, "none");
    if (s->error_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, s->error_ns, s->error_ns);
    else if (s->first_byte_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, s->first_byte_ns, s->last_byte_ns);
}

/* No content: what else was there? */
static enum reason_code silence_of(const struct stream_facts *s)
{
    if (s->content_chunks > 0)
        return REASON_NONE;
    if (s->reasoning_chunks + s->tool_call_chunks + s->refusal_chunks > 0)
        return REASON_NO_VISIBLE_OUTPUT;
    return s->finish_reason_count > 0 ? REASON_EMPTY_FINISH : REASON_NO_OUTPUT;
}

void reason_silence(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (reason_skip(f, why_no_events(c)))
        return;
    if (s->payload_bytes == 0 && reason_skip(f, "the body is empty"))
        return;
    reason_decide(f, silence_of(s) == c->code);
    reason_see(f, "%llu content, %llu reasoning, %llu tool call and %llu refusal chunks, %zu finish reasons",
               (unsigned long long)s->content_chunks, (unsigned long long)s->reasoning_chunks,
               (unsigned long long)s->tool_call_chunks, (unsigned long long)s->refusal_chunks, s->finish_reason_count);
    reason_want(f, "at least 1 content chunk");
    if (s->first_content_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, s->first_content_ns, s->first_content_ns);
    else
        at_the_end(c->request, f);
}

void reason_no_terminal(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (reason_skip(f, why_no_events(c)))
        return;
    if (s->payload_bytes == 0 && reason_skip(f, "the body is empty"))
        return;
    reason_decide(f, !s->done_seen && s->finish_reason_count == 0);
    reason_see(f, "%s [DONE], %zu finish reasons", s->done_seen ? "a" : "no", s->finish_reason_count);
    reason_want(f, "[DONE] or a finish reason");
    uint64_t seen_ns = s->done_ns != TAPE_NONE ? s->done_ns : s->finish_ns;
    if (seen_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, seen_ns, seen_ns);
    else
        at_the_end(c->request, f);
}

/* Words that servers agree on; one of the server's own choosing is not repeated. */
static const char *known_finish(const char *word)
{
    static const char *const known[] = {"stop", "length", "tool_calls", "function_call", "content_filter", "abort"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, known[i]) == 0)
            return known[i];
    return "a word of its own";
}

static const char *first_not_allowed(const struct reason_case *c)
{
    const struct stream_facts *s = &c->request->facts;
    for (size_t i = 0; i < s->finish_reason_count; i++)
        if (!policy_allows_finish(c->policy, s->finish_reasons[i]))
            return s->finish_reasons[i];
    return NULL;
}

static void want_finish(const struct policy *p, struct reason_finding *f)
{
    char list[REASON_WANTED_BYTES] = "";
    size_t n = 0;
    for (size_t i = 0; i < p->finish_count && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%.40s", i ? ", " : "each of: ", p->finish_reasons[i]);
    reason_want(f, "%s", p->finish_count ? list : "any");
}

void reason_finish(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (reason_skip(f, why_no_events(c)))
        return;
    if (s->content_chunks == 0 && reason_skip(f, "there is no visible output"))
        return;
    const char *odd = first_not_allowed(c);
    bool none = s->finish_reason_count == 0;
    if (none && !s->done_seen && reason_skip(f, "it does not say that it has ended, which no_terminal is about"))
        return;
    reason_decide(f, odd || (none && c->policy->finish_count > 0));
    if (none)
        reason_see(f, "no finish reason");
    else
        reason_see(f, "%zu finish reasons: %s%s", s->finish_reason_count,
                   known_finish(odd ? odd : s->finish_reasons[0]), odd ? ", which is not allowed" : "");
    if (f->wants_text)
        want_finish(c->policy, f);
    if (s->finish_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, s->finish_ns, s->finish_ns);
    else
        at_the_end(c->request, f);
}

/* The count of output tokens first: without one, that of the prompt is not asked for. */
void reason_usage(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    const struct usage_facts *u = &r->facts.usage;
    bool of_output = c->code == REASON_USAGE_MISSING;
    if (reason_skip(f, why_no_events(c)))
        return;
    if (r->facts.content_chunks == 0 && reason_skip(f, "there is no visible output"))
        return;
    if (!of_output && !u->completion_tokens.has &&
        reason_skip(f, "the count of output tokens is missing, which usage_missing is about"))
        return;
    reason_decide(f, !(of_output ? u->completion_tokens : u->prompt_tokens).has);
    reason_see(f, "%s%s%s%s", u->seen ? "usage" : "no usage", u->prompt_tokens.has ? ", a prompt count" : "",
               u->completion_tokens.has ? ", an output count" : "",
               u->odd_numbers ? ", numbers that are no counts" : "");
    reason_want(f, "an exact %s count", of_output ? "output" : "prompt");
    if (r->facts.usage_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, r->facts.usage_ns, r->facts.usage_ns);
    else
        at_the_end(r, f);
}

bool reason_row_can_be_formed(const struct run *run, const struct request *r)
{
    struct row row;
    return row_of_request(&row, run, r);
}

static const char *seen(uint64_t ns)
{
    return ns != TAPE_NONE ? "seen" : "not seen";
}

void reason_no_row(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    reason_decide(f, !reason_row_can_be_formed(c->run, r));
    reason_see(f, "start %s, output %s, content %s, end %s", seen(r->start_ns), seen(request_first_output_ns(r)),
               seen(r->facts.first_content_ns), seen(r->facts.end_ns));
    reason_want(f, "all four seen, in order");
    if (r->done_ns != TAPE_NONE)
        reason_at(f, TAPE_DONE, r->done_ns, r->done_ns);
    else if (r->start_ns != TAPE_NONE)
        reason_at(f, TAPE_START, r->start_ns, r->start_ns);
    else
        reason_at(f, TAPE_PLAN, TAPE_NONE, TAPE_NONE);
}
