/* Pieces of the result document, private to result*.c. */
#ifndef ANALYZER_RESULT_PARTS_H
#define ANALYZER_RESULT_PARTS_H

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

static inline void result_put_text(struct json_out *o, const char *key, const char *text)
{
    json_out_key(o, key);
    json_out_cstring(o, text);
}

static inline void result_put_u64(struct json_out *o, const char *key, uint64_t v)
{
    json_out_key(o, key);
    json_out_u64(o, v);
}

static inline void result_put_bool(struct json_out *o, const char *key, bool v)
{
    json_out_key(o, key);
    json_out_bool(o, v);
}

static inline void result_put_opt_u64(struct json_out *o, const char *key, struct opt_u64 v)
{
    json_out_key(o, key);
    if (v.has)
        json_out_u64(o, v.v);
    else
        json_out_null(o);
}

static inline void result_put_opt_double(struct json_out *o, const char *key, struct opt_double v)
{
    json_out_key(o, key);
    if (v.has)
        json_out_double(o, v.v);
    else
        json_out_null(o);
}

static inline void result_put_double(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    json_out_double(o, v);
}

#endif
