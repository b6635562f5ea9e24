#include "record_layout.h"

#include <assert.h>

#include "cursor.h"
#include "limits.h"
#include "record_walk.h"

static enum tt_status take_u64(struct cursor *c, uint8_t *at, enum field_type type)
{
    struct cursor_item item;
    enum tt_status st = cursor_next(c, &item);
    if (st != TT_OK)
        return st;
    uint64_t v = TAPE_NONE;
    if (item.type == CURSOR_UINT)
        v = item.u;
    else if (item.type != CURSOR_NIL || type != FIELD_U64_NIL)
        return TT_MALFORMED;
    /* The one number that stands for nil cannot be a value. */
    if (item.type == CURSOR_UINT && v == TAPE_NONE)
        return TT_LIMIT;
    if (type == FIELD_REQUEST && v >= TAPE_MAX_REQUESTS)
        return TT_LIMIT;
    memcpy(at, &v, sizeof(v));
    return TT_OK;
}

static enum tt_status take_bool(struct cursor *c, uint8_t *at)
{
    struct cursor_item item;
    enum tt_status st = cursor_next(c, &item);
    if (st != TT_OK)
        return st;
    if (item.type != CURSOR_BOOL)
        return TT_MALFORMED;
    memcpy(at, &item.boolean, sizeof(item.boolean));
    return TT_OK;
}

static enum tt_status take_lag(struct cursor *c, uint8_t *at)
{
    struct cursor_item item;
    enum tt_status st = cursor_next(c, &item);
    if (st != TT_OK)
        return st;
    int64_t v = TAPE_LAG_NONE;
    if (item.type == CURSOR_UINT && item.u > INT64_MAX)
        return TT_LIMIT;
    if (item.type == CURSOR_UINT)
        v = (int64_t)item.u;
    else if (item.type == CURSOR_INT)
        v = item.i;
    else if (item.type != CURSOR_NIL)
        return TT_MALFORMED;
    memcpy(at, &v, sizeof(v));
    return TT_OK;
}

static bool may_be_nil(enum field_type type)
{
    return type == FIELD_STR_NIL || type == FIELD_BIN_NIL || type == FIELD_HASH_NIL;
}

static enum tt_status take_text(struct cursor *c, uint8_t *at, const struct record_field *field)
{
    struct cursor_item item;
    enum tt_status st = cursor_next(c, &item);
    if (st != TT_OK)
        return st;
    bool is_str = field->type == FIELD_STR || field->type == FIELD_STR_NIL;
    struct tt_view v = {NULL, 0};
    if (item.type == (is_str ? CURSOR_STR : CURSOR_BIN))
        v = item.text;
    else if (item.type != CURSOR_NIL || !may_be_nil(field->type))
        return TT_MALFORMED;
    if (v.n > field->max_bytes)
        return TT_LIMIT;
    if ((field->type == FIELD_HASH || field->type == FIELD_HASH_NIL) && v.p && v.n != RECORD_HASH_BYTES)
        return TT_MALFORMED;
    memcpy(at, &v, sizeof(v));
    return TT_OK;
}

static enum tt_status take_packed(struct cursor *c, uint8_t *at, const struct record_field *field)
{
    size_t start = c->at;
    enum tt_status st = record_walk_packed(c, field->type);
    if (st != TT_OK)
        return st;
    struct tt_view v = tt_view_of(c->p + start, c->at - start);
    if (v.n > field->max_bytes)
        return TT_LIMIT;
    memcpy(at, &v, sizeof(v));
    return TT_OK;
}

/* An array of at least six numbers; sets *present to whether it is there. */
static enum tt_status take_numbers(struct cursor *c, uint64_t out[RECORD_TIMERS], bool may_miss, bool *present)
{
    struct cursor_item item;
    enum tt_status st = cursor_next(c, &item);
    if (st != TT_OK)
        return st;
    *present = item.type == CURSOR_ARRAY;
    if (item.type == CURSOR_NIL && may_miss)
        return TT_OK;
    if (item.type != CURSOR_ARRAY || item.count < RECORD_TIMERS)
        return TT_MALFORMED;
    for (uint32_t i = 0; i < item.count && st == TT_OK; i++)
        st = i < RECORD_TIMERS ? take_u64(c, (uint8_t *)&out[i], FIELD_U64_NIL) : cursor_skip(c, 1);
    return st;
}

static enum tt_status take_timers(struct cursor *c, uint8_t *at)
{
    uint64_t v[RECORD_TIMERS] = {0};
    bool present;
    enum tt_status st = take_numbers(c, v, false, &present);
    struct tape_timers timers = {v[0], v[1], v[2], v[3], v[4], v[5]};
    memcpy(at, &timers, sizeof(timers));
    return st;
}

