/* Where two JSON documents differ: every place once, by path, in the order of sorted
 * keys. The first document is the one that is judged (`claimed`), the second says what
 * it should be (`ours`). Elements of an array that carry a request_index are told apart
 * by it, so that one row that is missing is one difference and not a difference in
 * every row behind it. */
#ifndef ANALYZER_DIFF_TREE_H
#define ANALYZER_DIFF_TREE_H

#include "json_tree.h"

#define DIFF_PATH_BYTES 256u
/* As jq writes it, without the first dot: metrics.e2e_p50_ms, request_timings[3].e2e_ms. */
struct diff_path {
    char text[DIFF_PATH_BYTES];
    size_t n;
};

enum diff_kind {
    DIFF_VALUE,   /* both have it, and it is not the same */
    DIFF_MISSING, /* only `ours` has it */
    DIFF_EXTRA,   /* only `claimed` has it */
    DIFF_ORDER    /* the same keys or requests stand in another order */
};

struct diff_entry {
    enum diff_kind kind;
    const char *path;                       /* valid during the call; an index counts in `claimed` where that has it */
    const struct json_node *claimed, *ours; /* NULL: absent there */
    const struct json_node *request;        /* request_index of the innermost element that has one, or NULL */
};

struct diff_options {
    bool by_value; /* numbers are compared as what they mean, and the order of keys is free */
    bool peers;    /* neither judges the other: what lacks a counterpart is not compared with what stands in
                      its place, and an order is another one only when it is not that of the other */
    uint64_t ulp;  /* by_value: two doubles this far apart are the same; integers never are */
    void (*each)(void *user, const struct diff_entry *e);
    void *user;
};

/* Counts the scalars compared (on both sides) into *compared. TT_NOMEM. */
enum tt_status diff_trees(const struct json_node *claimed, const struct json_node *ours,
                          const struct diff_options *options, uint64_t *compared, struct tt_error *err);

/* The same below a path and a request that are already known. */
enum tt_status diff_subtrees(const struct diff_path *path, const struct json_node *request,
                             const struct json_node *claimed, const struct json_node *ours,
                             const struct diff_options *options, uint64_t *compared, struct tt_error *err);

/* The node at a path, NULL when there is none. False when `path` is not written as one. */
bool diff_path_find(const struct json_node *root, const char *path, const struct json_node **out);
/* Is `path` the place that `outer` names, or inside it? */
bool diff_path_covers(const char *outer, const char *path);

/* How many doubles lie between two finite ones; 0 for the same value (and for 0.0 and -0.0). */
uint64_t diff_ulps(double a, double b);

#define DIFF_VALUE_BYTES 88u
/* A value on one line: text as JSON, cut where it is long; containers by their size. Returns out. */
const char *diff_value_text(const struct json_node *n, char out[DIFF_VALUE_BYTES]);
/* Of two texts that differ, the part in which they do. */
void diff_value_texts(const struct json_node *a, const struct json_node *b, char out_a[DIFF_VALUE_BYTES],
                      char out_b[DIFF_VALUE_BYTES]);

#endif
