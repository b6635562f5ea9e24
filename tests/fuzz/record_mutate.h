/* Changes records in a decompressed block: whole ones, their fields, values inside their maps. What comes
 * out is mostly still msgpack, so it gets past the grammar to what the grammar does not say. */
#ifndef FUZZ_RECORD_MUTATE_H
#define FUZZ_RECORD_MUTATE_H

#include "mutate.h"

/* One change to raw[0, *n), which has room for `cap` bytes. */
void record_mutate(struct mutate_rng *rng, uint8_t *raw, size_t *n, size_t cap);

#endif
