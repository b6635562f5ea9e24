/* Pieces of the trace object, private to trace*.c and timeline.c. */
#ifndef ANALYZER_TRACE_PARTS_H
#define ANALYZER_TRACE_PARTS_H

#include "json_put.h"
#include "overlap.h"
#include "trace.h"

/* One element of `requests`. */
void trace_write_request(struct json_out *o, const struct run *run, const struct request *r,
                         const struct overlap *overlap);

/* `timing`, key and all. TT_NOMEM. */
enum tt_status trace_write_timing(struct json_out *o, const struct run *run);

/* Milliseconds from `since` to `t`; null when either did not happen or they stand the other way round. */
static inline struct opt_double trace_ms(uint64_t t, uint64_t since)
{
    if (t == TAPE_NONE || since == TAPE_NONE || t < since)
        return (struct opt_double){false, 0};
    return (struct opt_double){true, (double)(t - since) / 1e6};
}

#endif
