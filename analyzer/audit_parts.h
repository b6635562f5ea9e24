/* Inside of the audit: shared by audit*.c alone. */
#ifndef ANALYZER_AUDIT_PARTS_H
#define ANALYZER_AUDIT_PARTS_H

#include "audit.h"
#include "reason_code.h"
#include "metrics.h"
#include "reason.h"

#define AUDIT_PLACE_BYTES 64u

struct audit {
    const struct json_node *root;
    enum artifact_generation generation;
    bool ours; /* written by this program, as its clock says: trace or not */
    const struct json_node *rows, *failures, *metrics, *trace; /* NULL: not there, or of another type */
    uint64_t requests;
    struct policy policy; /* that it claims to be judged under; `capacity` where it names none */
    bool names_policy, knows_policy;
    struct artifact artifact; /* its rows, when they could be read */
    bool readable;
    struct metrics computed; /* from the rows */
    struct tt_error error;
    struct audit_finding *finding; /* of the invariant at work */
    enum tt_status status;         /* TT_NOMEM ends the audit */
};

/* ---- what an invariant says; all count into a->finding ---- */

/* Returns `holds`. Otherwise the text names the place, what stands there and what should. */
bool audit_expect(struct audit *a, bool holds, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Part of it, or all, cannot be proven here; the first reason is kept. */
void audit_cannot(struct audit *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The member `key` of `object`, called place.key, has to be this; an absent one is the business of the
 * form. `place` "": the top level. */
void audit_expect_count(struct audit *a, const char *place, const struct json_node *object, const char *key,
                        uint64_t want);
void audit_expect_double(struct audit *a, const char *place, const struct json_node *object, const char *key,
                         struct opt_double want);
void audit_expect_bool(struct audit *a, const char *place, const struct json_node *object, const char *key, bool want);
void audit_expect_text(struct audit *a, const char *place, const struct json_node *object, const char *key,
                       const char *want);
/* A text has to be one of these; the list ends with NULL. */
void audit_expect_word(struct audit *a, const char *place, const struct json_node *object, const char *key,
                       const char *const *words);
/* Both are there and differ anywhere: `path` is that of x, `other` that of y. */
void audit_expect_same(struct audit *a, const char *path, const struct json_node *x, const char *other,
                       const struct json_node *y);

/* ---- reading ---- */

bool audit_is(const struct json_node *object, const char *key, enum json_token type);
bool audit_true(const struct json_node *object, const char *key);
bool audit_text_is(const struct json_node *object, const char *key, const char *text);
/* Absent, null and odd values are no count. */
struct opt_u64 audit_count(const struct json_node *object, const char *key);
struct opt_double audit_double(const struct json_node *object, const char *key);
/* request_timings[3] and the like. Returns out. */
const char *audit_place(char out[AUDIT_PLACE_BYTES], const char *array, size_t index);

/* It stands among the reasons of a request of the trace. */
bool audit_has_reason(const struct json_node *request, enum reason_code code);
/* A request of the trace with its row, or its failure: what came has its time, and what has a time came. */
void audit_answer(struct audit *a, const char *place, const struct json_node *r, const struct json_node *told,
                  bool is_row);

/* Calls `each` for every row of a success and every response_timing of a failure. */
void audit_each_timing(struct audit *a,
                       void (*each)(struct audit *a, const char *place, const struct json_node *row, bool success));

/* ---- the policy ---- */

void audit_open_policy(struct audit *a);
/* Is it known that the policy excludes for this reason? */
bool audit_excludes(const struct audit *a, enum reason_code code);
/* Is it known that every row passed its canary, or the controlled output of a strict run? */
bool audit_canaries_count(const struct audit *a);
bool audit_words_count(const struct audit *a);
/* Of a failure; FAILURE_NONE: none that there is. */
enum failure_class audit_class_of(const struct json_node *failure);
/* Is it the class of a failure for this reason? Of one without a 2xx no stream is judged. */
bool audit_class_fits(const struct reason_entry *e, enum failure_class class, const struct json_node *failure);
/* The reasons of one request; `failure` NULL: it succeeded. */
void audit_reasons(struct audit *a, const char *place, const struct json_node *reasons,
                   const struct json_node *failure);

/* ---- the invariants ---- */

void audit_form_keys(struct audit *a);
void audit_form_order(struct audit *a);
void audit_form_numbers(struct audit *a);
void audit_counts(struct audit *a);
void audit_indexes(struct audit *a);
void audit_contexts(struct audit *a);
void audit_responses(struct audit *a);
void audit_rows_formulas(struct audit *a);
void audit_rows_times(struct audit *a);
void audit_rows_tokens(struct audit *a);
void audit_rows_success(struct audit *a);
void audit_rows_nanoseconds(struct audit *a);
void audit_protocol(struct audit *a);
void audit_canary(struct audit *a);
void audit_controlled(struct audit *a);
void audit_distributions(struct audit *a);
void audit_sums(struct audit *a);
void audit_metrics_order(struct audit *a);
void audit_throughput(struct audit *a);
void audit_cache_hits(struct audit *a);
void audit_population(struct audit *a);
void audit_p99(struct audit *a);
void audit_eligibility(struct audit *a);
void audit_labels(struct audit *a);
void audit_wall(struct audit *a);
void audit_settings(struct audit *a);
void audit_sampling(struct audit *a);
void audit_serve_flags(struct audit *a);
void audit_methodology(struct audit *a);
void audit_failures_class(struct audit *a);
void audit_failures_timing(struct audit *a);
void audit_trace_accounts(struct audit *a);
void audit_trace_requests(struct audit *a);
void audit_trace_policy(struct audit *a);
void audit_trace_rows(struct audit *a);
void audit_trace_times(struct audit *a);
void audit_trace_tape(struct audit *a);
void audit_trace_connections(struct audit *a);
void audit_trace_overlap(struct audit *a);
void audit_trace_warnings(struct audit *a);
void audit_trace_timing(struct audit *a);

#endif
