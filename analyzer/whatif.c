#include "whatif.h"

#include <stdio.h>
#include <stdlib.h>

#include "eligibility.h"
#include "result.h"

struct place { /* of a request under the base */
    enum failure_class failure;
    enum reason_code reason;
    struct reason_set reasons;
};

const struct whatif_case *whatif_case_of(const struct whatif_report *r, size_t rule, size_t arm)
{
    return &r->cases[rule * r->arm_count + arm];
}

static struct place place_of(const struct request *r)
{
    return (struct place){r->verdict.failure, r->verdict.reason, r->verdict.reasons};
}

/* All that exclude it under this policy, the one that names the failure first. */
static void name_reasons(const struct place *p, const struct policy *policy, char *out, size_t room)
{
    size_t n = (size_t)snprintf(out, room, "%s", reason_describe(p->reason)->id);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES && n < room; code++)
        if (code != p->reason && reason_set_has(&p->reasons, (enum reason_code)code) &&
            policy_effect(policy, (enum reason_code)code) == REASON_EXCLUDES)
            n += (size_t)snprintf(out + n, room - n, ", %s", reason_describe((enum reason_code)code)->id);
}

static struct move_side side_of(const struct place *p, const struct policy *policy)
{
    struct move_side s = {.place = p->failure == FAILURE_NONE ? MOVE_ROW : MOVE_FAILURE};
    if (p->failure == FAILURE_NONE)
        return s;
    snprintf(s.class, sizeof s.class, "%s", result_failure_class_name(p->failure));
    snprintf(s.type, sizeof s.type, "%s", reason_describe(p->reason)->error_type);
    name_reasons(p, policy, s.reasons, sizeof s.reasons);
    return s;
}

static enum tt_status find_moves(struct whatif_case *c, const struct run *run, const struct place *base,
                                 const struct policy *policy, struct tt_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < run->count; i++)
        n += base[i].reason != run->requests[i].verdict.reason;
    c->moves = calloc(n ? n : 1, sizeof *c->moves);
    if (!c->moves)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu requests that move", n);
    for (size_t i = 0; i < run->count; i++) {
        const struct place now = place_of(&run->requests[i]);
        if (base[i].reason == now.reason)
            continue;
        c->moves[c->move_count++] = (struct move){i, side_of(&base[i], policy), side_of(&now, &run->policy)};
        c->in += now.failure == FAILURE_NONE;
        c->out += base[i].failure == FAILURE_NONE;
        c->otherwise += now.failure != FAILURE_NONE && base[i].failure != FAILURE_NONE;
    }
    moves_sort(c->moves, c->move_count);
    return TT_OK;
}

static enum tt_status fill_case(struct whatif_case *c, const struct run *run, struct tt_error *err)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct verdict *v = &run->requests[i].verdict;
        c->counting += v->failure == FAILURE_NONE;
        if (v->failure != FAILURE_NONE)
            c->excluded[v->reason]++;
    }
    c->withholding = reason_withholding(run);
    return headlines_of_run(run, c->headlines, err);
}

/* All arms have been judged under the rule. */
static void look_between(struct whatif_between *b, struct run *const *runs, size_t n, const struct policy *policy)
{
    const struct run *arms[WHATIF_ARMS];
    for (size_t i = 0; i < n; i++)
        arms[i] = runs[i];
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        struct reason_finding f = {.wants_text = true};
        enum reason_effect effect = policy_effect(policy, (enum reason_code)code);
        if (reason_describe((enum reason_code)code)->scope != REASON_OF_ARMS || effect == REASON_IGNORED)
            continue;
        reason_judge_arms((enum reason_code)code, arms, n, &f);
        if (f.outcome != REASON_APPLIES)
            continue;
        *b = (struct whatif_between){(enum reason_code)code, effect, ""};
        snprintf(b->seen, sizeof b->seen, "%s", f.seen);
        return;
    }
}

static enum tt_status judge_rule(struct whatif_report *r, size_t rule, struct run *const *runs, struct place **base,
                                 struct tt_error *err)
{
    enum tt_status st = TT_OK;
    for (size_t arm = 0; arm < r->arm_count && st == TT_OK; arm++) {
        struct run *run = runs[arm];
        struct whatif_case *c = &r->cases[rule * r->arm_count + arm];
        eligibility_judge(run, &r->rules[rule].policy);
        st = fill_case(c, run, err);
        for (size_t i = 0; rule == 0 && i < run->count; i++)
            base[arm][i] = place_of(&run->requests[i]);
        if (st == TT_OK)
            st = find_moves(c, run, base[arm], &r->rules[0].policy, err);
    }
    if (st == TT_OK)
        look_between(&r->between[rule], runs, r->arm_count, &r->rules[rule].policy);
    return st;
}

enum tt_status whatif_judge(struct whatif_report *r, struct run *const *runs, struct tt_error *err)
{
    struct place *base[WHATIF_ARMS] = {NULL};
    enum tt_status st = TT_OK;
    r->cases = calloc(r->rule_count * r->arm_count, sizeof *r->cases);
    for (size_t arm = 0; arm < r->arm_count; arm++) {
        base[arm] = calloc(runs[arm]->count + 1, sizeof *base[arm]);
        if (!r->cases || !base[arm])
            st = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu verdicts", runs[arm]->count);
    }
    for (size_t rule = 0; rule < r->rule_count && st == TT_OK; rule++)
        st = judge_rule(r, rule, runs, base, err);
    for (size_t arm = 0; arm < r->arm_count; arm++)
        free(base[arm]);
    return st;
}

bool whatif_is_uneven(const struct whatif_report *r, size_t rule, enum reason_code reason)
{
    uint64_t first = whatif_case_of(r, rule, 0)->excluded[reason];
    for (size_t arm = 1; arm < r->arm_count; arm++)
        if (whatif_case_of(r, rule, arm)->excluded[reason] * r->requests[0] != first * r->requests[arm])
            return true;
    return false;
}

void whatif_free(struct whatif_report *r)
{
    for (size_t i = 0; r->cases && i < r->rule_count * r->arm_count; i++)
        free(r->cases[i].moves);
    free(r->cases);
    r->cases = NULL;
}
