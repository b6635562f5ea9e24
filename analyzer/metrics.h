/* The `metrics` object (result.md section 5): 11 distributions of 13 statistics
 * and 16 scalars over the rows of the successful requests. The same code serves
 * a tape's result and the recomputation of a published one. */
#ifndef ANALYZER_METRICS_H
#define ANALYZER_METRICS_H

#include "json_out.h"
#include "row.h"
#include "stats.h"

#define METRICS_STATISTICS 13u
#define METRICS_SCALARS 16u
#define METRICS_KEYS (METRICS_DISTRIBUTIONS * METRICS_STATISTICS + METRICS_SCALARS)
#define METRICS_KEY_BYTES 48u

enum metrics_distribution {
    METRICS_TIME_TO_FIRST_OUTPUT,
    METRICS_TTFT,
    METRICS_GENERATION,
    METRICS_E2E,
    METRICS_MEAN_TIME_PER_OUTPUT_TOKEN,
    METRICS_TPOT,
    METRICS_EFFECTIVE_PREFILL_TOK_S,
    METRICS_DECODE_TOK_S,
    METRICS_PROMPT_TOKENS,
    METRICS_COMPLETION_TOKENS,
    METRICS_MEAN_INTER_TOKEN_LATENCY_MS,
    METRICS_DISTRIBUTIONS
};

struct metrics_input {
    const struct row *rows; /* of the successful requests */
    size_t n;
    double wall_clock_ms;
    bool eligible; /* the run may speak of throughput: all succeeded, tape whole */
};

struct metrics {
    struct stats distribution[METRICS_DISTRIBUTIONS];
    uint64_t prompt_token_samples, content_chunks, reasoning_chunks;
    struct opt_u64 prompt_tokens, output_tokens; /* sums; absent when unknown or past 64 bits */
    uint64_t usage_sources, chunk_sources;       /* rows by output_token_source */
    uint64_t canary_samples, canary_passed;
    uint64_t controlled_samples, controlled_exact, controlled_unobservable;
    struct opt_double controlled_exact_rate, throughput_tok_s, content_chunks_s, prefix_cache_hit_avg;
    bool eligible;
};

/* TT_NOMEM. */
enum tt_status metrics_compute(const struct metrics_input *in, struct metrics *out);

enum metrics_type { METRICS_NULL, METRICS_COUNT, METRICS_DOUBLE, METRICS_BOOL, METRICS_SOURCES };

struct metrics_entry {
    char key[METRICS_KEY_BYTES];
    enum metrics_type type;
    uint64_t count; /* METRICS_COUNT, METRICS_BOOL */
    double number;  /* METRICS_DOUBLE, finite */
};

/* Every key with its value, sorted by key. */
void metrics_list(const struct metrics *m, struct metrics_entry out[METRICS_KEYS]);
/* The whole object as a JSON value. */
void metrics_write(const struct metrics *m, struct json_out *o);
/* The object at output_token_sources. */
void metrics_write_sources(const struct metrics *m, struct json_out *o);

#endif
