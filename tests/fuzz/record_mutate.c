#include "record_mutate.h"

#include "../../format/cursor.h"
#include "../../format/limits.h"
#include "fuzz.h"

#define RECORDS 4096u /* later ones are left as they are */
#define VALUE_BYTES (96u << 10)

/* A stretch of raw bytes. */
struct span {
    size_t from, to;
};

struct raw {
    struct mutate_rng *rng;
    uint8_t *p;
    size_t *n, cap;
};

/* Puts `n` bytes in the place of a stretch; false, and nothing done, when there is no room. */
static bool splice(struct raw *r, struct span s, const void *bytes, size_t n)
{
    if (n > r->cap - (*r->n - (s.to - s.from)))
        return false;
    memmove(r->p + s.from + n, r->p + s.to, *r->n - s.to);
    if (n)
        memcpy(r->p + s.from, bytes, n);
    *r->n = *r->n - (s.to - s.from) + n;
    return true;
}

/* The value that begins at `at`; false when none does. */
static bool span_of_value(const struct raw *r, size_t at, struct span *s)
{
    struct cursor c = cursor_of(tt_view_of(r->p, *r->n));
    c.at = at;
    if (cursor_skip(&c, TAPE_MAX_NESTING) != TT_OK)
        return false;
    *s = (struct span){at, c.at};
    return true;
}

/* A record by chance; false when there is none. */
static bool pick_record(const struct raw *r, struct span *s)
{
    size_t at[RECORDS], found = 0;
    struct span next = {0, 0};
    while (found < RECORDS && next.to < *r->n && span_of_value(r, next.to, &next))
        at[found++] = next.from;
    return found > 0 && span_of_value(r, at[mutate_draw(r->rng, (uint32_t)found)], s);
}

/* Goes down from the value *s into one of its elements by chance; false when it has none. */
static bool pick_element(const struct raw *r, struct span *s)
{
    struct cursor c = cursor_of(tt_view_of(r->p, *r->n));
    struct cursor_item item;
    c.at = s->from;
    if (cursor_next(&c, &item) != TT_OK || (item.type != CURSOR_ARRAY && item.type != CURSOR_MAP))
        return false;
    uint32_t count = item.type == CURSOR_MAP ? 2 * item.count : item.count;
    for (uint32_t skip = count ? mutate_draw(r->rng, count) : 0; skip; skip--)
        if (cursor_skip(&c, TAPE_MAX_NESTING) != TT_OK)
            return false;
    return count > 0 && span_of_value(r, c.at, s);
}

static size_t put_big_endian(uint8_t *out, uint8_t type, uint64_t v, unsigned width)
{
    out[0] = type;
    for (unsigned i = 0; i < width; i++)
        out[1 + i] = (uint8_t)(v >> (8 * (width - 1 - i)));
    return 1 + width;
}

static size_t put_integer(uint8_t *out, uint64_t v)
{
    return v < 0x80 ? put_big_endian(out, (uint8_t)v, 0, 0) : put_big_endian(out, 0xcf, v, 8);
}

/* A number at the end of some range. */
static uint64_t telling_number(struct mutate_rng *rng)
{
    uint64_t v = mutate_draw(rng, 4) ? 1ull << mutate_draw(rng, 64) : 0;
    return v + mutate_draw(rng, 3) - 1;
}

