#include "cursor.h"

#include <assert.h>

#include "limits.h"

static uint64_t get_big_endian(const uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    while (width--)
        v = v << 8 | *p++;
    return v;
}

static void item_set_signed(struct cursor_item *item, int64_t v)
{
    item->type = v < 0 ? CURSOR_INT : CURSOR_UINT;
    item->i = v;
    item->u = (uint64_t)v;
}

static void item_set_float(struct cursor_item *item, uint64_t bits, unsigned width)
{
    item->type = CURSOR_FLOAT;
    if (width == 8) {
        memcpy(&item->f, &bits, 8);
    } else {
        uint32_t narrow = (uint32_t)bits;
        float f;
        memcpy(&f, &narrow, 4);
        item->f = (double)f;
    }
}

static int64_t sign_extend(uint64_t v, unsigned width)
{
    switch (width) {
    case 1:
        return (int8_t)v;
    case 2:
        return (int16_t)v;
    case 4:
        return (int32_t)v;
    default:
        return (int64_t)v;
    }
}

/* What the type bytes c0..df mean. Those not listed (c1 and the extension
 * types) are not part of the tape's msgpack. */
struct head {
    bool known;
    enum cursor_type type;
    unsigned width; /* bytes of value or length behind the type byte */
};

static const struct head heads[32] = {
    [0x00] = {true, CURSOR_NIL, 0},   [0x02] = {true, CURSOR_BOOL, 0},  [0x03] = {true, CURSOR_BOOL, 0},
    [0x04] = {true, CURSOR_BIN, 1},   [0x05] = {true, CURSOR_BIN, 2},   [0x06] = {true, CURSOR_BIN, 4},
    [0x0a] = {true, CURSOR_FLOAT, 4}, [0x0b] = {true, CURSOR_FLOAT, 8}, [0x0c] = {true, CURSOR_UINT, 1},
    [0x0d] = {true, CURSOR_UINT, 2},  [0x0e] = {true, CURSOR_UINT, 4},  [0x0f] = {true, CURSOR_UINT, 8},
    [0x10] = {true, CURSOR_INT, 1},   [0x11] = {true, CURSOR_INT, 2},   [0x12] = {true, CURSOR_INT, 4},
    [0x13] = {true, CURSOR_INT, 8},   [0x19] = {true, CURSOR_STR, 1},   [0x1a] = {true, CURSOR_STR, 2},
    [0x1b] = {true, CURSOR_STR, 4},   [0x1c] = {true, CURSOR_ARRAY, 2}, [0x1d] = {true, CURSOR_ARRAY, 4},
    [0x1e] = {true, CURSOR_MAP, 2},   [0x1f] = {true, CURSOR_MAP, 4},
};

/* A string, array or map of length v whose content starts at `at`. An element
 * takes a byte at least, so more elements than bytes cannot be. */
static enum tt_status take_sized(struct cursor *c, size_t at, struct cursor_item *item, uint64_t v)
{
    size_t left = c->n - at;
    uint64_t least = item->type == CURSOR_MAP ? 2 * v : v;
    if (least > left)
        return TT_TRUNCATED;
    if (item->type == CURSOR_STR || item->type == CURSOR_BIN) {
        item->text = tt_view_of(c->p + at, (size_t)v);
        at += (size_t)v;
    } else {
        item->count = (uint32_t)v;
    }
    c->at = at;
    return TT_OK;
}

static enum tt_status next_wide(struct cursor *c, struct cursor_item *item, unsigned byte)
{
    struct head head = heads[byte - 0xc0];
    if (!head.known)
        return TT_MALFORMED;
    size_t at = c->at + 1;
    if (c->n - at < head.width)
        return TT_TRUNCATED;
    uint64_t v = get_big_endian(c->p + at, head.width);
    at += head.width;
    item->type = head.type;
    switch (head.type) {
    case CURSOR_STR:
    case CURSOR_BIN:
    case CURSOR_ARRAY:
    case CURSOR_MAP:
        return take_sized(c, at, item, v);
    case CURSOR_FLOAT:
        item_set_float(item, v, head.width);
        break;
    case CURSOR_INT:
        item_set_signed(item, sign_extend(v, head.width));
        break;
    case CURSOR_BOOL:
        item->boolean = byte == 0xc3;
        break;
    case CURSOR_UINT:
    case CURSOR_NIL:
        item->u = v;
        break;
    }
    c->at = at;
    return TT_OK;
}

enum tt_status cursor_next(struct cursor *c, struct cursor_item *item)
{
    if (c->at >= c->n)
        return TT_TRUNCATED;
    unsigned byte = c->p[c->at];
    if (byte >= 0xc0 && byte < 0xe0)
        return next_wide(c, item, byte);
    if (byte < 0x80 || byte >= 0xe0) {
        item_set_signed(item, (int8_t)byte);
        c->at++;
        return TT_OK;
    }
    item->type = byte < 0x90 ? CURSOR_MAP : byte < 0xa0 ? CURSOR_ARRAY : CURSOR_STR;
    return take_sized(c, c->at + 1, item, byte < 0xa0 ? byte & 0x0f : byte & 0x1f);
}

enum tt_status cursor_skip(struct cursor *c, unsigned max_nesting)
{
    assert(max_nesting <= TAPE_MAX_NESTING);
    uint64_t left[TAPE_MAX_NESTING + 1] = {1}; /* values still to pass, per depth */
    unsigned depth = 0;
    struct cursor at = *c;
    for (;;) {
        while (left[depth] == 0) {
            if (depth == 0) {
                *c = at;
                return TT_OK;
            }
            depth--;
        }
        left[depth]--;
        struct cursor_item item;
        enum tt_status st = cursor_next(&at, &item);
        if (st != TT_OK)
            return st;
        if (item.type != CURSOR_ARRAY && item.type != CURSOR_MAP)
            continue;
        if (depth == max_nesting)
            return TT_LIMIT;
        left[++depth] = item.type == CURSOR_MAP ? 2 * (uint64_t)item.count : item.count;
    }
}
