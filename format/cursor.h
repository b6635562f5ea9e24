/* Walks msgpack in memory: bounded, allocates nothing, no recursion. Every
 * length and count is checked against the bytes that are there before it is
 * believed. On failure the cursor does not move. */
#ifndef TAPE_CURSOR_H
#define TAPE_CURSOR_H

#include "bytes.h"
#include "status.h"

struct cursor {
    const uint8_t *p;
    size_t n, at;
};

enum cursor_type {
    CURSOR_NIL,
    CURSOR_BOOL,
    CURSOR_UINT,
    CURSOR_INT, /* negative integers only */
    CURSOR_FLOAT,
    CURSOR_STR,
    CURSOR_BIN,
    CURSOR_ARRAY, /* only the header was taken; `count` elements follow */
    CURSOR_MAP    /* only the header was taken; `count` pairs follow */
};

struct cursor_item {
    enum cursor_type type;
    bool boolean;
    uint32_t count;
    uint64_t u;
    int64_t i;
    double f;
    struct tt_view text;
};

static inline struct cursor cursor_of(struct tt_view v)
{
    return (struct cursor){v.p, v.n, 0};
}

/* Takes one scalar or one container header.
 * Errors (without text): TT_TRUNCATED, TT_MALFORMED (extension types, byte c1). */
enum tt_status cursor_next(struct cursor *c, struct cursor_item *item);

/* Passes over one whole value that nests at most `max_nesting` containers deep.
 * Errors: as above, TT_LIMIT when it nests deeper. max_nesting <= TAPE_MAX_NESTING. */
enum tt_status cursor_skip(struct cursor *c, unsigned max_nesting);

#endif
