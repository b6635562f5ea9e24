#include "record_layout.h"

#include <assert.h>

#include "cursor.h"
#include "limits.h"
#include "pack.h"
#include "record_walk.h"

#define SCALAR_BYTES 9u /* type byte and 64 bits */
#define HEAD_BYTES 5u   /* type byte and a 32-bit length or count */

static const void *field_of(const struct tape_record *rec, const struct record_field *field)
{
    return (const uint8_t *)rec + field->at;
}

static uint64_t field_u64(const struct tape_record *rec, const struct record_field *field)
{
    uint64_t v;
    memcpy(&v, field_of(rec, field), sizeof(v));
    return v;
}

static struct tt_view field_view(const struct tape_record *rec, const struct record_field *field)
{
    struct tt_view v;
    memcpy(&v, field_of(rec, field), sizeof(v));
    return v;
}

_Static_assert(sizeof(struct tape_map) == sizeof(struct tt_view), "a map field is read as the view it holds");

static size_t field_bound(const struct tape_record *rec, const struct record_field *field)
{
    switch (field->type) {
    case FIELD_STR:
    case FIELD_STR_NIL:
    case FIELD_BIN:
    case FIELD_BIN_NIL:
    case FIELD_HASH:
    case FIELD_HASH_NIL:
    case FIELD_MAP:
    case FIELD_HEADERS:
    case FIELD_REQUESTS: {
        size_t n = field_view(rec, field).n;
        return n > TAPE_MAX_RECORD_BYTES ? TAPE_MAX_RECORD_BYTES + HEAD_BYTES : n + HEAD_BYTES;
    }
    case FIELD_TIMERS:
    case FIELD_TCP_NIL:
        return 1 + RECORD_TIMERS * SCALAR_BYTES;
    default:
        return SCALAR_BYTES;
    }
}

size_t record_bound(const struct tape_record *rec)
{
    const struct record_layout *layout = record_layout_of(rec->kind);
    size_t n = HEAD_BYTES + SCALAR_BYTES;
    for (uint32_t i = 0; layout && i < layout->field_count; i++)
        n += field_bound(rec, &layout->fields[i]);
    return n;
}

/* nil where none may be, or a number past its limit, would make a tape that no
 * reader takes: refuse it here. */
static enum tt_status check_u64(uint64_t v, enum field_type type)
{
    if (type == FIELD_REQUEST && v >= TAPE_MAX_REQUESTS)
        return v == TAPE_NONE ? TT_USAGE : TT_LIMIT;
    return type == FIELD_U64 && v == TAPE_NONE ? TT_USAGE : TT_OK;
}

static enum tt_status check_view(struct tt_view v, const struct record_field *field)
{
    if (v.n > field->max_bytes)
        return TT_LIMIT;
    if (field->type == FIELD_HASH || (field->type == FIELD_HASH_NIL && v.p))
        return v.p && v.n == RECORD_HASH_BYTES ? TT_OK : TT_USAGE;
    if ((field->type == FIELD_MAP || field->type == FIELD_HEADERS || field->type == FIELD_REQUESTS) && v.p)
        return record_check_packed(v, field->type);
    return TT_OK;
}

static enum tt_status check_field(const struct tape_record *rec, const struct record_field *field)
{
    switch (field->type) {
    case FIELD_U64:
    case FIELD_U64_NIL:
    case FIELD_REQUEST:
        return check_u64(field_u64(rec, field), field->type);
    case FIELD_BOOL:
    case FIELD_LAG:
    case FIELD_TIMERS:
    case FIELD_TCP_NIL:
        return TT_OK;
    default:
        return check_view(field_view(rec, field), field);
    }
}

/* A field that may not be nil but points nowhere is written as empty. */
static struct tt_view present(struct tt_view v)
{
    return v.p ? v : tt_view_of("", 0);
}

