/* Damage to a JSON document, one place at a time: finds every member with its path, and
 * writes the text again with one of them changed. */
#ifndef TESTS_JSON_DAMAGE_H
#define TESTS_JSON_DAMAGE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../analyzer/json.h"
#include "../analyzer/json_out.h"

enum damage_kind {
    DAMAGE_ULP,       /* a double, to its neighbour */
    DAMAGE_UNIT,      /* a number, one more in its last digit before the point */
    DAMAGE_CHARACTER, /* a text, one character */
    DAMAGE_FLIP,      /* true, false, null: another of them */
    DAMAGE_DROP,      /* the member is gone */
    DAMAGE_DOUBLE,    /* and stands twice */
    DAMAGE_SWAP,      /* its value and its neighbour's */
    DAMAGE_MOVE,      /* it stands behind its neighbour, key and all */
    DAMAGE_KINDS
};

static const char *const damage_names[] = {"one ulp", "one unit", "one character", "flipped",
                                           "dropped", "doubled",  "swapped",       "moved"};

struct member {
    char path[256];
    size_t begin, value, end; /* of the key (of the value in an array), of the value, behind it */
    enum json_token type;
    size_t parent, next; /* next: its younger sibling, 0 for none (0 is the document) */
    bool in_object;
};

struct document {
    char *text;
    size_t n;
    struct member *members;
    size_t count;
};

struct damage_level {
    size_t member, last, elements;
    bool object;
};

static inline size_t damage_add(struct document *d, struct damage_level *up, const char *key, size_t begin)
{
    struct member *m = &d->members[d->count];
    *m = (struct member){.begin = begin, .value = begin, .in_object = key != NULL};
    if (up) {
        char outer[120];
        snprintf(outer, sizeof outer, "%.119s", d->members[up->member].path);
        m->parent = up->member;
        if (key)
            snprintf(m->path, sizeof m->path, "%s%s%.79s", outer, outer[0] ? "." : "", key);
        else
            snprintf(m->path, sizeof m->path, "%s[%zu]", outer, up->elements);
        if (up->elements++ > 0)
            d->members[up->last].next = d->count;
        up->last = d->count;
    }
    return d->count++;
}

/* Where the token that was just read begins. */
static inline size_t damage_token_begin(const struct json_reader *r, enum json_token token)
{
    size_t at = (size_t)(r->at - r->start);
    switch (token) {
    case JSON_STRING:
    case JSON_KEY:
        return (size_t)(r->raw.p - r->start) - 1;
    case JSON_NUMBER:
        return (size_t)(r->raw.p - r->start);
    case JSON_FALSE:
        return at - 5;
    case JSON_TRUE:
    case JSON_NULL:
        return at - 4;
    default:
        return at - 1;
    }
}

static inline void damage_scan(struct document *d)
{
    struct json_reader r;
    struct damage_level levels[16];
    size_t depth = 0, begin = 0;
    char key[80] = "";
    bool has_key = false;
    d->members = calloc(d->n, sizeof *d->members);
    assert_non_null(d->members);
    json_begin(&r, tt_view_of(d->text, d->n));
    for (enum json_token token; (token = json_next(&r)) != JSON_END;) {
        assert_true(token != JSON_ERROR);
        if (token == JSON_KEY) {
            snprintf(key, sizeof key, "%.*s", (int)r.raw.n, (const char *)r.raw.p);
            begin = damage_token_begin(&r, token);
            has_key = true;
        } else if (token == JSON_OBJECT_END || token == JSON_ARRAY_END) {
            d->members[levels[--depth].member].end = (size_t)(r.at - r.start);
        } else {
            size_t value = damage_token_begin(&r, token);
            size_t m = damage_add(d, depth ? &levels[depth - 1] : NULL, has_key ? key : NULL, has_key ? begin : value);
            d->members[m].value = value;
            d->members[m].end = (size_t)(r.at - r.start);
            d->members[m].type = token;
            has_key = false;
            if (token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN) {
                assert_true(depth < 16);
                levels[depth++] = (struct damage_level){m, 0, 0, token == JSON_OBJECT_BEGIN};
            }
        }
    }
}

static inline struct document damage_open(char *text)
{
    struct document d = {.text = text, .n = strlen(text)};
    damage_scan(&d);
    return d;
}

static inline void damage_close(struct document *d)
{
    free(d->members);
    free(d->text);
}

static inline bool damage_is_scalar(const struct member *m)
{
    return m->type != JSON_OBJECT_BEGIN && m->type != JSON_ARRAY_BEGIN;
}

static inline bool damage_is_double(const struct document *d, const struct member *m)
{
    return m->type == JSON_NUMBER && !json_number_is_integer(tt_view_of(d->text + m->value, m->end - m->value));
}

