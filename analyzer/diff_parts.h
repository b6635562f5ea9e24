/* Inside of diff: shared by diff*.c alone. */
#ifndef ANALYZER_DIFF_PARTS_H
#define ANALYZER_DIFF_PARTS_H

#include "diff.h"

/* Where one request stands in each of the two. */
struct diff_request {
    const struct json_node *row[2], *failure[2], *trace[2]; /* NULL: not there */
    size_t row_at[2], failure_at[2];                        /* its place in that list */
    bool touched;                                           /* a difference says that it moved */
};

struct diff_requests {
    struct diff_request *at; /* by request_index */
    size_t n;
    bool rows_moved;  /* a request is a row in one of the two alone */
    bool rows_differ; /* or says something else where it is one in both */
    bool causes_move; /* or fails for another reason */
};

/* TT_MALFORMED (a request twice), TT_LIMIT, TT_NOMEM. diff_requests_free() in any case. */
enum tt_status diff_requests_read(struct diff_requests *r, const struct json_node *const roots[2],
                                  const struct diff_names *names, struct tt_error *err);
/* Compares the rows of both, by `options` without telling. TT_NOMEM. */
enum tt_status diff_requests_compare(struct diff_requests *r, const struct difference_options *options,
                                     struct tt_error *err);
/* NULL for a number that no element has. */
struct diff_request *diff_requests_get(const struct diff_requests *r, const struct json_node *request_index);
/* Do class or type of the two failures differ? */
bool diff_request_fails_otherwise(const struct diff_request *r);
/* The touched ones: those that moved, then those of which only other reasons are noted. TT_NOMEM. */
enum tt_status diff_requests_moves(const struct diff_requests *r, struct diff_report *report, struct tt_error *err);
void diff_requests_free(struct diff_requests *r);

/* What explains this difference? Marks the request that it moves. */
enum diff_class diff_classify(const struct diff_report *report, struct diff_requests *requests,
                              const struct diff_entry *e);

#endif
