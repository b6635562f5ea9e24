/* Pieces of the trace object, private to trace*.c and timeline.c. */
#ifndef ANALYZER_TRACE_PARTS_H
#define ANALYZER_TRACE_PARTS_H

#include "overlap.h"
#include "trace.h"

/* One element of `requests`. */
void trace_write_request(struct json_out *o, const struct run *run, const struct request *r,
                         const struct overlap *overlap);

static inline void trace_put_u64(struct json_out *o, const char *key, uint64_t v)
{
    json_out_key(o, key);
    json_out_u64(o, v);
}

static inline void trace_put_text(struct json_out *o, const char *key, const char *text)
{
    json_out_key(o, key);
    json_out_cstring(o, text);
}

static inline void trace_put_opt_u64(struct json_out *o, const char *key, struct opt_u64 v)
{
    json_out_key(o, key);
    if (v.has)
        json_out_u64(o, v.v);
    else
        json_out_null(o);
}

static inline void trace_put_opt_double(struct json_out *o, const char *key, struct opt_double v)
{
    json_out_key(o, key);
    if (v.has)
        json_out_double(o, v.v);
    else
        json_out_null(o);
}

/* Milliseconds from `since` to `t`; null when either did not happen or they stand the other way round. */
static inline struct opt_double trace_ms(uint64_t t, uint64_t since)
{
    if (t == TAPE_NONE || since == TAPE_NONE || t < since)
        return (struct opt_double){false, 0};
    return (struct opt_double){true, (double)(t - since) / 1e6};
}

#endif