static inline bool damage_same(const struct document *d, const struct member *a, const struct member *b)
{
    return a->end - a->value == b->end - b->value &&
           memcmp(d->text + a->value, d->text + b->value, a->end - a->value) == 0;
}

/* Can it be done to this member, so that the document says something else? */
static inline bool damage_applies(const struct document *d, const struct member *m, enum damage_kind kind)
{
    const struct member *next = m->next ? &d->members[m->next] : NULL;
    switch (kind) {
    case DAMAGE_ULP:
        return damage_is_double(d, m);
    case DAMAGE_UNIT:
        return m->type == JSON_NUMBER;
    case DAMAGE_CHARACTER:
        return m->type == JSON_STRING;
    case DAMAGE_FLIP:
        return m->type == JSON_TRUE || m->type == JSON_FALSE || m->type == JSON_NULL;
    case DAMAGE_DROP:
    case DAMAGE_DOUBLE:
        return true;
    case DAMAGE_SWAP:
        return next && damage_is_scalar(m) && damage_is_scalar(next) && !damage_same(d, m, next);
    default:
        return next && (m->in_object || !damage_same(d, m, next));
    }
}

/* text[0..from) + middle + text[to..] */
static inline char *damage_splice(const struct document *d, size_t from, size_t to, const char *middle)
{
    size_t n = strlen(middle);
    char *out = malloc(d->n - (to - from) + n + 1);
    assert_non_null(out);
    memcpy(out, d->text, from);
    memcpy(out + from, middle, n);
    memcpy(out + from + n, d->text + to, d->n - to + 1);
    return out;
}

static inline char *damage_number(const struct document *d, const struct member *m, enum damage_kind kind)
{
    char text[64] = "";
    struct tt_view was = tt_view_of(d->text + m->value, m->end - m->value);
    uint64_t count;
    if (json_number_u64(was, &count))
        snprintf(text, sizeof text, "%llu", (unsigned long long)count + 1);
    else
        text[json_out_repr(
            kind == DAMAGE_ULP ? nextafter(json_number_double(was), INFINITY) : json_number_double(was) + 1, text)] =
            '\0';
    return damage_splice(d, m->value, m->end, text);
}

static inline char *damage_character(const struct document *d, const struct member *m)
{
    char *out = damage_splice(d, m->value, m->value, "");
    size_t at = m->value + 1 + (m->end - m->value - 2) / 2; /* in the middle */
    if (m->end - m->value == 2) {
        free(out);
        return damage_splice(d, at, at, "x");
    }
    while (out[at] == '\\' || out[at - 1] == '\\') /* not into an escape */
        at--;
    out[at] = out[at] == 'x' || out[at] == '"' ? 'y' : 'x';
    if (at == m->value)
        out[at] = '"';
    return out;
}

static inline char *damage_drop(const struct document *d, const struct member *m)
{
    size_t from = m->begin, to = m->end;
    const struct member *before = NULL;
    for (const struct member *s = m - 1; s > d->members && !before; s--)
        if (&d->members[s->next] == m)
            before = s;
    if (m->next)
        to = d->members[m->next].begin;
    else if (before)
        from = before->end;
    return damage_splice(d, from, to, "");
}

/* Two stretches change places: [a, a_end) comes before [b, b_end). */
static inline char *damage_exchange(const struct document *d, size_t a, size_t a_end, size_t b, size_t b_end)
{
    char *out = damage_splice(d, a, a, "");
    size_t at = a;
    memcpy(out + at, d->text + b, b_end - b);
    at += b_end - b;
    memcpy(out + at, d->text + a_end, b - a_end);
    at += b - a_end;
    memcpy(out + at, d->text + a, a_end - a);
    return out;
}

/* The text with one thing done to it; the caller frees it. */
static inline char *damage_text(const struct document *d, const struct member *m, enum damage_kind kind)
{
    const struct member *next = &d->members[m->next];
    char *copy, *out;
    switch (kind) {
    case DAMAGE_ULP:
    case DAMAGE_UNIT:
        return damage_number(d, m, kind);
    case DAMAGE_CHARACTER:
        return damage_character(d, m);
    case DAMAGE_FLIP:
        return damage_splice(d, m->value, m->end, m->type == JSON_FALSE ? "true" : "false");
    case DAMAGE_DROP:
        return damage_drop(d, m);
    case DAMAGE_DOUBLE:
        copy = malloc(m->end - m->begin + 2);
        assert_non_null(copy);
        snprintf(copy, m->end - m->begin + 2, ",%.*s", (int)(m->end - m->begin), d->text + m->begin);
        out = damage_splice(d, m->end, m->end, copy);
        free(copy);
        return out;
    case DAMAGE_SWAP:
        return damage_exchange(d, m->value, m->end, next->value, next->end);
    default:
        return damage_exchange(d, m->begin, m->end, next->begin, next->end);
    }
}

#endif
