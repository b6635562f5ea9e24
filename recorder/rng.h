/* CPython's random.Random(seed).random(): MT19937, seeded by init_by_array with
 * |seed| as little-endian 32-bit words (result.md section 1). */
#ifndef RECORDER_RNG_H
#define RECORDER_RNG_H

#include "../format/status.h"

#define RNG_WORDS 624

struct rng {
    uint32_t state[RNG_WORDS];
    unsigned next;
};

/* `seed` is canonical decimal text of any length, a leading '-' is ignored as Python does. Errors: TT_NOMEM. */
enum tt_status rng_seed(struct rng *r, const char *seed, struct tt_error *err);

/* Next draw, 0 <= u < 1, 53 random bits. */
double rng_random(struct rng *r);

#endif
