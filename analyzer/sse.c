#include "sse.h"

#include "sse_field.h"

#include <stdlib.h>

struct sse {
    struct sse_calls calls;
    struct pool_account account;
    struct sse_buffer line; /* start of a line whose end has not come */
    struct sse_field data, type, id;
    uint64_t unknown_fields, retry_fields;
    enum tt_status status; /* not TT_OK: nothing is read any more */
    size_t ahead;          /* bytes of the piece behind the line in hand */
    unsigned bom;          /* bytes of a leading BOM seen; BOM_BYTES: past it */
    bool after_cr;         /* a LF that comes now belongs to the line end before it */
};

#define BOM_BYTES 3u
static const uint8_t bom_bytes[BOM_BYTES] = {0xef, 0xbb, 0xbf};

static void give_up(struct sse *s, enum tt_status status)
{
    s->status = status;
    sse_field_clear(&s->data);
    sse_field_clear(&s->type);
    sse_field_clear(&s->id);
    sse_buffer_free(&s->line);
}

static void drop(void *owner)
{
    give_up(owner, TT_LIMIT);
}

struct sse *sse_create(const struct sse_calls *calls, struct pool *pool)
{
    struct sse *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->calls = *calls;
    s->line.account = s->data.own.account = s->type.own.account = s->id.own.account = &s->account;
    pool_join(&s->account, pool, drop, s);
    return s;
}

