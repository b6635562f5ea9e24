/* Which measured requests were in flight together, by an exact sweep over
 * integer nanoseconds. In flight: from START to DONE (to the last recorded time
 * where the tape ends first). In prefill: from START to the first output, or to
 * the end of the call when none came. Half-open intervals: a request that ends
 * at the instant another starts does not overlap it. */
#ifndef ANALYZER_OVERLAP_H
#define ANALYZER_OVERLAP_H

#include "model.h"
#include "row.h"

struct overlap {
    uint64_t wall_ns;       /* run_start to its end */
    struct opt_double mean; /* time-weighted requests in flight over wall_ns */
    uint64_t max;
    struct opt_double full_share;     /* of wall_ns with at least `concurrency` in flight */
    size_t count;                     /* = run->count */
    uint64_t *in_flight_at_start;     /* per request, itself included; 0: never started */
    struct opt_double *prefill_share; /* per request, of its generation interval (first output to the stream's end) */
};

/* TT_NOMEM. overlap_free() afterwards in any case. */
enum tt_status overlap_compute(const struct run *run, struct overlap *out);
void overlap_free(struct overlap *o);

#endif
