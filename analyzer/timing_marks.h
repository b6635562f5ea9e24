/* The five marks by which lags and errors are told: nearest rank, sorted[ceil(q * n) - 1]. */
#ifndef ANALYZER_TIMING_MARKS_H
#define ANALYZER_TIMING_MARKS_H

#include <stddef.h>

#include "lag.h"

enum { TIMING_P50, TIMING_P90, TIMING_P99, TIMING_P99_9, TIMING_MAX, TIMING_MARKS };

struct timing_marks {
    uint64_t n;
    uint64_t ns[TIMING_MARKS]; /* without samples: 0 */
};

/* "max", "p50" and so on; of per mille, the rank. */
const char *timing_mark_name(unsigned mark);
/* Of these values, which get sorted. */
void timing_marks_of(uint64_t *values, size_t n, struct timing_marks *out);
/* Up to a 64th of themselves, as the histogram keeps them; max is exact. */
void timing_marks_of_lags(const struct lag_histogram *h, struct timing_marks *out);

#endif
