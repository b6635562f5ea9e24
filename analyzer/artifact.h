/* Reads the rows out of a published result (result.md section 8). Artifacts come
 * in generations; what a generation does not store cannot be recomputed from it. */
#ifndef ANALYZER_ARTIFACT_H
#define ANALYZER_ARTIFACT_H

#include "json_tree.h"
#include "row.h"

#define ARTIFACT_SCHEMA "anvil-serving.benchmark/v1"
#define ARTIFACT_MAX_ROWS 65536u
#define ARTIFACT_MAX_BYTES ((size_t)256 << 20)

enum artifact_generation {
    ARTIFACT_NO_ROWS,   /* early July: aggregates only */
    ARTIFACT_FROM_TTFT, /* July v3: no first output, generation and prefill are counted from TTFT */
    ARTIFACT_AUGUST,    /* first output, reasoning chunks; p50 and p95 only */
    ARTIFACT_SEPTEMBER, /* distributions of 13 statistics */
    ARTIFACT_MODERN,    /* eligibility, typed failures */
    ARTIFACT_NEWEST     /* sampling */
};

struct artifact {
    enum artifact_generation generation;
    uint64_t requests; /* attempted */
    double wall_clock_ms;
    bool eligible; /* for throughput: as many rows as requests; before the modern generation always */
    size_t n;
    struct row *rows;                  /* owned; derived fields computed, not read */
    const struct json_node *row_nodes; /* first element of request_timings, n of them; borrowed from the tree */
    const struct json_node *metrics;   /* borrowed from the tree */
};

/* Loads a file as a result: strict JSON without doubled keys, an object of ARTIFACT_SCHEMA, every
 * number one that a double or 64 bits can hold (context_seed alone may be longer). Memory is at most
 * the file twice and JSON_TREE_MAX_NODES nodes of 96 bytes. Errors, with the file's name in front:
 * TT_IO, TT_LIMIT, TT_MALFORMED, TT_VERSION (another schema), TT_NOMEM. */
enum tt_status artifact_load(struct json_tree **out, const char *path, struct tt_error *err);
enum tt_status artifact_check_document(const struct json_node *root, struct tt_error *err);

enum artifact_heads {
    ARTIFACT_HEADS_UNKNOWN, /* one of the two has no trace */
    ARTIFACT_HEADS_SAME,
    ARTIFACT_HEADS_DIFFER
};

/* Do two documents speak of one run? By the tape's id and head; without a trace by run_id and the
 * start: one field that differs is a difference, all of them are another run: TT_FOREIGN, with both. */
enum tt_status artifact_same_run(const struct json_node *a, const struct json_node *b, enum artifact_heads *heads,
                                 struct tt_error *err);

/* Errors: TT_MALFORMED (a field is missing, of another type or not finite), TT_VERSION
 * (another schema), TT_LIMIT, TT_NOMEM. artifact_free() afterwards in any case. */
enum tt_status artifact_read(struct artifact *out, const struct json_node *root, struct tt_error *err);
void artifact_free(struct artifact *a);

/* One object of request_timings, or response_timing of a failure. `where` names it in errors. */
enum tt_status artifact_read_row(struct row *row, const struct json_node *node, const char *where,
                                 struct tt_error *err);
enum artifact_generation artifact_generation_of(const struct json_node *root);
const char *artifact_generation_name(enum artifact_generation generation);

#endif
