/* Reads the rows out of a published result (result.md section 8). Artifacts come
 * in generations; what a generation does not store cannot be recomputed from it. */
#ifndef ANALYZER_ARTIFACT_H
#define ANALYZER_ARTIFACT_H

#include "json_tree.h"
#include "row.h"

#define ARTIFACT_SCHEMA "anvil-serving.benchmark/v1"
#define ARTIFACT_MAX_ROWS 65536u

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

/* Errors: TT_MALFORMED (a field is missing, of another type or not finite), TT_VERSION
 * (another schema), TT_LIMIT, TT_NOMEM. artifact_free() afterwards in any case. */
enum tt_status artifact_read(struct artifact *out, const struct json_node *root, struct tt_error *err);
void artifact_free(struct artifact *a);

/* One object of request_timings, or response_timing of a failure. `where` names it in errors. */
enum tt_status artifact_read_row(struct row *row, const struct json_node *node, const char *where,
                                 struct tt_error *err);
const char *artifact_generation_name(enum artifact_generation generation);

#endif
