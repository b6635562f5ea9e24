#include "warnings.h"

#include "reason.h"

/* A request's reason that does not exclude it is a warning; so is one of a run that is counted. */
static bool is_warning(const struct run *run, enum reason_code code)
{
    const struct reason_entry *e = reason_describe(code);
    enum reason_effect effect = policy_effect(&run->policy, code);
    if (effect == REASON_WITHHOLDS)
        return e->scope == REASON_OF_REQUEST || e->is_warning;
    return effect == REASON_WARNS && e->scope != REASON_OF_ARMS;
}

static void count_requests(const struct run *run, enum reason_code code, struct warning *w)
{
    for (size_t i = 0; i < run->count; i++) {
        if (!reason_set_has(&run->requests[i].verdict.reasons, code))
            continue;
        if (w->count++ < WARNING_REQUESTS)
            w->requests[w->listed++] = i;
    }
    if (w->count == run->count)
        w->listed = 0;
}

static void count_run(const struct run *run, enum reason_code code, struct warning *w)
{
    struct reason_finding f = {0};
    reason_judge_run(code, run, &f);
    w->count = f.outcome == REASON_APPLIES ? f.count : 0;
}

size_t warnings_collect(const struct run *run, struct warning out[WARNINGS_MAX])
{
    size_t n = 0;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        const struct reason_entry *e = reason_describe((enum reason_code)code);
        struct warning w = {.code = e->id, .text = e->meaning};
        if (!is_warning(run, (enum reason_code)code))
            continue;
        if (e->scope == REASON_OF_REQUEST)
            count_requests(run, (enum reason_code)code, &w);
        else
            count_run(run, (enum reason_code)code, &w);
        if (w.count > 0)
            out[n++] = w;
    }
    return n;
}
