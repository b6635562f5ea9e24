#include "explain.h"

#include <stdlib.h>

/* Room for one more; doubles. Errors: TT_NOMEM. */
static void *grown(void *list, size_t count, size_t size)
{
    if (count & (count - 1)) /* full at powers of two, and at none */
        return list;
    return realloc(list, (count ? 2 * count : 1) * size);
}

static struct explain_subject *add_subject(struct explain *e, uint64_t request)
{
    struct explain_subject *list = grown(e->subjects, e->subject_count, sizeof *list);
    if (!list)
        return NULL;
    e->subjects = list;
    list[e->subject_count] = (struct explain_subject){.request = request, .rules_at = e->rule_count};
    return &list[e->subject_count++];
}

static enum tt_status add_evidence(struct explain *e, uint64_t request, const struct reason_place *place)
{
    struct explain_evidence *list = grown(e->evidence, e->evidence_count, sizeof *list);
    if (!list)
        return TT_NOMEM;
    e->evidence = list;
    list[e->evidence_count++] = (struct explain_evidence){.request = request, .place = *place};
    return TT_OK;
}

static enum tt_status add_rule(struct explain *e, struct explain_subject *s, enum reason_code code,
                               const struct reason_finding *f)
{
    struct explain_rule *list = grown(e->rules, e->rule_count, sizeof *list);
    if (!list)
        return TT_NOMEM;
    e->rules = list;
    list[e->rule_count++] = (struct explain_rule){code, f->outcome, EXPLAIN_NONE};
    s->rule_count++;
    if (!f->place.has)
        return TT_OK;
    list[e->rule_count - 1].evidence = e->evidence_count;
    return add_evidence(e, s->request, &f->place);
}

static bool is_named(const struct run *run, enum reason_code code)
{
    return reason_describe(code)->always || policy_effect(&run->policy, code) != REASON_IGNORED;
}

enum tt_status explain_add_request(struct explain *e, const struct request *r, bool all_rules)
{
    struct explain_subject *s = add_subject(e, r->number);
    enum tt_status st = s ? TT_OK : TT_NOMEM;
    for (unsigned i = REASON_NONE + 1; i < REASON_CODES && st == TT_OK; i++) {
        enum reason_code code = (enum reason_code)i;
        struct reason_finding f = {0};
        if (reason_describe(code)->scope != REASON_OF_REQUEST || !is_named(e->run, code) ||
            (!all_rules && !reason_set_has(&r->verdict.reasons, code)))
            continue;
        reason_judge_request(code, e->run, r, &f);
        st = add_rule(e, s, code, &f);
    }
    return st;
}

/* The label is explained whatever the policy names. */
enum tt_status explain_add_run(struct explain *e)
{
    struct explain_subject *s = add_subject(e, TAPE_NONE);
    enum tt_status st = s ? TT_OK : TT_NOMEM;
    for (unsigned i = REASON_NONE + 1; i < REASON_CODES && st == TT_OK; i++) {
        enum reason_code code = (enum reason_code)i;
        struct reason_finding f = {0};
        if (reason_describe(code)->scope == REASON_OF_REQUEST ||
            (!is_named(e->run, code) && code != REASON_PROTOCOL_REASONING))
            continue;
        reason_judge_arms(code, e->arms, e->arm_count, &f);
        if (reason_describe(code)->scope == REASON_OF_RUN)
            reason_judge_run(code, e->run, &f);
        st = add_rule(e, s, code, &f);
    }
    return st;
}

const struct request *explain_request(const struct explain *e, uint64_t number)
{
    return number < e->run->count ? &e->run->requests[number] : &e->run->warmups[number - e->run->count];
}

void explain_judge(const struct explain *e, const struct explain_subject *s, const struct explain_rule *rule,
                   struct reason_finding *f)
{
    *f = (struct reason_finding){.wants_text = true};
    if (s->request != TAPE_NONE)
        reason_judge_request(rule->code, e->run, explain_request(e, s->request), f);
    else if (reason_describe(rule->code)->scope == REASON_OF_ARMS)
        reason_judge_arms(rule->code, e->arms, e->arm_count, f);
    else
        reason_judge_run(rule->code, e->run, f);
}

void explain_free(struct explain *e)
{
    free(e->subjects);
    free(e->rules);
    free(e->evidence);
    *e = (struct explain){.run = NULL};
}
