#include "reason.h"

#include <stdarg.h>
#include <stdio.h>

#include "reason_parts.h"

const char *reason_effect_name(enum reason_effect effect)
{
    static const char *const names[] = {[REASON_IGNORED] = "ignored",
                                        [REASON_WARNS] = "warns",
                                        [REASON_WITHHOLDS] = "withholds",
                                        [REASON_EXCLUDES] = "excludes"};
    return names[effect];
}

const char *reason_scope_name(enum reason_scope scope)
{
    static const char *const names[] = {
        [REASON_OF_REQUEST] = "request", [REASON_OF_RUN] = "run", [REASON_OF_ARMS] = "arms"};
    return names[scope];
}

const char *reason_outcome_name(enum reason_outcome outcome)
{
    static const char *const names[] = {
        [REASON_PASSES] = "pass", [REASON_APPLIES] = "fail", [REASON_NOT_APPLICABLE] = "not applicable"};
    return names[outcome];
}

void reason_see(struct reason_finding *f, const char *fmt, ...)
{
    va_list args;
    if (!f->wants_text)
        return;
    va_start(args, fmt);
    vsnprintf(f->seen, sizeof f->seen, fmt, args);
    va_end(args);
}

void reason_want(struct reason_finding *f, const char *fmt, ...)
{
    va_list args;
    if (!f->wants_text)
        return;
    va_start(args, fmt);
    vsnprintf(f->wanted, sizeof f->wanted, fmt, args);
    va_end(args);
}

struct reason_case reason_case_of(const struct run *run, const struct request *r)
{
    bool ended = !r->plan_fault && r->start_ns != TAPE_NONE && r->done_ns != TAPE_NONE && !reason_was_lost(r);
    return (struct reason_case){
        .run = run, .request = r, .policy = &run->policy, .ended = ended ? reason_of_transport(run, r) : REASON_NONE};
}

void reason_judge_request(enum reason_code code, const struct run *run, const struct request *r,
                          struct reason_finding *f)
{
    struct reason_case c = reason_case_of(run, r);
    c.code = code;
    reason_describe(code)->judge(&c, f);
}

void reason_judge_run(enum reason_code code, const struct run *run, struct reason_finding *f)
{
    reason_judge_arms(code, &run, 1, f);
}

void reason_judge_arms(enum reason_code code, const struct run *const *arms, size_t n, struct reason_finding *f)
{
    struct reason_case c = {.run = arms[0], .policy = &arms[0]->policy, .code = code, .arms = arms, .arm_count = n};
    reason_describe(code)->judge(&c, f);
}

/* A request's reason that withholds does so for the whole run. */
static bool withholds_of_request(const struct run *run, enum reason_code code)
{
    for (size_t i = 0; i < run->count; i++)
        if (reason_set_has(&run->requests[i].verdict.reasons, code))
            return true;
    return false;
}

static bool withholds(const struct run *run, enum reason_code code)
{
    struct reason_finding f = {0};
    enum reason_scope scope = reason_describe(code)->scope;
    if (policy_effect(&run->policy, code) != REASON_WITHHOLDS || scope == REASON_OF_ARMS)
        return false;
    if (scope == REASON_OF_REQUEST)
        return withholds_of_request(run, code);
    reason_judge_run(code, run, &f);
    return f.outcome == REASON_APPLIES;
}

enum reason_code reason_withholding(const struct run *run)
{
    for (unsigned code = REASON_TAPE_INCOMPLETE; code < REASON_CODES; code++)
        if (withholds(run, (enum reason_code)code))
            return (enum reason_code)code;
    for (unsigned code = REASON_NONE + 1; code < REASON_TAPE_INCOMPLETE; code++)
        if (withholds(run, (enum reason_code)code))
            return (enum reason_code)code;
    return REASON_NONE;
}

bool run_performance_eligible(const struct run *run)
{
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (!reason_describe((enum reason_code)code)->always && withholds(run, (enum reason_code)code))
            return false;
    return true;
}