static enum tt_status take_tcp(struct cursor *c, uint8_t *at)
{
    uint64_t v[RECORD_TIMERS] = {0};
    bool present = false;
    enum tt_status st = take_numbers(c, v, true, &present);
    struct tape_tcp tcp = {present, v[0], v[1], v[2], v[3], v[4], v[5]};
    memcpy(at, &tcp, sizeof(tcp));
    return st;
}

static enum tt_status take_field(struct cursor *c, struct tape_record *rec, const struct record_field *field)
{
    uint8_t *at = (uint8_t *)rec + field->at;
    switch (field->type) {
    case FIELD_U64:
    case FIELD_U64_NIL:
    case FIELD_REQUEST:
        return take_u64(c, at, field->type);
    case FIELD_BOOL:
        return take_bool(c, at);
    case FIELD_LAG:
        return take_lag(c, at);
    case FIELD_MAP:
    case FIELD_HEADERS:
    case FIELD_REQUESTS:
        return take_packed(c, at, field);
    case FIELD_TIMERS:
        return take_timers(c, at);
    case FIELD_TCP_NIL:
        return take_tcp(c, at);
    default:
        return take_text(c, at, field);
    }
}

/* A field that the writer did not know yet. */
static void set_nil(struct tape_record *rec, const struct record_field *field)
{
    const uint64_t nil = TAPE_NONE;
    assert(field->type == FIELD_U64_NIL);
    memcpy((uint8_t *)rec + field->at, &nil, sizeof(nil));
}

static enum tt_status take_fields(struct cursor *c, struct tape_record *rec, const struct record_layout *layout,
                                  uint32_t given, struct tt_error *err)
{
    if (given < layout->least)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "%s: has %u fields, needs %u", layout->name, (unsigned)given,
                       (unsigned)layout->least);
    for (uint32_t i = 0; i < given; i++) {
        enum tt_status st =
            i < layout->field_count ? take_field(c, rec, &layout->fields[i]) : cursor_skip(c, TAPE_MAX_NESTING - 1);
        if (st != TT_OK)
            return tt_fail(err, st, TT_NO_OFFSET, "%s: field %u %s", layout->name, (unsigned)i + 1,
                           st == TT_TRUNCATED        ? "ends early"
                           : st != TT_LIMIT          ? "is not what it should be"
                           : i < layout->field_count ? "passes its limit"
                                                     : "nests too deeply");
    }
    for (uint32_t i = given; i < layout->field_count; i++)
        set_nil(rec, &layout->fields[i]);
    return TT_OK;
}

static enum tt_status skip_fields(struct cursor *c, uint32_t kind, uint32_t given, struct tt_error *err)
{
    for (uint32_t i = 0; i < given; i++) {
        enum tt_status st = cursor_skip(c, TAPE_MAX_NESTING - 1);
        if (st != TT_OK)
            return tt_fail(err, st, TT_NO_OFFSET, "record of kind %u: field %u %s", (unsigned)kind, (unsigned)i + 1,
                           st == TT_LIMIT ? "nests too deeply" : "is not valid msgpack");
    }
    return TT_OK;
}

enum tt_status record_decode(struct tt_view in, struct tape_record *rec, size_t *used, struct tt_error *err)
{
    struct cursor c = cursor_of(in);
    struct cursor_item array, kind;
    *used = 0;
    enum tt_status st = cursor_next(&c, &array);
    if (st == TT_OK && (array.type != CURSOR_ARRAY || array.count == 0))
        st = TT_MALFORMED;
    if (st == TT_OK)
        st = cursor_next(&c, &kind);
    if (st == TT_OK && (kind.type != CURSOR_UINT || kind.u > UINT32_MAX))
        st = TT_MALFORMED;
    if (st != TT_OK)
        return tt_fail(err, st, TT_NO_OFFSET, "%s",
                       st == TT_TRUNCATED ? "it ends early" : "not an array with a kind in front");
    rec->kind = (uint32_t)kind.u;
    const struct record_layout *layout = record_layout_of(rec->kind);
    if (layout)
        st = take_fields(&c, rec, layout, array.count - 1, err);
    else if (rec->kind >= TAPE_FIRST_OPTIONAL_KIND)
        st = skip_fields(&c, rec->kind, array.count - 1, err);
    else
        st = tt_fail(err, TT_VERSION, TT_NO_OFFSET, "record of kind %u is not known here", (unsigned)rec->kind);
    if (st == TT_OK && c.at > TAPE_MAX_RECORD_BYTES)
        st = tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "record of %zu bytes passes its limit", c.at);
    if (st == TT_OK)
        *used = c.at;
    return st;
}
