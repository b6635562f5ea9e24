/* Seeded mutation of bytes: the same seed gives the same bytes on every machine. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mutate_rng {
    uint32_t state; /* not 0 */
};

static inline struct mutate_rng mutate_rng_of(uint32_t seed)
{
    return (struct mutate_rng){seed ? seed : 20240607u};
}

/* A number below `below` (which is not 0): xorshift32, of Marsaglia's "Xorshift RNGs", 2003. */
static inline uint32_t mutate_draw(struct mutate_rng *rng, uint32_t below)
{
    rng->state ^= rng->state << 13;
    rng->state ^= rng->state >> 17;
    rng->state ^= rng->state << 5;
    return rng->state % below;
}

/* Bytes that mean something: ends of ranges, type bytes of msgpack. */
static inline uint8_t mutate_telling_byte(struct mutate_rng *rng)
{
    static const uint8_t telling[] = {0,    1,    0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1,
                                      0xc4, 0xc6, 0xca, 0xcf, 0xd3, 0xd9, 0xdb, 0xdd, 0xdf, 0xff};
    return telling[mutate_draw(rng, sizeof(telling))];
}

/* One to four changes at random places of p[0, *n), which has room for `cap` bytes: a bit flipped, a byte
 * set, bytes taken out, said twice, set all alike. Nothing happens to an empty string. */
static inline void mutate_bytes(struct mutate_rng *rng, uint8_t *p, size_t *n, size_t cap)
{
    for (uint32_t i = mutate_draw(rng, 4) + 1; i && *n; i--) {
        size_t at = mutate_draw(rng, (uint32_t)*n);
        size_t span = mutate_draw(rng, 12) + 1;
        span = span < *n - at ? span : *n - at;
        switch (mutate_draw(rng, 5)) {
        case 0:
            p[at] ^= (uint8_t)(1 << mutate_draw(rng, 8));
            break;
        case 1:
            p[at] = mutate_telling_byte(rng);
            break;
        case 2:
            if (*n > span + 1) {
                memmove(p + at, p + at + span, *n - at - span);
                *n -= span;
            }
            break;
        case 3:
            if (*n + span <= cap) {
                memmove(p + at + span, p + at, *n - at);
                *n += span;
            }
            break;
        default:
            memset(p + at, mutate_telling_byte(rng), span);
        }
    }
}

#endif
