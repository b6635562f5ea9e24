/* Borrowed views and little-endian integers, byte by byte: no struct is ever
 * dumped, so the file is the same on every machine. */
#ifndef TAPE_BYTES_H
#define TAPE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A pointer with a length: borrowed, valid until the next call on the object
 * that gave it. p == NULL means "nil" where a field may be nil. */
struct tt_view {
    const uint8_t *p;
    size_t n;
};

static inline struct tt_view tt_view_of(const void *p, size_t n)
{
    return (struct tt_view){(const uint8_t *)p, n};
}

static inline struct tt_view tt_view_str(const char *s)
{
    return s ? tt_view_of(s, strlen(s)) : tt_view_of(NULL, 0);
}

static inline bool tt_view_equal(struct tt_view v, const char *s)
{
    return v.p && v.n == strlen(s) && memcmp(v.p, s, v.n) == 0;
}

static inline void tt_put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void tt_put_u32(uint8_t *p, uint32_t v)
{
    tt_put_u16(p, (uint16_t)v);
    tt_put_u16(p + 2, (uint16_t)(v >> 16));
}

static inline void tt_put_u64(uint8_t *p, uint64_t v)
{
    tt_put_u32(p, (uint32_t)v);
    tt_put_u32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t tt_get_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | (unsigned)p[1] << 8);
}

static inline uint32_t tt_get_u32(const uint8_t *p)
{
    return (uint32_t)tt_get_u16(p) | (uint32_t)tt_get_u16(p + 2) << 16;
}

static inline uint64_t tt_get_u64(const uint8_t *p)
{
    return (uint64_t)tt_get_u32(p) | (uint64_t)tt_get_u32(p + 4) << 32;
}

#endif
