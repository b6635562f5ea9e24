#include "timing_marks.h"

#include <stdlib.h>

static const unsigned per_mille[TIMING_MARKS] = {500, 900, 990, 999, 1000};

const char *timing_mark_name(unsigned mark)
{
    static const char *const names[TIMING_MARKS] = {"p50", "p90", "p99", "p99_9", "max"};
    return names[mark];
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void timing_marks_of(uint64_t *values, size_t n, struct timing_marks *out)
{
    *out = (struct timing_marks){.n = n};
    qsort(values, n, sizeof *values, compare);
    for (unsigned i = 0; n > 0 && i < TIMING_MARKS; i++)
        out->ns[i] = values[(n / 1000 * per_mille[i]) + (n % 1000 * per_mille[i] + 999) / 1000 - 1];
}

void timing_marks_of_lags(const struct lag_histogram *h, struct timing_marks *out)
{
    *out = (struct timing_marks){.n = h->samples};
    for (unsigned i = 0; i < TIMING_MARKS; i++)
        out->ns[i] = lag_quantile(h, per_mille[i]);
}
