/* Is a result consistent with itself? For results whose tape is not at hand: every invariant
 * that its generation can carry (result.md section 8), each proven, contradicted, or not
 * provable from this document. What cannot be proven is never counted as proven. */
#ifndef ANALYZER_AUDIT_H
#define ANALYZER_AUDIT_H

#include "artifact.h"
#include "output.h"

#define AUDIT_INVARIANTS 48u
#define AUDIT_TEXT_BYTES 320u

enum audit_verdict { AUDIT_PROVEN, AUDIT_CONTRADICTED, AUDIT_UNPROVABLE };

struct audit_finding {
    enum audit_verdict verdict;
    uint64_t compared, contradictions;
    char text[AUDIT_TEXT_BYTES]; /* the first contradiction by its path, or why nothing can be proven; "" */
};

struct audit_report {
    enum artifact_generation generation;
    bool has_trace; /* of this program, not --schema-exact */
    size_t rows, failures;
    struct audit_finding findings[AUDIT_INVARIANTS]; /* in the order of the list below */
    size_t proven, contradicted, unprovable;
    uint64_t compared; /* values, over all invariants */
};

struct audit; /* private to audit*.c */

enum { AUDIT_NEEDS_ROWS = 1, AUDIT_NEEDS_TRACE = 2, AUDIT_NEEDS_OURS = 4 };

struct audit_invariant {
    const char *id, *meaning;
    const char *source;             /* section of result.md, or of whatever else it follows from */
    enum artifact_generation since; /* the first that carries what it needs */
    unsigned needs;
    const char *before; /* why an older one cannot; NULL: all can */
    void (*check)(struct audit *a);
};

/* The list, AUDIT_INVARIANTS long at most; *n its length. */
const struct audit_invariant *audit_list(size_t *n);
/* `root` has passed artifact_check_document(). Errors: TT_NOMEM. */
enum tt_status audit_result(const struct json_node *root, struct audit_report *out, struct tt_error *err);

const char *audit_verdict_name(enum audit_verdict verdict);
struct audit_totals {
    size_t results, unusable, with_contradictions, rows, proven, contradicted, unprovable;
    uint64_t compared;
};

/* One result: the verdict, each contradiction, what cannot be proven with the reason, what was. */
void audit_write_text(const struct audit_report *report, const char *name, struct output *o);
/* Many: a line for each, and its contradictions. */
void audit_table_head(struct output *o);
void audit_table_row(const struct audit_report *r, const char *name, struct output *o);
void audit_table_totals(const struct audit_totals *t, struct output *o);
void audit_write_json(const struct audit_report *report, const char *name, struct json_out *json);
void audit_list_text(struct output *o);
void audit_list_json(struct json_out *json);

#endif
