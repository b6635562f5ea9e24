/* What a tape brought per second over its last few seconds, by its own times. */
#ifndef ANALYZER_RATE_H
#define ANALYZER_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_SLOT_NS 500000000ull
#define RATE_SLOTS 10u /* so the last 5 s count */

struct traffic {
    uint64_t reads, bytes, events;
};

struct rate { /* starts zeroed */
    bool begun;
    uint64_t first_ns; /* when the first of it came */
    uint64_t newest;   /* number of the slot that was begun last */
    struct traffic slots[RATE_SLOTS];
};

/* What came at a time. Times need not ascend; what is older than the slots is passed over. */
void rate_add(struct rate *r, uint64_t time_ns, const struct traffic *more);
/* Sum of the slots up to `to_ns`, the last recorded time, and in *span_ns the time that they stand
 * for: from the first of all on at the earliest. False for a span under 0.1 s, which says nothing. */
bool rate_sum(struct rate *r, uint64_t to_ns, struct traffic *sum, uint64_t *span_ns);

#endif
