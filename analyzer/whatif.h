/* What would count under other rules: the same tapes, judged under a base policy and under
 * variants of it, side by side. Nothing is measured anew, so every number is the one that
 * `result --policy` gives. */
#ifndef ANALYZER_WHATIF_H
#define ANALYZER_WHATIF_H

#include "headline.h"
#include "move.h"
#include "output.h"
#include "policy.h"
#include "reason.h"

#define WHATIF_RULES 33u /* the base is one of them */
#define WHATIF_ARMS 16u  /* tapes */

struct whatif_rule {
    char label[160]; /* how it was asked for */
    struct policy policy;
};

struct whatif_case { /* one arm under one rule */
    struct headline_value headlines[HEADLINES];
    enum reason_code withholding; /* the throughput; REASON_NONE: nothing does */
    uint64_t counting;            /* requests that count */
    uint64_t excluded[REASON_CODES];
    struct move *moves; /* against the base, sorted */
    size_t move_count;
    uint64_t in, out, otherwise; /* of them; otherwise: left out for another reason */
};

struct whatif_between {      /* what a rule of several arms says of them all */
    enum reason_code reason; /* REASON_NONE: nothing */
    enum reason_effect effect;
    char seen[REASON_SEEN_BYTES];
};

struct whatif_report {
    struct whatif_rule rules[WHATIF_RULES]; /* the first is the base */
    size_t rule_count;
    const char *tapes[WHATIF_ARMS];
    uint64_t requests[WHATIF_ARMS]; /* planned */
    size_t arm_count;
    struct whatif_case *cases; /* rule by rule, in each arm by arm */
    struct whatif_between between[WHATIF_RULES];
};

/* Judges each run under each rule; they are left as the last one judges them. Needs rules, tapes and their counts.
 * Errors: TT_NOMEM. whatif_free() afterwards in any case. */
enum tt_status whatif_judge(struct whatif_report *r, struct run *const *runs, struct tt_error *err);
const struct whatif_case *whatif_case_of(const struct whatif_report *r, size_t rule, size_t arm);
/* Does this rule, for this reason, take another share from one arm than from another? */
bool whatif_is_uneven(const struct whatif_report *r, size_t rule, enum reason_code reason);
void whatif_free(struct whatif_report *r);

void whatif_write_text(const struct whatif_report *r, struct output *o);
void whatif_write_json(const struct whatif_report *r, struct json_out *json);

#endif
