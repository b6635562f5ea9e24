#include "rng.h"

#include <stdlib.h>
#include <string.h>

#define MT_M 397

static void seed_word(struct rng *r, uint32_t seed)
{
    r->state[0] = seed;
    for (uint32_t i = 1; i < RNG_WORDS; i++)
        r->state[i] = 1812433253u * (r->state[i - 1] ^ (r->state[i - 1] >> 30)) + i;
    r->next = RNG_WORDS;
}

/* Matsumoto and Nishimura, init_by_array of mt19937ar.c (2002), the form CPython keeps. */
static void seed_array(struct rng *r, const uint32_t *key, size_t n)
{
    uint32_t *mt = r->state;
    seed_word(r, 19650218u);
    size_t i = 1, j = 0;
    for (size_t k = n > RNG_WORDS ? n : RNG_WORDS; k > 0; k--) {
        mt[i] = (mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1664525u)) + key[j] + (uint32_t)j;
        if (++i >= RNG_WORDS) {
            mt[0] = mt[RNG_WORDS - 1];
            i = 1;
        }
        if (++j >= n)
            j = 0;
    }
    for (size_t k = RNG_WORDS - 1; k > 0; k--) {
        mt[i] = (mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1566083941u)) - (uint32_t)i;
        if (++i >= RNG_WORDS) {
            mt[0] = mt[RNG_WORDS - 1];
            i = 1;
        }
    }
    mt[0] = 0x80000000u;
}

/* Decimal text to base 2^32, least word first. Returns the number of words, at least 1. */
static size_t words_from_decimal(const char *digits, uint32_t *words)
{
    size_t n = 1;
    words[0] = 0;
    for (const char *p = digits; *p; p++) {
        uint64_t carry = (uint64_t)(*p - '0');
        for (size_t i = 0; i < n; i++) {
            carry += (uint64_t)words[i] * 10;
            words[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry)
            words[n++] = (uint32_t)carry;
    }
    return n;
}

enum tt_status rng_seed(struct rng *r, const char *seed, struct tt_error *err)
{
    const char *digits = seed + (*seed == '-');
    /* A word holds more than nine digits. */
    uint32_t *words = calloc(strlen(digits) / 9 + 2, sizeof *words);
    if (!words)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the seed");
    size_t n = words_from_decimal(digits, words);
    seed_array(r, words, n);
    free(words);
    return TT_OK;
}

static void refill(struct rng *r)
{
    uint32_t *mt = r->state;
    for (unsigned i = 0; i < RNG_WORDS; i++) {
        uint32_t y = (mt[i] & 0x80000000u) | (mt[(i + 1) % RNG_WORDS] & 0x7fffffffu);
        mt[i] = mt[(i + MT_M) % RNG_WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    r->next = 0;
}

static uint32_t next_word(struct rng *r)
{
    if (r->next >= RNG_WORDS)
        refill(r);
    uint32_t y = r->state[r->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

double rng_random(struct rng *r)
{
    uint32_t a = next_word(r) >> 5, b = next_word(r) >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}
