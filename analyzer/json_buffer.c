#include "json_buffer.h"

#include <stdlib.h>

#define FIRST_BYTES 4096u

static bool grow(struct json_buffer *b, size_t more)
{
    size_t cap = b->cap ? b->cap : FIRST_BYTES;
    while (cap - b->n < more && cap <= SIZE_MAX / 2)
        cap *= 2;
    uint8_t *bytes = cap - b->n >= more ? realloc(b->bytes, cap) : NULL;
    if (!bytes)
        return false;
    b->bytes = bytes;
    b->cap = cap;
    return true;
}

uint8_t *json_buffer_extend(struct json_buffer *b, size_t n)
{
    if (b->dead || (b->cap - b->n < n && !grow(b, n))) {
        b->dead = true;
        return NULL;
    }
    b->n += n;
    return b->bytes + (b->n - n);
}

void json_buffer_put(struct json_buffer *b, const void *p, size_t n)
{
    uint8_t *at = n ? json_buffer_extend(b, n) : NULL;
    if (at)
        memcpy(at, p, n);
}
