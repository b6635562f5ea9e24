#include "stats.h"
#include "exact.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

double stats_sum(const double *values, size_t n)
{
    struct exact_sum sum = {{0}};
    assert(n <= EXACT_MAX_VALUES);
    for (size_t i = 0; i < n; i++)
        exact_sum_add(&sum, values[i]);
    return exact_sum_divide(&sum, 1);
}

double stats_mean(const double *values, size_t n)
{
    struct exact_sum sum = {{0}};
    assert(n > 0 && n <= EXACT_MAX_VALUES);
    for (size_t i = 0; i < n; i++)
        exact_sum_add(&sum, values[i]);
    return exact_sum_divide(&sum, (uint32_t)n);
}

double stats_stddev(const double *values, size_t n)
{
    struct exact_moments moments = {.n = 0};
    assert(n <= EXACT_MAX_VALUES);
    for (size_t i = 0; i < n; i++)
        exact_moments_add(&moments, values[i]);
    return exact_moments_stddev(&moments);
}

double stats_percentile(const double *sorted, size_t n, unsigned q)
{
    assert(n > 0 && q <= 100);
    uint64_t rank = ((uint64_t)n * q + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
}

enum tt_status stats_compute(double *values, size_t n, struct stats *out)
{
    *out = (struct stats){.samples = n};
    if (n == 0)
        return TT_OK;
    stats_sort(values, n);
    out->mean = stats_sum(values, n) / (double)n;
    out->stddev = stats_stddev(values, n);
    double margin = 1.96 * out->stddev / sqrt((double)n);
    out->mean_ci95_low = out->mean - margin;
    out->mean_ci95_high = out->mean + margin;
    out->min = values[0];
    out->p25 = stats_percentile(values, n, 25);
    out->p50 = stats_percentile(values, n, 50);
    out->p75 = stats_percentile(values, n, 75);
    out->p90 = stats_percentile(values, n, 90);
    out->p95 = stats_percentile(values, n, 95);
    out->p99 = stats_percentile(values, n, 99);
    out->max = values[n - 1];
    return TT_OK;
}
