/* The JSON result of a run (result.md sections 4 to 7): the 41 keys of the
 * published schema, and `trace`. */
#ifndef ANALYZER_RESULT_H
#define ANALYZER_RESULT_H

#include "json_out.h"
#include "metrics.h"
#include "model.h"

struct result_options {
    bool schema_exact; /* leave `trace` out */
};

/* Writes the whole document and its newline. The run has been judged.
 * Errors: TT_NOMEM; TT_MALFORMED when a success has no times to make a row of. */
enum tt_status result_write(const struct run *run, const struct result_options *options, struct json_out *out,
                            struct tt_error *err);

/* Rows of the successful requests, by index; the caller frees *rows. */
enum tt_status result_rows(const struct run *run, struct row **rows, size_t *n, struct tt_error *err);
/* The metrics of the successful requests: what `metrics` holds, for other views of a run. */
enum tt_status result_metrics(const struct run *run, struct metrics *m, struct tt_error *err);
/* From run_start to run_end, or to the last recorded time. */
double result_wall_clock_ms(const struct run *run);
/* capacity-v4-reasoning when a request that counts streamed reasoning, else capacity-v3. */
const char *result_measurement_protocol(const struct metrics *m);
/* Rows, and failures with a response. */
uint64_t result_responses_received(const struct run *run);
/* "request_error" and so on; NULL for FAILURE_NONE. */
const char *result_failure_class_name(enum failure_class failure);
/* The sentence of timing_methodology with this key, or NULL; and how many there are. */
const char *result_methodology_text(const char *key);
size_t result_methodology_texts(void);

#endif
