#include "eligibility.h"

#include "eligibility_message.h"
#include "reason.h"
#include "reason_parts.h"

/* All of its reasons that the policy names; the first of those that exclude it. */
static enum reason_code judge(const struct run *run, const struct request *r, struct reason_set *applying)
{
    struct reason_case c = reason_case_of(run, r);
    enum reason_code first = REASON_NONE;
    for (unsigned code = REASON_NONE + 1; code < REASON_TAPE_INCOMPLETE; code++) {
        enum reason_effect effect = policy_effect(&run->policy, (enum reason_code)code);
        struct reason_finding f = {0};
        if (effect == REASON_IGNORED || (code == REASON_NO_ROW && first != REASON_NONE))
            continue;
        c.code = (enum reason_code)code;
        reason_describe(c.code)->judge(&c, &f);
        if (f.outcome != REASON_APPLIES)
            continue;
        reason_set_add(applying, c.code);
        if (effect == REASON_EXCLUDES && first == REASON_NONE)
            first = c.code;
    }
    return first;
}

/* Warnings about what counts say nothing of what does not. */
static void drop_of_rows(const struct run *run, struct reason_set *applying)
{
    for (unsigned code = REASON_NONE + 1; code < REASON_TAPE_INCOMPLETE; code++)
        if (reason_describe((enum reason_code)code)->of_rows &&
            policy_effect(&run->policy, (enum reason_code)code) != REASON_EXCLUDES)
            reason_set_remove(applying, (enum reason_code)code);
}

/* An answer that is judged and found wanting has times; one that never was whole has none that compare. */
static bool has_timing(const struct run *run, const struct request *r, enum failure_class class)
{
    if (!reason_row_can_be_formed(run, r))
        return false;
    return (class != FAILURE_REQUEST_ERROR && class != FAILURE_RUNNER_ERROR) || reason_answer_is_whole(run, r);
}

/* The schema judges answers by their stream only where a 2xx came. */
static enum failure_class class_of(const struct request *r, enum reason_code code)
{
    enum failure_class class = reason_describe(code)->class;
    return class == FAILURE_STREAM_VALIDATION && !reason_is_2xx(r) ? FAILURE_REQUEST_ERROR : class;
}

void eligibility_judge_request(const struct run *run, struct request *r)
{
    struct verdict *v = &r->verdict;
    v->reasons = (struct reason_set){{0}};
    v->reason = judge(run, r, &v->reasons);
    if (v->reason != REASON_NONE)
        drop_of_rows(run, &v->reasons);
    v->failure = class_of(r, v->reason);
    v->error_type = reason_describe(v->reason)->error_type;
    v->response_received = reason_is_2xx(r);
    v->has_metadata = v->response_received;
    v->has_timing = has_timing(run, r, v->failure);
    eligibility_write_message(run, r, v->reason);
}

void eligibility_judge(struct run *run, const struct policy *policy)
{
    if (policy)
        run->policy = *policy;
    else
        policy_begin(&run->policy);
    for (size_t i = 0; i < run->count; i++)
        eligibility_judge_request(run, &run->requests[i]);
    for (size_t i = 0; i < run->warmup_count; i++)
        eligibility_judge_request(run, &run->warmups[i]);
}
