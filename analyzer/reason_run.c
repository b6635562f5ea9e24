/* Reasons of a whole run: what withholds its throughput, what a reader should know, which label it has. */
#include <string.h>

#include "reason_parts.h"

void reason_tape(const struct reason_case *c, struct reason_finding *f)
{
    reason_decide(f, c->run->tape.state != READER_COMPLETE);
    reason_see(f, "the tape is %s", reader_state_name(c->run->tape.state));
    reason_want(f, "complete");
}

static void at_end(struct reason_finding *f)
{
    reason_at(f, TAPE_END, TAPE_NONE, TAPE_NONE);
}

void reason_end(const struct reason_case *c, struct reason_finding *f)
{
    bool missing = !c->run->end_reason;
    reason_decide(f, missing);
    reason_see(f, "%s", missing ? "the tape has no END" : "the tape has its END");
    reason_want(f, "an END record");
    if (!missing)
        at_end(f);
}

/* Counted is what is no event of its own: so many reads, holes, samples. */
static void count_of(struct reason_finding *f, uint64_t count)
{
    f->count = count;
    f->outcome = count > 0 ? REASON_APPLIES : REASON_PASSES;
}

void reason_p95(const struct reason_case *c, struct reason_finding *f)
{
    size_t n = run_count_succeeded(c->run);
    if (n == 0 && reason_skip(f, "no request counts"))
        return;
    count_of(f, n < 20 ? n : 0);
    reason_see(f, "%zu samples", n);
    reason_want(f, "at least 20");
}

void reason_reads_lost(const struct reason_case *c, struct reason_finding *f)
{
    count_of(f, c->run->lost_reads);
    reason_see(f, "%s", c->run->lost_reads > 0 ? "reads were lost" : "no read was lost");
    reason_want(f, "none lost");
    if (c->run->lost_reads > 0)
        reason_at(f, TAPE_LOST, TAPE_NONE, TAPE_NONE);
    else if (c->run->end_reason)
        at_end(f);
}

void reason_holes(const struct reason_case *c, struct reason_finding *f)
{
    count_of(f, c->run->gaps);
    reason_see(f, "%s", c->run->gaps > 0 ? "reads were lost in holes of the tape" : "the tape has no hole");
    reason_want(f, "no hole");
}

static bool is_terminal(const struct stream_facts *s)
{
    return s->done_seen || s->finish_reason_count > 0;
}

void reason_complete(const struct reason_case *c, struct reason_finding *f)
{
    const struct run *run = c->run;
    size_t whole = 0;
    for (size_t i = 0; i < run->count; i++)
        whole += is_terminal(&run->requests[i].facts) && reason_answer_is_whole(run, &run->requests[i]);
    reason_decide(f, whole < run->count);
    reason_see(f, "%s%zu of %zu planned requests have a whole answer that says it has ended",
               whole < run->count ? "only " : "", whole, run->count);
    reason_want(f, "all of them");
}

void reason_excluded(const struct reason_case *c, struct reason_finding *f)
{
    size_t out = c->run->count - run_count_succeeded(c->run);
    reason_decide(f, out > 0);
    reason_see(f, "%zu of %zu requests are excluded", out, c->run->count);
    reason_want(f, "none excluded");
}

void reason_tokens(const struct reason_case *c, struct reason_finding *f)
{
    size_t without = 0;
    for (size_t i = 0; i < c->run->count; i++) {
        const struct request *r = &c->run->requests[i];
        without += request_succeeded(r) && !r->facts.usage.completion_tokens.has;
    }
    reason_decide(f, without > 0);
    reason_see(f, "%s", without > 0 ? "the server does not count output tokens" : "output tokens are counted");
    reason_want(f, "a count from every request that counts");
}

void reason_duration(const struct reason_case *c, struct reason_finding *f)
{
    uint64_t wall = run_finish_ns(c->run) - c->run->run_start_ns;
    reason_decide(f, wall == 0);
    if (wall == 0)
        reason_see(f, "the run has no duration");
    else
        reason_see(f, "the run took %.6f ms", (double)wall / 1e6);
    reason_want(f, "more than 0");
    reason_at(f, TAPE_EVENT, TAPE_NONE, TAPE_NONE);
}

static size_t count_reasoning(const struct run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->count; i++)
        n += request_succeeded(&run->requests[i]) && run->requests[i].facts.reasoning_chunks > 0;
    return n;
}

static const char *protocol_of(const struct run *run)
{
    return count_reasoning(run) > 0 ? "capacity-v4-reasoning" : "capacity-v3";
}

void reason_protocol(const struct reason_case *c, struct reason_finding *f)
{
    size_t n = count_reasoning(c->run);
    reason_decide(f, n > 0);
    reason_see(f, "%zu of %zu requests that count streamed reasoning, hence %s", n, run_count_succeeded(c->run),
               protocol_of(c->run));
    reason_want(f, "none, for capacity-v3");
}

void reason_arms(const struct reason_case *c, struct reason_finding *f)
{
    size_t other = 1;
    if (c->arm_count < 2 && reason_skip(f, "one run is compared with nothing"))
        return;
    while (other < c->arm_count && strcmp(protocol_of(c->arms[other]), protocol_of(c->arms[0])) == 0)
        other++;
    reason_decide(f, other < c->arm_count);
    if (other < c->arm_count)
        reason_see(f, "tape 1 is %s, tape %zu is %s", protocol_of(c->arms[0]), other + 1, protocol_of(c->arms[other]));
    else
        reason_see(f, "all %zu are %s", c->arm_count, protocol_of(c->arms[0]));
    reason_want(f, "the same measurement_protocol");
}
