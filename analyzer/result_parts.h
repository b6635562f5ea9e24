/* Pieces of the result document, private to result*.c. */
#ifndef ANALYZER_RESULT_PARTS_H
#define ANALYZER_RESULT_PARTS_H

#include "json_put.h"
#include "result.h"

/* An element of request_timings, and response_timing of a failure. */
void result_write_row(struct json_out *o, const struct run *run, const struct request *r, const struct row *row);
void result_write_failure(struct json_out *o, const struct run *run, const struct request *r);
/* The objects of these names. */
void result_write_metric_population(struct json_out *o, const struct run *run, const struct metrics *m);
void result_write_sampling(struct json_out *o, const struct run_options *options);
void result_write_serve_flags(struct json_out *o, const struct run_options *options);
void result_write_timing_methodology(struct json_out *o);
/* Targets of the measured requests, counted. TT_NOMEM. */
enum tt_status result_write_context_distribution(struct json_out *o, const struct run *run);

#endif
