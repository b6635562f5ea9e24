#include "record_walk.h"

#include "limits.h"

static bool is_scalar(enum cursor_type type)
{
    return type != CURSOR_ARRAY && type != CURSOR_MAP;
}

/* May an element stand at place `i` of a container of this type? */
static enum tt_status check_element(const struct cursor_item *item, enum field_type type, uint64_t i)
{
    if (!is_scalar(item->type))
        return TT_MALFORMED;
    if ((item->type == CURSOR_STR || item->type == CURSOR_BIN) && item->text.n > TAPE_MAX_STRING_BYTES)
        return TT_LIMIT;
    if (type == FIELD_REQUESTS)
        return item->type != CURSOR_UINT ? TT_MALFORMED : item->u < TAPE_MAX_REQUESTS ? TT_OK : TT_LIMIT;
    if (type == FIELD_HEADERS || i % 2 == 0)
        return item->type == CURSOR_STR ? TT_OK : TT_MALFORMED;
    return TT_OK;
}

enum tt_status record_walk_packed(struct cursor *c, enum field_type type)
{
    struct cursor at = *c;
    struct cursor_item item;
    enum tt_status st = cursor_next(&at, &item);
    if (st != TT_OK)
        return st;
    if (item.type != (type == FIELD_MAP ? CURSOR_MAP : CURSOR_ARRAY))
        return TT_MALFORMED;
    uint64_t count = type == FIELD_MAP ? 2 * (uint64_t)item.count : item.count;
    if (type != FIELD_REQUESTS && count > 2 * TAPE_MAX_MAP_ENTRIES)
        return TT_LIMIT;
    if (type == FIELD_HEADERS && count % 2)
        return TT_MALFORMED;
    for (uint64_t i = 0; i < count; i++) {
        st = cursor_next(&at, &item);
        if (st == TT_OK)
            st = check_element(&item, type, i);
        if (st != TT_OK)
            return st;
    }
    *c = at;
    return TT_OK;
}

enum tt_status record_check_packed(struct tt_view packed, enum field_type type)
{
    struct cursor c = cursor_of(packed);
    enum tt_status st = record_walk_packed(&c, type);
    if (st == TT_OK && c.at != c.n)
        st = TT_MALFORMED;
    return st == TT_OK || st == TT_LIMIT ? st : TT_USAGE;
}

static void scalar_from(const struct cursor_item *item, struct tape_scalar *value)
{
    static const enum tape_scalar_type types[] = {
        [CURSOR_NIL] = TAPE_NIL,     [CURSOR_BOOL] = TAPE_BOOL, [CURSOR_UINT] = TAPE_UINT, [CURSOR_INT] = TAPE_INT,
        [CURSOR_FLOAT] = TAPE_FLOAT, [CURSOR_STR] = TAPE_STR,   [CURSOR_BIN] = TAPE_BIN,
    };
    *value = (struct tape_scalar){.type = types[item->type]};
    switch (item->type) {
    case CURSOR_BOOL:
        value->boolean = item->boolean;
        break;
    case CURSOR_UINT:
        value->u = item->u;
        break;
    case CURSOR_INT:
        value->i = item->i;
        break;
    case CURSOR_FLOAT:
        value->f = item->f;
        break;
    case CURSOR_STR:
    case CURSOR_BIN:
        value->text = item->text;
        break;
    default:
        break;
    }
}

/* Before the first element: checks the whole container once and passes its head. */
static enum tt_status walk_begin(struct cursor *c, enum cursor_type type, struct tt_error *err)
{
    struct cursor whole = *c;
    enum tt_status st = cursor_skip(&whole, 1);
    struct cursor_item item;
    if (st == TT_OK)
        st = cursor_next(c, &item);
    if (st == TT_OK && (item.type != type || whole.at != whole.n))
        st = TT_MALFORMED;
    return st == TT_OK ? st : tt_fail(err, st, TT_NO_OFFSET, "not a packed %s", type == CURSOR_MAP ? "map" : "array");
}

static enum tt_status walk_scalar(struct cursor *c, struct tape_scalar *value, struct tt_error *err)
{
    struct cursor_item item;
    enum tt_status st = cursor_next(c, &item);
    if (st == TT_OK && !is_scalar(item.type))
        st = TT_MALFORMED;
    if (st != TT_OK)
        return tt_fail(err, st, TT_NO_OFFSET, "an element is not a scalar");
    scalar_from(&item, value);
    return TT_OK;
}

enum tt_status tape_map_next(const struct tape_map *map, size_t *cursor, struct tt_view *key, struct tape_scalar *value,
                             struct tt_error *err)
{
    struct cursor c = {map->packed.p, map->packed.n, *cursor};
    enum tt_status st = TT_OK;
    if (!map->packed.p)
        return TT_END;
    if (c.at == 0)
        st = walk_begin(&c, CURSOR_MAP, err);
    if (st != TT_OK)
        return st;
    if (c.at >= c.n)
        return TT_END;
    struct cursor_item item;
    st = cursor_next(&c, &item);
    if (st != TT_OK || item.type != CURSOR_STR)
        return tt_fail(err, st == TT_OK ? TT_MALFORMED : st, TT_NO_OFFSET, "a map key is not a text");
    *key = item.text;
    st = walk_scalar(&c, value, err);
    if (st == TT_OK)
        *cursor = c.at;
    return st;
}

enum tt_status tape_map_find(const struct tape_map *map, const char *key, struct tape_scalar *value,
                             struct tt_error *err)
{
    size_t at = 0;
    struct tt_view found;
    for (;;) {
        enum tt_status st = tape_map_next(map, &at, &found, value, err);
        if (st != TT_OK || tt_view_equal(found, key))
            return st;
    }
}

enum tt_status tape_array_next(struct tt_view packed, size_t *cursor, struct tape_scalar *value, struct tt_error *err)
{
    struct cursor c = {packed.p, packed.n, *cursor};
    enum tt_status st = TT_OK;
    if (!packed.p)
        return TT_END;
    if (c.at == 0)
        st = walk_begin(&c, CURSOR_ARRAY, err);
    if (st != TT_OK)
        return st;
    if (c.at >= c.n)
        return TT_END;
    st = walk_scalar(&c, value, err);
    if (st == TT_OK)
        *cursor = c.at;
    return st;
}
