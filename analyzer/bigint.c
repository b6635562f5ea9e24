#include "bigint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ROOT_MAX_WORDS 8u
#define DOUBLE_BITS 53
#define DOUBLE_LOWEST (-1074) /* exponent of the lowest bit of a subnormal */

void bigint_add(uint32_t *a, size_t n, const uint32_t *b, size_t b_n, size_t at)
{
    uint64_t carry = 0;
    for (size_t i = 0; at + i < n && (i < b_n || carry); i++) {
        carry += (uint64_t)a[at + i] + (i < b_n ? b[i] : 0);
        a[at + i] = (uint32_t)carry;
        carry >>= 32;
    }
}

void bigint_subtract(uint32_t *a, size_t n, const uint32_t *b, size_t b_n, size_t at)
{
    uint64_t borrow = 0;
    for (size_t i = 0; at + i < n && (i < b_n || borrow); i++) {
        uint64_t take = (i < b_n ? b[i] : 0) + borrow;
        borrow = a[at + i] < take;
        a[at + i] = (uint32_t)(a[at + i] - take);
    }
}

void bigint_negate(uint32_t *a, size_t n)
{
    const uint32_t one = 1;
    for (size_t i = 0; i < n; i++)
        a[i] = ~a[i];
    bigint_add(a, n, &one, 1, 0);
}

void bigint_scale(uint32_t *a, size_t n, uint32_t m)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        carry += (uint64_t)a[i] * m;
        a[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert(carry == 0);
}

uint32_t bigint_divide(uint32_t *a, size_t n, uint32_t d)
{
    uint64_t rest = 0;
    for (size_t i = n; i-- > 0;) {
        rest = rest << 32 | a[i];
        a[i] = (uint32_t)(rest / d);
        rest %= d;
    }
    return (uint32_t)rest;
}

void bigint_square(const uint32_t *a, size_t n, uint32_t *out)
{
    memset(out, 0, 2 * n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; a[i] && j < n; j++) {
            carry += (uint64_t)a[i] * a[j] + out[i + j];
            out[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out[i + n] = (uint32_t)carry;
    }
}

unsigned bigint_bits(const uint32_t *a, size_t n)
{
    while (n > 0 && a[n - 1] == 0)
        n--;
    if (n == 0)
        return 0;
    unsigned bits = 0;
    for (uint32_t top = a[n - 1]; top; top >>= 1)
        bits++;
    return (unsigned)(n - 1) * 32 + bits;
}

/* 32 bits of a from bit `at` on, which may lie below or above a. */
static uint32_t word_at(const uint32_t *a, size_t n, long at)
{
    long word = at >= 0 ? at / 32 : -((31 - at) / 32);
    unsigned bit = (unsigned)(at - word * 32);
    uint64_t low = word >= 0 && word < (long)n ? a[word] : 0;
    uint64_t high = word + 1 >= 0 && word + 1 < (long)n ? a[word + 1] : 0;
    return (uint32_t)((high << 32 | low) >> bit);
}

bool bigint_shift(const uint32_t *a, size_t n, int down, uint32_t *out, size_t out_n)
{
    bool lost = false;
    for (long bit = 0; bit < down && bit < (long)n * 32 && !lost; bit += 32) {
        uint32_t word = word_at(a, n, bit);
        lost = (down - bit < 32 ? word & ((1u << (down - bit)) - 1) : word) != 0;
    }
    for (size_t i = 0; i < out_n; i++)
        out[i] = word_at(a, n, (long)i * 32 + down);
    return lost;
}

static int compare(const uint32_t *a, const uint32_t *b, size_t n)
{
    while (n-- > 0)
        if (a[n] != b[n])
            return a[n] < b[n] ? -1 : 1;
    return 0;
}

/* One binary digit of the root at a time, as one does it on paper. */
bool bigint_root(uint32_t *a, size_t n)
{
    assert(n <= ROOT_MAX_WORDS);
    uint32_t root[ROOT_MAX_WORDS] = {0}, trial[ROOT_MAX_WORDS];
    unsigned bits = bigint_bits(a, n);
    for (unsigned bit = bits ? (bits - 1) & ~1u : 0;; bit -= 2) {
        const uint32_t one = (uint32_t)1 << bit % 32;
        memcpy(trial, root, sizeof trial);
        bigint_add(trial, n, &one, 1, bit / 32);
        bool fits = compare(a, trial, n) >= 0;
        if (fits)
            bigint_subtract(a, n, trial, n, 0);
        bigint_shift(root, n, 1, root, n);
        if (fits)
            bigint_add(root, n, &one, 1, bit / 32);
        if (bit == 0)
            break;
    }
    bool rest = bigint_bits(a, n) != 0;
    memcpy(a, root, n * sizeof *a);
    return rest;
}

double bigint_round(const uint32_t *a, size_t n, bool sticky, int exponent)
{
    int drop = (int)bigint_bits(a, n) - DOUBLE_BITS;
    if (drop < DOUBLE_LOWEST - exponent)
        drop = DOUBLE_LOWEST - exponent;
    if (drop <= 0) { /* every bit of a has its place; then nothing may be below it */
        assert(!sticky);
        drop = 0;
    }
    uint32_t kept[2], half[2];
    bool below = false;
    uint64_t mantissa;
    bigint_shift(a, n, drop, kept, 2);
    mantissa = (uint64_t)kept[1] << 32 | kept[0];
    if (drop > 0) {
        below = bigint_shift(a, n, drop - 1, half, 2) || sticky;
        if ((half[0] & 1) && (below || (mantissa & 1)))
            mantissa++;
    }
    return ldexp((double)mantissa, exponent + drop); /* exact, or infinite */
}
