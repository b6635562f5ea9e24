/* Holds what was recorded against what the null endpoint says it sent when: the error of each event is the time of
 * the read that brought its last byte minus the stamp in it. Watches the records on their way to the tape, in the
 * writer thread, so that the thread that reads does what it does in any run. Exact: every error is kept. */
#ifndef RECORDER_WITNESS_H
#define RECORDER_WITNESS_H

#include "stamp.h"

#define WITNESS_MOST_EVENTS ((uint64_t)1 << 24) /* 8 bytes each */

struct witness; /* opaque */

/* For `streams` requests numbered from 0, `events` in each. NULL: no memory. */
struct witness *witness_create(uint32_t streams, uint32_t events, const struct stamp_base *base);
void witness_free(struct witness *w); /* accepts NULL */

/* sink_options.seen. */
void witness_see(void *witness, const struct tape_record *rec);

enum { WITNESS_P50, WITNESS_P90, WITNESS_P99, WITNESS_P99_9, WITNESS_MAX, WITNESS_MARKS };

struct witness_sum {
    uint64_t expected, events, reads, lost_reads;
    uint64_t early;              /* recorded before they were sent: the clocks of two CPUs differ */
    uint64_t ns[WITNESS_MARKS];  /* nearest rank; 0 without events */
    uint64_t over_1ms, over_5ms; /* events */
    uint64_t span_ns;            /* from the first to the last of them, as recorded */
    uint64_t cpu_ns;             /* of this process, all threads, between the two */
};

/* When nothing is on its way any more. Sorts. */
void witness_sum(struct witness *w, struct witness_sum *out);

#endif
