/* What a tape says of the recorder and its host beside the requests: reads and their lag, late turns, clocks, HOST.
 * Fed record by record, in constant memory. */
#ifndef ANALYZER_TIMING_TALLY_H
#define ANALYZER_TIMING_TALLY_H

#include <stdbool.h>

#include "../format/record.h"
#include "lag.h"

#define TIMING_STEP_NS 20000u /* a move of the wall clock beyond this, and what its reading is off by, is a step */
#define TIMING_RATE_NS 1000000000ull /* rates are told over so long at least */

/* A counter that only grows: first and last value told. */
struct timing_counter {
    uint64_t first, last; /* TAPE_NONE: never told */
};

/* All clocks at one moment, from a CLOCK. */
struct timing_moment {
    uint64_t time_ns, raw_ns, realtime_ns, boottime_ns, width_ns;
};

struct timing_clock {
    uint64_t records;
    struct timing_moment first, last;
    uint64_t steps;
    int64_t greatest_step_ns;    /* by its amount */
    int64_t stepped_ns;          /* all of them together */
    struct timing_moment before; /* where the stretch in hand began, over which a rate will be told */
    bool has_rate;
    double least_ppm, most_ppm;
};

struct timing_tally {
    struct lag_histogram lag;                            /* of reads with a kernel time */
    uint64_t reads, turns, turn, turn_reads, most_reads; /* of measured requests; turns: with reads in them */
    uint64_t late_turns, late_greatest_ns, late_total_ns;
    struct timing_clock clock;
    uint64_t hosts, greatest_gap_ns, ring_high_water_bytes; /* TAPE_NONE: not told */
    struct timing_counter steal, throttled, pressure, voluntary, involuntary;
};

void timing_tally_begin(struct timing_tally *t);
/* A read of a measured request, each once: not a further piece of it. */
void timing_tally_read(struct timing_tally *t, int64_t lag_ns, uint64_t turn);
/* TURN, CLOCK, HOST; any other is passed over. */
void timing_tally_record(struct timing_tally *t, const struct tape_record *rec);

/* How much it grew. False: it was not told twice. */
bool timing_counter_growth(const struct timing_counter *c, uint64_t *growth);
/* How long the machine slept, and the monotonic clock with it, from the first CLOCK to the last: 0 when that is no more
 * than what the reading of the clocks is off by. */
int64_t timing_clock_slept_ns(const struct timing_clock *c);
/* Rate of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW, 0: alike; and what the reading of both may add to or take
 * from it. False: there are no two CLOCKs TIMING_RATE_NS apart. */
bool timing_clock_rate(const struct timing_clock *c, double *ppm, double *uncertainty_ppm);

#endif
