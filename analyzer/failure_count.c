#include "failure_count.h"

#include <string.h>

static void count_verdict(const struct request *r, struct failure_counts *c)
{
    if (!r->verdict.error_type) /* nobody judged it: then the sum is short, and says so */
        return;
    if (request_succeeded(r))
        c->succeeded++;
    else if (r->verdict.reason == REASON_CANCELLED)
        c->cancelled++;
    else if (r->verdict.reason == REASON_NOT_SENT || r->verdict.reason == REASON_NOT_BUILT)
        c->not_sent++;
    else
        c->failed++;
}

static void count_records(const struct request *requests, size_t n, struct failure_counts *c)
{
    for (size_t i = 0; i < n; i++) {
        c->sent_on_tape += requests[i].start_ns != TAPE_NONE;
        c->ended_on_tape += requests[i].done_ns != TAPE_NONE;
    }
}

/* A run that the disk stopped, or a tape with holes, lacks records for a reason that is told elsewhere. */
static bool must_agree(const struct run *run)
{
    return run->end_planned > 0 && run->gaps == 0 && run->end_reason &&
           (strcmp(run->end_reason, "complete") == 0 || strcmp(run->end_reason, "interrupted") == 0);
}

void failure_count(const struct run *run, struct failure_counts *out)
{
    struct failure_counts c = {
        .planned = run->options.requests, .sent_by_count = run->end_started, .ended_by_count = run->end_done};
    for (size_t i = 0; i < run->count; i++)
        count_verdict(&run->requests[i], &c);
    count_records(run->requests, run->count, &c);
    count_records(run->warmups, run->warmup_count, &c);
    c.hold = c.planned == c.succeeded + c.failed + c.cancelled + c.not_sent;
    if (must_agree(run))
        c.hold = c.hold && run->end_planned == c.planned + run->options.warmup && c.sent_by_count == c.sent_on_tape &&
                 c.ended_by_count == c.ended_on_tape;
    *out = c;
}
