/* Does a result follow from a tape? Recomputes it and compares every field. */
#ifndef ANALYZER_CHECK_H
#define ANALYZER_CHECK_H

#include "artifact.h"
#include "diff_tree.h"
#include "model.h"
#include "output.h"

#define CHECK_MASKS 64u
#define CHECK_KEPT 1000u /* differences kept to be shown; all are counted */

struct check_options {
    const char *const *masked; /* paths, each with all below it */
    size_t masked_count;
    bool by_value; /* a foreign producer: numbers by value, order of keys free */
    uint64_t ulp;
};

struct check_difference {
    enum diff_kind kind;
    char path[DIFF_PATH_BYTES];
    bool has_request;
    uint64_t request; /* request_index of the element it is in */
    char claimed[DIFF_VALUE_BYTES], ours[DIFF_VALUE_BYTES];
    bool is_number; /* both are, and at least one is a double */
    uint64_t ulps;
};

struct check_mask {
    const char *path;
    bool exists;          /* in one of the two */
    uint64_t differences; /* hidden by it */
};

struct check_report {
    uint64_t compared;    /* values */
    uint64_t differences; /* not masked */
    uint64_t masked;      /* differences under a mask */
    struct check_difference *kept;
    size_t kept_count;
    struct check_mask masks[CHECK_MASKS];
    size_t mask_count;
    enum artifact_heads heads;
    char made_by[40];      /* the claimed trace.analyzer_version; "" without one */
    bool other_version;    /* and it is not ours */
    uint64_t version_only; /* 1: trace.analyzer_version is the only difference */
};

/* Is it written as a path? TT_USAGE naming it. */
enum tt_status check_mask_valid(const char *path, struct tt_error *err);
/* The run has been judged. Errors: TT_FOREIGN (of another run), TT_NOMEM, TT_MALFORMED (the tape has no
 * result). check_free() afterwards in any case. */
enum tt_status check_result(const struct run *run, const struct json_node *claimed, const struct check_options *options,
                            struct check_report *out, struct tt_error *err);
void check_free(struct check_report *report);

struct check_names { /* of the files, as given */
    const char *tape, *result;
};
void check_write_text(const struct check_report *report, const struct run *run, const struct check_names *names,
                      const struct check_options *options, struct output *o);
void check_write_json(const struct check_report *report, const struct run *run, const struct check_names *names,
                      const struct check_options *options, struct json_out *json);

#endif
