/* What became of a call: was it made, did it end, and how? */
#include <string.h>

#include "reason_parts.h"

bool reason_is_2xx(const struct request *r)
{
    return r->facts.head_seen && r->facts.http_status >= 200 && r->facts.http_status < 300;
}

bool reason_was_lost(const struct request *r)
{
    return r->lost_reads > 0 || r->behind_gap;
}

static bool is_redirect(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static bool was_cancelled(const struct request *r)
{
    return strcmp(r->done_reason, "cancelled") == 0;
}

bool reason_answer_is_whole(const struct run *run, const struct request *r)
{
    return !r->plan_fault && r->start_ns != TAPE_NONE && r->done_ns != TAPE_NONE && !was_cancelled(r) &&
           reason_is_2xx(r) && !reason_was_lost(r) && reason_of_transport(run, r) == REASON_NONE;
}

void reason_not_built(const struct reason_case *c, struct reason_finding *f)
{
    reason_decide(f, c->request->plan_fault);
    reason_see(f, "%s", c->request->plan_fault ? "PLAN has a fault" : "PLAN has no fault");
    reason_want(f, "a body as planned");
    reason_at(f, TAPE_PLAN, TAPE_NONE, TAPE_NONE);
}

void reason_not_sent(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    if (r->plan_fault && reason_skip(f, "its body could not be built"))
        return;
    if (r->start_ns == TAPE_NONE && r->behind_gap &&
        reason_skip(f, "the tape has a hole where its START may have been"))
        return;
    reason_decide(f, r->start_ns == TAPE_NONE);
    reason_see(f, "%s", r->start_ns == TAPE_NONE ? "no START" : "a START");
    reason_want(f, "a START");
    if (r->start_ns == TAPE_NONE)
        reason_at(f, TAPE_PLAN, TAPE_NONE, TAPE_NONE);
    else
        reason_at(f, TAPE_START, r->start_ns, r->start_ns);
}

/* Was there a call whose end can be looked at? */
static const char *why_no_end(const struct request *r)
{
    if (r->plan_fault)
        return "its body could not be built";
    if (r->start_ns == TAPE_NONE)
        return "it was not sent";
    return r->done_ns == TAPE_NONE ? "its end is not on the tape" : NULL;
}

void reason_not_recorded(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    if ((r->plan_fault || r->start_ns == TAPE_NONE) && reason_skip(f, why_no_end(r)))
        return;
    if (reason_was_lost(r) && reason_skip(f, "records of it are lost, its DONE may be one"))
        return;
    reason_decide(f, r->done_ns == TAPE_NONE);
    reason_see(f, "%s", r->done_ns == TAPE_NONE ? "a START, no DONE" : "a DONE");
    reason_want(f, "a DONE");
    if (r->done_ns == TAPE_NONE)
        reason_at(f, TAPE_START, r->start_ns, r->start_ns);
    else
        reason_at(f, TAPE_DONE, r->done_ns, r->done_ns);
}

void reason_cancelled(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    if (reason_skip(f, why_no_end(r)))
        return;
    reason_decide(f, was_cancelled(r));
    reason_see(f, "DONE says %s", r->done_reason);
    reason_want(f, "DONE does not say cancelled");
    reason_at(f, TAPE_DONE, r->done_ns, r->done_ns);
}

void reason_status(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    unsigned status = r->facts.http_status;
    if (reason_skip(f, why_no_end(r)))
        return;
    if (!r->facts.head_seen && reason_skip(f, "no response head came"))
        return;
    bool redirects = is_redirect(status);
    reason_decide(f, !reason_is_2xx(r) && redirects == (c->code == REASON_REDIRECT_REFUSED));
    reason_see(f, "HTTP %u", status);
    reason_want(f, "%s", c->code == REASON_REDIRECT_REFUSED ? "no redirect" : "2xx");
    reason_at(f, TAPE_HEAD, r->facts.head_ns, r->facts.head_ns);
}

void reason_lost(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    if (r->plan_fault && reason_skip(f, "its body could not be built"))
        return;
    reason_decide(f, reason_was_lost(r));
    reason_see(f, "%llu reads lost, %s", (unsigned long long)r->lost_reads,
               r->behind_gap ? "a hole in the tape while it ran" : "no hole in the tape while it ran");
    reason_want(f, "0 reads lost, no hole");
    if (r->lost_reads > 0)
        reason_at(f, TAPE_LOST, TAPE_NONE, TAPE_NONE);
    else if (r->start_ns != TAPE_NONE)
        reason_at(f, TAPE_START, r->start_ns, r->start_ns);
}

void reason_call_end(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    const struct stream_facts *s = &r->facts;
    if (reason_skip(f, why_no_end(r)))
        return;
    if (was_cancelled(r) && reason_skip(f, "it was cancelled"))
        return;
    if (reason_was_lost(r) && reason_skip(f, "records of it are lost, so how its body ended is not known"))
        return;
    reason_decide(f, c->ended == c->code);
    reason_see(f, "DONE says %s, libcurl code %llu; %s, %llu bytes of body%s%s", r->done_reason,
               (unsigned long long)r->curl_code, s->head_seen ? "a response head" : "no response head",
               (unsigned long long)s->body_bytes, s->body_complete ? ", whole" : ", not whole",
               s->done_seen ? ", [DONE] seen" : "");
    reason_want(f, "no such end, as with DONE complete, libcurl code 0, a whole body");
    reason_at(f, TAPE_DONE, r->done_ns, r->done_ns);
}
