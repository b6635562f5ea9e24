/* Is the answer the one that was asked for: its own marker, nobody else's, the words? */
#include "reason_parts.h"

static const char *why_no_text(const struct reason_case *c)
{
    const struct request *r = c->request;
    if (!reason_answer_is_whole(c->run, r))
        return "there is no whole answer";
    return r->facts.content_chunks == 0 ? "there is no visible text" : NULL;
}

static const char *why_no_canary(const struct reason_case *c)
{
    return c->request->marker ? why_no_text(c) : "canaries are off";
}

static void at_content(const struct request *r, struct reason_finding *f)
{
    reason_at(f, TAPE_READ, r->facts.first_content_ns, r->facts.last_content_ns);
}

static bool takes_all(const struct reason_case *c)
{
    return c->policy->capture == POLICY_CAPTURE_COMPLETE;
}

/* A canary that holds as far as the capture goes failed for the capture alone. */
static bool canary_applies(enum reason_code code, const struct canary_facts *seen)
{
    bool good_so_far = seen->marker_at_start && seen->foreign_marker_count == 0;
    switch (code) {
    case REASON_CANARY:
        return !seen->passed && !good_so_far;
    case REASON_CANARY_CAPTURE_LIMIT:
        return !seen->passed && good_so_far;
    case REASON_MARKER_NOT_FIRST:
        return !seen->marker_at_start;
    default:
        return seen->foreign_marker_count > 0;
    }
}

void reason_canary(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    const struct canary_facts *seen = takes_all(c) ? &r->facts.canary_full : &r->facts.canary;
    if (reason_skip(f, why_no_canary(c)))
        return;
    reason_decide(f, canary_applies(c->code, seen));
    reason_see(f, "own marker %s, %llu of other requests, capture %s",
               seen->marker_at_start ? "at the start" : "not at the start",
               (unsigned long long)seen->foreign_marker_count, seen->capture_complete ? "complete" : "cut");
    switch (c->code) {
    case REASON_MARKER_NOT_FIRST:
        reason_want(f, "own marker at the start");
        break;
    case REASON_FOREIGN_MARKER:
        reason_want(f, "0 foreign markers");
        break;
    case REASON_CANARY_CAPTURE_LIMIT:
        reason_want(f, "a complete capture");
        break;
    default:
        reason_want(f, "own marker at the start, 0 of other requests");
    }
    if (c->code == REASON_MARKER_NOT_FIRST)
        reason_at(f, TAPE_READ, r->facts.first_content_ns, r->facts.first_content_ns);
    else
        at_content(r, f);
}

void reason_reasoning_marker(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (!c->request->marker && reason_skip(f, "canaries are off"))
        return;
    if (s->reasoning_chunks == 0 && reason_skip(f, "there is no reasoning"))
        return;
    reason_decide(f, s->reasoning_foreign_markers > 0);
    reason_see(f, "%llu foreign markers in %llu reasoning chunks", (unsigned long long)s->reasoning_foreign_markers,
               (unsigned long long)s->reasoning_chunks);
    reason_want(f, "0 foreign markers");
    reason_at(f, TAPE_READ, s->first_reasoning_ns, s->last_reasoning_ns);
}

void reason_capture(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    if (!r->marker && c->run->options.response_words == 0 && reason_skip(f, "nothing is looked for in the text"))
        return;
    if (reason_skip(f, why_no_text(c)))
        return;
    reason_decide(f, r->facts.visible_content_truncated && !takes_all(c));
    reason_see(f, "%llu characters of visible text", (unsigned long long)r->facts.content_chars);
    if (takes_all(c))
        reason_want(f, "any length: all of it is looked at");
    else
        reason_want(f, "at most %u", OBSERVE_CAPTURE_CHARS);
    at_content(r, f);
}

static bool controlled_applies(enum reason_code code, const struct controlled_facts *seen)
{
    bool unknown = seen->exact_adherence == ADHERENCE_NULL;
    if (code == REASON_CONTROLLED_NOT_EXACT) /* what cannot be counted is not shown to be exact */
        return seen->exact_adherence != ADHERENCE_YES;
    return !seen->passed && unknown == (code == REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT);
}

void reason_controlled(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    const struct controlled_facts *seen = takes_all(c) ? &r->facts.controlled_full : &r->facts.controlled;
    if (c->run->options.response_words == 0 && reason_skip(f, "no words were asked for"))
        return;
    if (reason_skip(f, why_no_text(c)))
        return;
    reason_decide(f, controlled_applies(c->code, seen));
    reason_see(f, "%llu code words and %llu others, capture %s, controlled output policy %s",
               (unsigned long long)seen->observed_code_words, (unsigned long long)seen->observed_extra_words,
               seen->capture_complete ? "complete" : "cut",
               c->run->options.controlled_output_policy ? c->run->options.controlled_output_policy : "unknown");
    if (c->code == REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT)
        reason_want(f, "a complete capture");
    else
        reason_want(f, "%llu code words and 0 others", (unsigned long long)c->run->options.response_words);
    at_content(r, f);
}

void reason_canaries_off(const struct reason_case *c, struct reason_finding *f)
{
    reason_decide(f, !c->run->options.request_canaries);
    reason_see(f, "request_canaries %s", c->run->options.request_canaries ? "true" : "false");
    reason_want(f, "true");
    reason_at(f, TAPE_RUN, TAPE_NONE, TAPE_NONE);
}
