#include "exact.h"
#include "bigint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define UNIT_EXPONENT (-1074)
/* Enough for the root of a quotient: 53 bits and some, whatever n is. */
#define RADICAND_BITS 190
#define RADICAND_WORDS 6u

/* |v| = mantissa * 2^(shift - 1074) */
static uint64_t mantissa_of(double v, unsigned *shift)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    unsigned biased = (unsigned)(bits >> 52) & 0x7ff;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    assert(biased != 0x7ff);
    *shift = biased ? biased - 1 : 0;
    return biased ? fraction | UINT64_C(1) << 52 : fraction;
}

void exact_sum_add(struct exact_sum *s, double v)
{
    unsigned shift;
    uint64_t mantissa = mantissa_of(v, &shift);
    uint64_t low = (mantissa & UINT32_MAX) << shift % 32, high = (mantissa >> 32) << shift % 32;
    uint64_t middle = (low >> 32) + (high & UINT32_MAX);
    const uint32_t piece[3] = {(uint32_t)low, (uint32_t)middle, (uint32_t)((high >> 32) + (middle >> 32))};
    if (signbit(v))
        bigint_subtract(s->word, EXACT_SUM_WORDS, piece, 3, shift / 32);
    else
        bigint_add(s->word, EXACT_SUM_WORDS, piece, 3, shift / 32);
}

/* *magnitude = |s|; true when s is negative. */
static bool sum_magnitude(const struct exact_sum *s, uint32_t magnitude[EXACT_SUM_WORDS])
{
    bool negative = s->word[EXACT_SUM_WORDS - 1] >> 31;
    memcpy(magnitude, s->word, sizeof s->word);
    if (negative)
        bigint_negate(magnitude, EXACT_SUM_WORDS);
    return negative;
}

double exact_sum_divide(const struct exact_sum *s, uint32_t n)
{
    enum { GUARD = 96, WORDS = EXACT_SUM_WORDS + GUARD / 32 }; /* 64 bits stay behind 32 of n */
    uint32_t magnitude[EXACT_SUM_WORDS], wide[WORDS];
    assert(n > 0);
    bool negative = sum_magnitude(s, magnitude);
    bigint_shift(magnitude, EXACT_SUM_WORDS, -GUARD, wide, WORDS);
    bool sticky = bigint_divide(wide, WORDS, n) != 0;
    double v = bigint_round(wide, WORDS, sticky, UNIT_EXPONENT - GUARD);
    return negative ? -v : v;
}

void exact_moments_add(struct exact_moments *m, double v)
{
    unsigned shift;
    uint64_t mantissa = mantissa_of(v, &shift);
    const uint32_t half[3] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32), 0};
    uint32_t square[6], piece[6];
    bigint_square(half, 3, square);
    bigint_shift(square, 6, -(int)(2 * shift % 32), piece, 6);
    bigint_add(m->square, EXACT_SQUARE_WORDS, piece, 6, 2 * shift / 32);
    exact_sum_add(&m->sum, v);
    assert(m->n < EXACT_MAX_VALUES);
    m->n++;
}

/* n * sum(v^2) - sum(v)^2, never negative (Cauchy and Schwarz). */
static void scaled_variance(const struct exact_moments *m, uint32_t out[EXACT_SQUARE_WORDS])
{
    uint32_t magnitude[EXACT_SUM_WORDS], square[2 * EXACT_SUM_WORDS];
    sum_magnitude(&m->sum, magnitude);
    bigint_square(magnitude, EXACT_SUM_WORDS, square);
    memcpy(out, m->square, sizeof m->square);
    bigint_scale(out, EXACT_SQUARE_WORDS, m->n);
    bigint_subtract(out, EXACT_SQUARE_WORDS, square, 2 * EXACT_SUM_WORDS, 0);
}

double exact_moments_stddev(const struct exact_moments *m)
{
    uint32_t numerator[EXACT_SQUARE_WORDS], radicand[RADICAND_WORDS];
    if (m->n < 2)
        return 0.0;
    scaled_variance(m, numerator);
    unsigned bits = bigint_bits(numerator, EXACT_SQUARE_WORDS);
    if (bits == 0)
        return 0.0;
    /* An even shift halves to a whole exponent behind the root. */
    int down = ((int)bits - RADICAND_BITS) & ~1;
    bool sticky = bigint_shift(numerator, EXACT_SQUARE_WORDS, down, radicand, RADICAND_WORDS);
    sticky |= bigint_divide(radicand, RADICAND_WORDS, m->n) != 0;
    sticky |= bigint_divide(radicand, RADICAND_WORDS, m->n - 1) != 0;
    sticky |= bigint_root(radicand, RADICAND_WORDS);
    return bigint_round(radicand, RADICAND_WORDS, sticky, UNIT_EXPONENT + down / 2);
}