static void dispatch(struct sse *s)
{
    if (s->data.v.p && s->calls.event) {
        struct sse_event event = {s->type.v, s->data.v, s->id.v};
        s->calls.event(s->calls.ctx, &event);
    }
    sse_field_clear(&s->data);
    sse_field_clear(&s->type);
    sse_field_clear(&s->id);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

bool sse_value_is_done(struct tt_view v)
{
    while (v.n > 0 && is_blank(v.p[0]))
        v = tt_view_of(v.p + 1, v.n - 1);
    while (v.n > 0 && is_blank(v.p[v.n - 1]))
        v.n--;
    return tt_view_equal(v, "[DONE]");
}

static enum tt_status take_data(struct sse *s, struct tt_view value)
{
    if (s->data.v.p)
        return sse_field_join(&s->data, value, SSE_MAX_EVENT_BYTES);
    enum tt_status status = sse_field_set(&s->data, value, SSE_MAX_EVENT_BYTES);
    if (status == TT_OK && sse_value_is_done(value) && s->calls.done_line)
        s->calls.done_line(s->calls.ctx);
    return status;
}

static bool all_digits(struct tt_view v)
{
    for (size_t i = 0; i < v.n; i++)
        if (v.p[i] < '0' || v.p[i] > '9')
            return false;
    return v.n > 0;
}

static enum tt_status take_field(struct sse *s, struct tt_view line, struct tt_view name, struct tt_view value)
{
    if (tt_view_equal(name, "data"))
        return take_data(s, value);
    if (tt_view_equal(name, "event"))
        return sse_field_set(&s->type, value, SSE_MAX_NAME_BYTES);
    if (tt_view_equal(name, "id")) /* one with a NUL is to be ignored */
        return value.n && memchr(value.p, 0, value.n) ? TT_OK : sse_field_set(&s->id, value, SSE_MAX_NAME_BYTES);
    if (tt_view_equal(name, "retry")) {
        s->retry_fields += all_digits(value);
        return TT_OK;
    }
    s->unknown_fields++;
    if (s->calls.unknown)
        s->calls.unknown(s->calls.ctx, line);
    return TT_OK;
}

static enum tt_status take_line(struct sse *s, struct tt_view line)
{
    if (line.n == 0) {
        dispatch(s);
        return TT_OK;
    }
    if (line.n > SSE_MAX_EVENT_BYTES)
        return TT_LIMIT;
    const uint8_t *end = line.p + line.n;
    const uint8_t *colon = memchr(line.p, ':', line.n);
    if (colon == line.p) {
        if (s->calls.comment)
            s->calls.comment(s->calls.ctx, tt_view_of(colon + 1, line.n - 1));
        return TT_OK;
    }
    if (!colon)
        return take_field(s, line, line, tt_view_of(sse_empty, 0));
    const uint8_t *value = colon + 1;
    if (value < end && *value == ' ')
        value++;
    return take_field(s, line, tt_view_of(line.p, (size_t)(colon - line.p)), tt_view_of(value, (size_t)(end - value)));
}

/* A line end was found: `rest` is what the piece holds of the line. */
static enum tt_status end_line(struct sse *s, struct tt_view rest)
{
    if (s->line.n == 0)
        return take_line(s, rest);
    enum tt_status status = sse_buffer_append(&s->line, rest, SSE_MAX_EVENT_BYTES);
    if (status != TT_OK)
        return status;
    struct tt_view line = tt_view_of(s->line.p, s->line.n);
    s->line.n = 0; /* its bytes stay until the next append, which keep_rest() makes safe */
    return take_line(s, line);
}

/* The piece ends here: what still views it or the line buffer gets its own bytes. */
static enum tt_status keep_rest(struct sse *s, struct tt_view rest)
{
    enum tt_status status = sse_field_own(&s->data);
    if (status == TT_OK)
        status = sse_field_own(&s->type);
    if (status == TT_OK)
        status = sse_field_own(&s->id);
    if (status != TT_OK)
        return status;
    if (s->line.n == 0 && s->line.p)
        sse_buffer_free(&s->line);
    return sse_buffer_append(&s->line, rest, SSE_MAX_EVENT_BYTES);
}

static const uint8_t *find(const uint8_t *p, const uint8_t *end, int c)
{
    const uint8_t *hit = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
    return hit ? hit : end;
}

/* Each byte is looked at once for LF and once for CR, however the line ends mix. */
static enum tt_status take_lines(struct sse *s, const uint8_t *p, const uint8_t *end)
{
    enum tt_status status = TT_OK;
    if (s->after_cr && p < end) {
        s->after_cr = false;
        p += *p == '\n';
    }
    const uint8_t *lf = find(p, end, '\n'), *cr = find(p, end, '\r');
    while (status == TT_OK && p < end) {
        const uint8_t *stop = lf < cr ? lf : cr;
        if (stop == end)
            break;
        s->ahead = (size_t)(end - stop) - 1;
        status = end_line(s, tt_view_of(p, (size_t)(stop - p)));
        p = stop + 1;
        if (stop == cr) {
            s->after_cr = p == end;
            p += p < end && *p == '\n';
            cr = find(p, end, '\r');
        }
        if (lf < p)
            lf = find(p, end, '\n');
    }
    return status == TT_OK ? keep_rest(s, tt_view_of(p, (size_t)(end - p))) : status;
}

/* Steps over a leading BOM; what turns out to be none is the start of the first line. */
static enum tt_status skip_bom(struct sse *s, const uint8_t **p, const uint8_t *end)
{
    while (s->bom < BOM_BYTES && *p < end) {
        if (**p != bom_bytes[s->bom]) {
            enum tt_status status = sse_buffer_append(&s->line, tt_view_of(bom_bytes, s->bom), SSE_MAX_EVENT_BYTES);
            s->bom = BOM_BYTES;
            return status;
        }
        s->bom++;
        (*p)++;
    }
    return TT_OK;
}

enum tt_status sse_feed(struct sse *s, struct tt_view bytes)
{
    if (s->status != TT_OK || bytes.n == 0) /* nothing may be nowhere, too */
        return s->status;
    const uint8_t *p = bytes.p, *end = bytes.p + bytes.n;
    if (s->bom < BOM_BYTES)
        s->status = skip_bom(s, &p, end);
    if (s->status == TT_OK)
        s->status = take_lines(s, p, end);
    if (s->status != TT_OK)
        give_up(s, s->status);
    return s->status;
}

enum tt_status sse_finish(struct sse *s, bool clean)
{
    if (s->status != TT_OK || !clean)
        return s->status;
    if (s->bom < BOM_BYTES && s->bom > 0) /* a body of one or two bytes */
        s->status = sse_buffer_append(&s->line, tt_view_of(bom_bytes, s->bom), SSE_MAX_EVENT_BYTES);
    s->bom = BOM_BYTES;
    s->ahead = 0;
    if (s->status == TT_OK && s->line.n > 0)
        s->status = end_line(s, tt_view_of(sse_empty, 0));
    if (s->status == TT_OK)
        dispatch(s);
    else
        give_up(s, s->status);
    return s->status;
}

size_t sse_ahead(const struct sse *s)
{
    return s->ahead;
}

bool sse_awaits_blank(const struct sse *s)
{
    return s->data.v.p && s->line.n == 0;
}

uint64_t sse_unknown_fields(const struct sse *s)
{
    return s->unknown_fields;
}

uint64_t sse_retry_fields(const struct sse *s)
{
    return s->retry_fields;
}

void sse_free(struct sse *s)
{
    if (!s)
        return;
    give_up(s, s->status);
    free(s);
}
