/* Two results of one tape, made by other analyzers or under other policies: what differs,
 * and what explains it. A rule may move a request between rows and failures; what it measured
 * of a request it may not change, and every number over the rows has to follow from them. */
#ifndef ANALYZER_DIFF_H
#define ANALYZER_DIFF_H

#include "artifact.h"
#include "audit.h"
#include "difference.h"
#include "headline.h"
#include "move.h"

enum diff_class {
    DIFF_RULE,        /* what the two say of how they were made */
    DIFF_FORM,        /* a field that one of two makers does not write */
    DIFF_MOVED,       /* a request stands elsewhere */
    DIFF_HEADLINE,    /* a number that is quoted */
    DIFF_DERIVED,     /* follows from the ones above */
    DIFF_UNEXPLAINED, /* follows from nothing that the two say */
    DIFF_CLASSES
};

struct diff_maker {       /* of a result; "" where it does not say */
    char analyzer[40];    /* trace.analyzer_version */
    char policy[160];     /* trace.policy: its name, and what was changed in it */
    char fingerprint[24]; /* of its rules */
    char limits[80];      /* trace.timing.client_limited: what is taken for the client's own */
    enum artifact_generation generation;
};

/* A result whose aggregates do not follow from its own rows explains nothing with them. */
struct diff_contradiction {
    unsigned side; /* 0: the first, 1: the second */
    const char *invariant;
    char text[AUDIT_TEXT_BYTES];
};

struct diff_report {
    bool one_tape;    /* proven: both name the same head */
    char head[65];    /* that one, or "" */
    bool same_makers; /* both say who they are, and it is the same: nothing may differ */
    struct diff_maker makers[2];
    uint64_t compared, differences; /* not masked */
    uint64_t counts[DIFF_CLASSES];  /* of the differences */
    struct masks masks;
    struct difference_list told, derived, unexplained; /* told: DIFF_RULE and DIFF_FORM */
    struct headline_value headlines[2][HEADLINES];
    bool headline_differs[HEADLINES];
    struct move *moves; /* sorted; behind them those of which only other reasons are noted, sorted too */
    size_t move_count, noted_count;
    struct diff_contradiction contradictions[2 * AUDIT_INVARIANTS];
    size_t contradiction_count;
};

struct diff_names { /* of the files, as given */
    const char *of[2];
};

/* Are they of one tape? TT_FOREIGN, saying what is the same and what is not. *proven, *head: as above. */
enum tt_status diff_same_tape(const struct json_node *const roots[2], const struct diff_names *names, bool *proven,
                              char head[65], struct tt_error *err);

/* Both have passed artifact_check_document(). Errors: TT_FOREIGN (of two tapes), TT_MALFORMED (a request
 * stands in one of them twice), TT_LIMIT, TT_NOMEM. diff_free() afterwards in any case. */
enum tt_status diff_results(const struct json_node *const roots[2], const struct diff_names *names,
                            const struct difference_options *options, struct diff_report *out, struct tt_error *err);
void diff_free(struct diff_report *report);

void diff_write_text(const struct diff_report *report, const struct diff_names *names,
                     const struct difference_options *options, bool verbose, struct output *o);
void diff_write_json(const struct diff_report *report, const struct diff_names *names,
                     const struct difference_options *options, struct json_out *json);

#endif
