/* Exact statistics (result.md section 5). Results are the same bits on every
 * machine: sums and deviations are computed exactly and rounded once. */
#ifndef ANALYZER_STATS_H
#define ANALYZER_STATS_H

#include "../format/status.h"
#include <stddef.h>

struct stats {
    uint64_t samples; /* 0: everything else is null */
    double mean, stddev, mean_ci95_low, mean_ci95_high, min, p25, p50, p75, p90, p95, p99, max;
};

/* Correctly rounded sum of finite doubles (round half to even). */
double stats_sum(const double *values, size_t n);
/* Correctly rounded mean: the exact sum divided by n > 0, rounded once. (`mean` below is
 * the rounded sum divided by n, as in the published artifacts.) */
double stats_mean(const double *values, size_t n);
/* Sample standard deviation (n-1), exact and rounded once after the root; 0.0 for n == 1. */
double stats_stddev(const double *values, size_t n);
void stats_sort(double *values, size_t n); /* ascending, in place */
/* Nearest rank: sorted[max(0, ceil(q*n/100) - 1)]. */
double stats_percentile(const double *sorted, size_t n, unsigned q);
/* Everything above; sorts `values` in place. Values are finite; where a result passes the
 * largest double it is infinite (no tape can get there, an artifact made by hand can). */
enum tt_status stats_compute(double *values, size_t n, struct stats *out);

#endif