/* Ends early, is not allowed, nests too deeply, claims more than is there. */
static size_t put_hostile(struct mutate_rng *rng, uint8_t *out)
{
    static const struct {
        uint8_t n, bytes[12];
    } hostile[] = {
        {1, {0xc1}},
        {3, {0xd4, 1, 2}},
        {5, {0xdb, 0xff, 0xff, 0xff, 0xff}},
        {5, {0xc6, 0xff, 0xff, 0xff, 0xf0}},
        {5, {0xdd, 0xff, 0xff, 0xff, 0xff}},
        {5, {0xdf, 0x80, 0, 0, 0}},
        {3, {0xdc, 0xff, 0xff}},
        {6, {0x91, 0x91, 0x91, 0x91, 0x91, 0x90}},
        {7, {0x81, 0xa1, 'k', 0x81, 0xa1, 'k', 0xc0}},
        {9, {0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0}},
        {9, {0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0}},
        {9, {0xcb, 0xff, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        {5, {0xca, 0x7f, 0x7f, 0xff, 0xff}},
        {9, {0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0}},
    };
    size_t i = mutate_draw(rng, sizeof(hostile) / sizeof(hostile[0]));
    memcpy(out, hostile[i].bytes, hostile[i].n);
    return hostile[i].n;
}

/* Words that servers send and records hold; the last ones have no place in either. */
static struct tt_view telling_word(struct mutate_rng *rng)
{
    static const char *const words[] = {
        "data: ",
        "\n\n",
        "\r\n\r\n",
        "data: [DONE]\n\n",
        "event: error\n",
        ": comment\n",
        "0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":null}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":18446744073709551615,\"completion_tokens\":-1}}\n\n",
        "\"finish_reason\":\"length\"",
        "\"delta\":{\"reasoning_content\":\"y\"}",
        "\"usage\":{\"completion_tokens\":1e308}",
        "\\u0000",
        "\\ud800",
        "\xef\xbb\xbf",
        "{\"error\":{\"code\":null}}",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 999 ",
        "transfer-encoding",
        "chunked",
        "content-encoding",
        "gzip",
        "content-length",
        "18446744073709551616",
        "text/event-stream",
        "application/json",
        "complete",
        "fault",
        "timeout",
        "cancelled",
        "done_grace",
        "stale_connection",
        "run_start",
        "run_end",
        "enospc",
        "ring_full",
        "fresh",
        "strict",
        "unique",
        "chat",
        "completions",
        "ANVIL_REQ_0_00000",
        "\x1b[2J",
        "../../x",
        "\xe2\x80\xae",
        "\xff\xfe",
        "%s%n"};
    return tt_view_str(words[mutate_draw(rng, sizeof(words) / sizeof(words[0]))]);
}

/* The text of a str or bin value changed, its length made right again. */
static size_t put_changed_text(struct raw *r, const struct cursor_item *item, uint8_t *out)
{
    size_t n = item->text.n < VALUE_BYTES - 1024 ? item->text.n : 0;
    uint8_t *text = out + 5;
    if (n)
        memcpy(text, item->text.p, n);
    if (mutate_draw(r->rng, 2)) {
        mutate_bytes(r->rng, text, &n, VALUE_BYTES - 512);
    } else {
        struct tt_view word = telling_word(r->rng);
        size_t at = mutate_draw(r->rng, (uint32_t)n + 1), left = mutate_draw(r->rng, 3) ? n - at : 0;
        memmove(text + at + word.n, text + n - left, left);
        memcpy(text + at, word.p, word.n);
        n = at + word.n + left;
    }
    put_big_endian(out, item->type == CURSOR_STR ? 0xdb : 0xc6, n, 4);
    return 5 + n;
}

static size_t put_other_value(struct raw *r, struct span s, uint8_t *out)
{
    struct cursor c = cursor_of(tt_view_of(r->p + s.from, s.to - s.from));
    struct cursor_item item;
    if (mutate_draw(r->rng, 8) == 0)
        return put_hostile(r->rng, out);
    if (mutate_draw(r->rng, 6) == 0)
        return put_big_endian(out, mutate_draw(r->rng, 2) ? 0xc0 : mutate_draw(r->rng, 2) ? 0xc2 : 0xc3, 0, 0);
    if (cursor_next(&c, &item) != TT_OK)
        return put_integer(out, telling_number(r->rng));
    if (item.type == CURSOR_STR || item.type == CURSOR_BIN)
        return put_changed_text(r, &item, out);
    if (item.type == CURSOR_UINT && mutate_draw(r->rng, 2))
        return put_integer(out, item.u + mutate_draw(r->rng, 9) - 4);
    return put_integer(out, telling_number(r->rng));
}

static void change_value(struct raw *r, struct span s)
{
    static uint8_t out[VALUE_BYTES];
    splice(r, s, out, put_other_value(r, s, out));
}

/* A field more or less: the count of a short array says so. */
static void change_field_count(struct raw *r, struct span record, struct span field)
{
    bool more = mutate_draw(r->rng, 2);
    uint8_t *head = &r->p[record.from];
    if (*head <= 0x90 || *head >= 0x9f || field.from == record.from)
        return;
    *head = (uint8_t)(more ? *head + 1 : *head - 1);
    struct span place = more ? (struct span){field.from, field.from} : field;
    splice(r, place, r->p + field.from, more ? field.to - field.from : 0);
}

static void change_inside(struct raw *r, struct span record)
{
    struct span value = record;
    while (pick_element(r, &value) && mutate_draw(r->rng, 3))
        ;
    if (mutate_draw(r->rng, 10) == 0)
        change_field_count(r, record, value);
    else
        change_value(r, value);
}

/* Copies one record to where another begins; with `move` the first is taken away. */
static void copy_record(struct raw *r, struct span from, struct span to, bool move)
{
    static uint8_t copy[VALUE_BYTES];
    size_t n = from.to - from.from;
    if (n > sizeof(copy))
        return;
    memcpy(copy, r->p + from.from, n);
    if (splice(r, (struct span){to.from, to.from}, copy, n) && move && to.from <= from.from)
        splice(r, (struct span){from.from + n, from.to + n}, NULL, 0);
}

void record_mutate(struct mutate_rng *rng, uint8_t *raw, size_t *n, size_t cap)
{
    struct raw r = {rng, raw, n, cap};
    struct span a, b;
    if (!pick_record(&r, &a) || !pick_record(&r, &b) || mutate_draw(rng, 20) == 0) {
        mutate_bytes(rng, raw, n, cap);
        return;
    }
    switch (mutate_draw(rng, 10)) {
    case 0:
        splice(&r, a, NULL, 0);
        break;
    case 1:
    case 2:
        copy_record(&r, a, b, mutate_draw(rng, 2));
        break;
    default:
        change_inside(&r, a);
    }
}
