#include "json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_buffer.h"
#include "json_escape.h"

#define JSON_OUT_MAX_DEPTH 64u
#define JSON_OUT_DRAIN_BYTES ((size_t)64 << 10)

enum json_out_place { PLACE_TOP, PLACE_ARRAY, PLACE_OBJECT, PLACE_AFTER_KEY };

struct json_out_level {
    enum json_out_place place;
    bool empty;
    size_t key_at, key_n; /* the last plain key as it stands in the buffer; n == 0: none to compare with */
};

struct json_out {
    struct json_buffer text;
    unsigned indent, depth;
    struct json_out_level level[JSON_OUT_MAX_DEPTH];
    bool (*take)(void *ctx, struct tt_view bytes); /* NULL: the buffer keeps all */
    void *take_ctx;
};

struct json_out *json_out_create(unsigned indent)
{
    struct json_out *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->indent = indent;
    o->level[0].empty = true;
    return o;
}

void json_out_drain_to(struct json_out *o, bool (*take)(void *ctx, struct tt_view bytes), void *ctx)
{
    o->take = take;
    o->take_ctx = ctx;
}

static void drain(struct json_out *o)
{
    if (!o->take || o->text.dead || o->text.n < JSON_OUT_DRAIN_BYTES)
        return;
    o->text.dead = !o->take(o->take_ctx, tt_view_of(o->text.bytes, o->text.n));
    o->text.n = 0;
    for (unsigned i = 0; i <= o->depth; i++)
        o->level[i].key_n = 0; /* it stood in what is gone */
}

static void out_bytes(struct json_out *o, const void *p, size_t n)
{
    json_buffer_put(&o->text, p, n);
}

static void out_text(struct json_out *o, const char *s)
{
    out_bytes(o, s, strlen(s));
}

static void out_line(struct json_out *o)
{
    size_t spaces = (size_t)o->indent * o->depth;
    uint8_t *at = json_buffer_extend(&o->text, 1 + spaces);
    if (!at)
        return;
    at[0] = '\n';
    memset(at + 1, ' ', spaces);
}

/* Comma and line in front of an array element or a key. */
static void out_separate(struct json_out *o, struct json_out_level *level)
{
    if (!level->empty)
        out_text(o, o->indent ? "," : ", ");
    level->empty = false;
    if (o->indent)
        out_line(o);
}

static void out_value(struct json_out *o)
{
    struct json_out_level *level = &o->level[o->depth];
    assert(level->place != PLACE_OBJECT); /* a key comes first */
    if (level->place == PLACE_AFTER_KEY)
        level->place = PLACE_OBJECT;
    else if (level->place == PLACE_ARRAY)
        out_separate(o, level);
}

static void out_open(struct json_out *o, enum json_out_place place, const char *bracket)
{
    out_value(o);
    assert(o->depth + 1 < JSON_OUT_MAX_DEPTH);
    out_text(o, bracket);
    o->level[++o->depth] = (struct json_out_level){.place = place, .empty = true};
}

static void out_close(struct json_out *o, enum json_out_place place, const char *bracket)
{
    assert(o->depth > 0 && o->level[o->depth].place == place);
    bool empty = o->level[o->depth].empty;
    o->depth--;
    if (!empty && o->indent)
        out_line(o);
    out_text(o, bracket);
    drain(o);
}

void json_out_object(struct json_out *o)
{
    out_open(o, PLACE_OBJECT, "{");
}

void json_out_object_end(struct json_out *o)
{
    out_close(o, PLACE_OBJECT, "}");
}

void json_out_array(struct json_out *o)
{
    out_open(o, PLACE_ARRAY, "[");
}

void json_out_array_end(struct json_out *o)
{
    out_close(o, PLACE_ARRAY, "]");
}

static void out_quoted(struct json_out *o, struct tt_view v)
{
    out_text(o, "\"");
    while (v.n) {
        size_t run = 0;
        while (run < v.n && v.p[run] >= ' ' && v.p[run] <= '~' && v.p[run] != '"' && v.p[run] != '\\')
            run++;
        out_bytes(o, v.p, run);
        v.p += run;
        v.n -= run;
        char escape[JSON_ESCAPE_BYTES];
        if (v.n)
            out_bytes(o, escape, json_escape_next(&v, escape));
    }
    out_text(o, "\"");
}

static struct json_out_level *out_key(struct json_out *o, struct tt_view key)
{
    struct json_out_level *level = &o->level[o->depth];
    assert(level->place == PLACE_OBJECT);
    out_separate(o, level);
    out_quoted(o, key);
    out_text(o, ": ");
    level->place = PLACE_AFTER_KEY;
    return level;
}

void json_out_key(struct json_out *o, const char *ascii)
{
    struct json_out_level *level = &o->level[o->depth];
    size_t n = strlen(ascii);
    if (level->key_n && !o->text.dead) {
        size_t common = n < level->key_n ? n : level->key_n;
        int order = memcmp(o->text.bytes + level->key_at, ascii, common);
        assert(order < 0 || (order == 0 && level->key_n < n));
        (void)order;
    }
    out_key(o, tt_view_of(ascii, n));
    level->key_n = n;
    level->key_at = o->text.n - n - 3; /* behind it: quote, colon, space */
}

void json_out_key_view(struct json_out *o, struct tt_view utf8)
{
    out_key(o, utf8)->key_n = 0;
}

void json_out_string(struct json_out *o, struct tt_view utf8)
{
    if (!utf8.p) {
        json_out_null(o);
        return;
    }
    out_value(o);
    out_quoted(o, utf8);
}

void json_out_cstring(struct json_out *o, const char *utf8)
{
    json_out_string(o, tt_view_str(utf8));
}

void json_out_u64(struct json_out *o, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    out_value(o);
    out_text(o, text);
}

void json_out_i64(struct json_out *o, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, v);
    out_value(o);
    out_text(o, text);
}

void json_out_double(struct json_out *o, double v)
{
    char text[32];
    assert(isfinite(v));
    out_value(o);
    out_bytes(o, text, json_out_repr(v, text));
}

void json_out_number_text(struct json_out *o, struct tt_view digits)
{
    out_value(o);
    out_bytes(o, digits.p, digits.n);
}

void json_out_bool(struct json_out *o, bool v)
{
    out_value(o);
    out_text(o, v ? "true" : "false");
}

void json_out_null(struct json_out *o)
{
    out_value(o);
    out_text(o, "null");
}

void json_out_newline(struct json_out *o)
{
    assert(o->depth == 0);
    out_text(o, "\n");
}

struct tt_view json_out_bytes(const struct json_out *o)
{
    return o->text.dead ? tt_view_of(NULL, 0) : tt_view_of(o->text.bytes, o->text.n);
}

void json_out_reset(struct json_out *o)
{
    o->text.n = 0;
    o->text.dead = false;
    o->depth = 0;
    o->level[0] = (struct json_out_level){.place = PLACE_TOP, .empty = true};
}

void json_out_free(struct json_out *o)
{
    if (!o)
        return;
    free(o->text.bytes);
    free(o);
}
