/* Exact sums of doubles in fixed memory. A finite double is an integer times
 * 2^-1074, so sums and sums of squares are plain big integers; only a result is
 * rounded, once, half to even. No floating-point operation takes part. */
#ifndef ANALYZER_EXACT_H
#define ANALYZER_EXACT_H

#include <stddef.h>
#include <stdint.h>

/* At most this many values, so that carries have their room. */
#define EXACT_MAX_VALUES UINT32_MAX

#define EXACT_SUM_WORDS 68u     /* 2098 bits of a double + 32 of the count + sign */
#define EXACT_SQUARE_WORDS 136u /* 4196 bits of a square + 2 * 32 of the count */

struct exact_sum {                  /* starts zeroed */
    uint32_t word[EXACT_SUM_WORDS]; /* two's complement, lowest first, unit 2^-1074 */
};

struct exact_moments { /* starts zeroed */
    struct exact_sum sum;
    uint32_t square[EXACT_SQUARE_WORDS]; /* unit 2^-2148 */
    uint32_t n;
};

void exact_sum_add(struct exact_sum *s, double v); /* v finite */
/* The sum divided by n > 0, rounded once; n == 1 gives the sum. Infinite when no double holds it. */
double exact_sum_divide(const struct exact_sum *s, uint32_t n);

void exact_moments_add(struct exact_moments *m, double v); /* v finite */
/* sqrt((n * sum(v^2) - sum(v)^2) / (n * (n - 1))), rounded once; 0.0 below two values. */
double exact_moments_stddev(const struct exact_moments *m);

#endif
