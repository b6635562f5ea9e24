/* Unsigned integers of a fixed number of 32-bit words, lowest word first. */
#ifndef ANALYZER_BIGINT_H
#define ANALYZER_BIGINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a += b * 2^(32 * at), a -= ...; wraps around at the n-th word of a. */
void bigint_add(uint32_t *a, size_t n, const uint32_t *b, size_t b_n, size_t at);
void bigint_subtract(uint32_t *a, size_t n, const uint32_t *b, size_t b_n, size_t at);
void bigint_negate(uint32_t *a, size_t n);
/* a *= m; the product must fit. */
void bigint_scale(uint32_t *a, size_t n, uint32_t m);
/* a /= d; returns the remainder. */
uint32_t bigint_divide(uint32_t *a, size_t n, uint32_t d);
/* out (2n words) = a^2 */
void bigint_square(const uint32_t *a, size_t n, uint32_t *out);
/* Bits up to the highest one set; 0 for zero. */
unsigned bigint_bits(const uint32_t *a, size_t n);
/* out = floor(a / 2^down), or a * 2^-down when down is negative (what does not fit
 * must be zero). True when ones were shifted out below. */
bool bigint_shift(const uint32_t *a, size_t n, int down, uint32_t *out, size_t out_n);
/* a = floor(sqrt(a)); true when a was not a square. n <= 8. */
bool bigint_root(uint32_t *a, size_t n);
/* (a + sticky) * 2^exponent as a double, half to even; sticky: a bit more than a, less than a + 1. */
double bigint_round(const uint32_t *a, size_t n, bool sticky, int exponent);

#endif
