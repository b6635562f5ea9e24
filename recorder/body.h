/* A request body, shared by the transfer that sends it and the writer that keeps it:
 * whoever lets go last frees it. */
#ifndef RECORDER_BODY_H
#define RECORDER_BODY_H

#include <stdatomic.h>
#include <stdlib.h>

#include "../format/bytes.h"

struct body {
    atomic_uint references;
    uint8_t *bytes;
    size_t n;
    uint8_t sha256[32];
};

/* Takes `bytes` (malloc'd), also on failure. One reference. NULL: no memory. */
static inline struct body *body_take(uint8_t *bytes, size_t n, const uint8_t sha256[32])
{
    struct body *b = malloc(sizeof(*b));
    if (!b) {
        free(bytes);
        return NULL;
    }
    atomic_init(&b->references, 1);
    b->bytes = bytes;
    b->n = n;
    memcpy(b->sha256, sha256, 32);
    return b;
}

static inline struct body *body_hold(struct body *b)
{
    atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed);
    return b;
}

static inline void body_release(struct body *b)
{
    if (!b || atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) != 1)
        return;
    free(b->bytes);
    free(b);
}

#endif