static void put_packed(struct pack *p, struct tt_view v, bool is_map)
{
    if (!v.p) {
        if (is_map)
            pack_map(p, 0);
        else
            pack_array(p, 0);
        return;
    }
    assert(p->cap - p->len >= v.n);
    memcpy(p->bytes + p->len, v.p, v.n);
    p->len += v.n;
}

static void put_timers(struct pack *p, const struct tape_timers *t)
{
    pack_array(p, RECORD_TIMERS);
    pack_uint(p, t->namelookup_us);
    pack_uint(p, t->connect_us);
    pack_uint(p, t->appconnect_us);
    pack_uint(p, t->pretransfer_us);
    pack_uint(p, t->starttransfer_us);
    pack_uint(p, t->total_us);
}

static void put_tcp(struct pack *p, const struct tape_tcp *t)
{
    if (!t->present) {
        pack_nil(p);
        return;
    }
    pack_array(p, RECORD_TIMERS);
    pack_uint(p, t->rtt_us);
    pack_uint(p, t->rttvar_us);
    pack_uint(p, t->retransmits);
    pack_uint(p, t->snd_mss);
    pack_uint(p, t->rcv_mss);
    pack_uint(p, t->delivery_rate_bytes_s);
}

static void put_lag(struct pack *p, int64_t lag_ns)
{
    if (lag_ns == TAPE_LAG_NONE)
        pack_nil(p);
    else
        pack_int(p, lag_ns);
}

static void put_field(struct pack *p, const struct tape_record *rec, const struct record_field *field)
{
    switch (field->type) {
    case FIELD_U64:
    case FIELD_U64_NIL:
    case FIELD_REQUEST:
        pack_uint(p, field_u64(rec, field));
        break;
    case FIELD_BOOL:
        pack_bool(p, *(const bool *)field_of(rec, field));
        break;
    case FIELD_LAG:
        put_lag(p, (int64_t)field_u64(rec, field));
        break;
    case FIELD_STR:
        pack_str(p, present(field_view(rec, field)));
        break;
    case FIELD_STR_NIL:
        pack_str(p, field_view(rec, field));
        break;
    case FIELD_BIN:
        pack_bin(p, present(field_view(rec, field)));
        break;
    case FIELD_BIN_NIL:
    case FIELD_HASH:
    case FIELD_HASH_NIL:
        pack_bin(p, field_view(rec, field));
        break;
    case FIELD_MAP:
    case FIELD_HEADERS:
    case FIELD_REQUESTS:
        put_packed(p, field_view(rec, field), field->type == FIELD_MAP);
        break;
    case FIELD_TIMERS:
        put_timers(p, field_of(rec, field));
        break;
    case FIELD_TCP_NIL:
        put_tcp(p, field_of(rec, field));
        break;
    }
}

enum tt_status record_encode(const struct tape_record *rec, uint8_t *out, size_t cap, size_t *len, struct tt_error *err)
{
    const struct record_layout *layout = record_layout_of(rec->kind);
    *len = 0;
    if (!layout)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "record of kind %u cannot be written", (unsigned)rec->kind);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        enum tt_status st = check_field(rec, &layout->fields[i]);
        if (st != TT_OK)
            return tt_fail(err, st, TT_NO_OFFSET, "%s: field %u %s", layout->name, (unsigned)i + 1,
                           st == TT_LIMIT ? "passes its limit" : "holds what its type does not allow");
    }
    size_t bound = record_bound(rec);
    if (bound > cap || bound > TAPE_MAX_RECORD_BYTES)
        return tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "%s: may need %zu bytes, more than fit", layout->name, bound);
    /* Everything fits, so the buffer lent to pack.h is never grown. */
    struct pack p = {.bytes = out, .cap = cap};
    pack_array(&p, layout->field_count + 1);
    pack_uint(&p, rec->kind);
    for (uint32_t i = 0; i < layout->field_count; i++)
        put_field(&p, rec, &layout->fields[i]);
    assert(!p.failed && p.bytes == out && p.len <= bound);
    *len = p.len;
    return TT_OK;
}
