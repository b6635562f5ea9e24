/* A histogram of read lags in constant memory: buckets grow with the value, so
 * that a quantile is exact up to 1/64 of itself (and exact below 64 ns). */
#ifndef ANALYZER_LAG_H
#define ANALYZER_LAG_H

#include <stdint.h>

#define LAG_SUB_BUCKETS 64u
#define LAG_BUCKETS (LAG_SUB_BUCKETS * 36u) /* up to 2^41 ns = 37 min; more counts in the last */

struct lag_histogram { /* starts zeroed */
    uint64_t samples, max_ns;
    uint64_t buckets[LAG_BUCKETS];
};

/* A negative lag (the clocks disagree by their reading error) counts as 0. */
void lag_add(struct lag_histogram *h, int64_t lag_ns);
/* Least upper bucket edge that at least so many of a thousand samples do not pass; 0 without samples. */
uint64_t lag_quantile(const struct lag_histogram *h, unsigned per_mille);

#endif
