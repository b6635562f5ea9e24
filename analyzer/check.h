/* Does a result follow from a tape? Recomputes it and compares every field. */
#ifndef ANALYZER_CHECK_H
#define ANALYZER_CHECK_H

#include "artifact.h"
#include "difference.h"
#include "model.h"

struct check_report {
    uint64_t compared;           /* values */
    struct difference_list list; /* not masked */
    struct masks masks;
    enum artifact_heads heads;
    bool names_policy;     /* the result has a trace.policy */
    char made_by[40];      /* the claimed trace.analyzer_version; "" without one */
    bool other_version;    /* and it is not ours */
    uint64_t version_only; /* 1: trace.analyzer_version is the only difference */
};

/* The limit that the claimed result says it was made with; where it says none, `limit` stays. */
void check_claimed_limit(const struct json_node *claimed, struct client_limit *limit);
/* The run has been judged, under the policy that the result claims (policy_of_result). Errors: TT_FOREIGN (of another
 * run), TT_NOMEM, TT_MALFORMED (the tape has no result). check_free() afterwards in any case. */
enum tt_status check_result(const struct run *run, const struct json_node *claimed,
                            const struct difference_options *options, struct check_report *out, struct tt_error *err);
void check_free(struct check_report *report);

struct check_names { /* of the files, as given */
    const char *tape, *result;
};
void check_write_text(const struct check_report *report, const struct run *run, const struct check_names *names,
                      const struct difference_options *options, struct output *o);
void check_write_json(const struct check_report *report, const struct run *run, const struct check_names *names,
                      const struct difference_options *options, struct json_out *json);

#endif
