/* What the invariants are written with. */
#include "audit_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "diff_tree.h"
#include "reason.h"

static void keep_text(struct audit_finding *f, const char *fmt, va_list args)
{
    vsnprintf(f->text, sizeof f->text, fmt, args);
    tt_line_sanitize(f->text);
}

bool audit_expect(struct audit *a, bool holds, const char *fmt, ...)
{
    struct audit_finding *f = a->finding;
    f->compared++;
    if (holds)
        return true;
    if (f->contradictions++ == 0) { /* the reason of audit_cannot() gives way to it */
        va_list args;
        va_start(args, fmt);
        keep_text(f, fmt, args);
        va_end(args);
    }
    f->verdict = AUDIT_CONTRADICTED;
    return false;
}

void audit_cannot(struct audit *a, const char *fmt, ...)
{
    struct audit_finding *f = a->finding;
    if (f->verdict != AUDIT_PROVEN)
        return;
    va_list args;
    va_start(args, fmt);
    keep_text(f, fmt, args);
    va_end(args);
    f->verdict = AUDIT_UNPROVABLE;
}

/* The member has to be written like this; `quoted`: as a text. */
static void expect_written(struct audit *a, const char *place, const struct json_node *object, const char *key,
                           enum json_token type, struct tt_view want)
{
    const struct json_node *n = json_node_get(object, key);
    char value[DIFF_VALUE_BYTES];
    if (!n)
        return;
    bool scalar = type == JSON_STRING || type == JSON_NUMBER;
    bool same = n->type == type && (!scalar || (n->text.n == want.n && memcmp(n->text.p, want.p, want.n) == 0));
    audit_expect(a, same, "%s%s%s is %s, not %.*s", place, place[0] ? "." : "", key, diff_value_text(n, value),
                 (int)(want.n < 100 ? want.n : 100), (const char *)want.p);
}

void audit_expect_count(struct audit *a, const char *place, const struct json_node *object, const char *key,
                        uint64_t want)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)want);
    expect_written(a, place, object, key, JSON_NUMBER, tt_view_str(text));
}

void audit_expect_double(struct audit *a, const char *place, const struct json_node *object, const char *key,
                         struct opt_double want)
{
    char text[32];
    if (want.has && isfinite(want.v))
        expect_written(a, place, object, key, JSON_NUMBER, tt_view_of(text, json_out_repr(want.v, text)));
    else
        expect_written(a, place, object, key, JSON_NULL, tt_view_str("null"));
}

void audit_expect_bool(struct audit *a, const char *place, const struct json_node *object, const char *key, bool want)
{
    expect_written(a, place, object, key, want ? JSON_TRUE : JSON_FALSE, tt_view_str(want ? "true" : "false"));
}

void audit_expect_text(struct audit *a, const char *place, const struct json_node *object, const char *key,
                       const char *want)
{
    if (want)
        expect_written(a, place, object, key, JSON_STRING, tt_view_str(want));
    else
        expect_written(a, place, object, key, JSON_NULL, tt_view_str("null"));
}

void audit_expect_word(struct audit *a, const char *place, const struct json_node *object, const char *key,
                       const char *const *words)
{
    const struct json_node *n = json_node_get(object, key);
    if (!n || n->type != JSON_STRING)
        return;
    while (*words && !tt_view_equal(n->text, *words))
        words++;
    audit_expect(a, *words != NULL, "%s%s%s %.60s is no such setting", place, place[0] ? "." : "", key,
                 (const char *)n->text.p);
}

struct first_difference {
    char path[DIFF_PATH_BYTES], x[DIFF_VALUE_BYTES], y[DIFF_VALUE_BYTES];
    uint64_t n;
};

static void take_first(void *user, const struct diff_entry *e)
{
    struct first_difference *d = user;
    if (d->n++ > 0)
        return;
    snprintf(d->path, sizeof d->path, "%s", e->path);
    diff_value_texts(e->claimed, e->ours, d->x, d->y);
}

void audit_expect_same(struct audit *a, const char *path, const struct json_node *x, const char *other,
                       const struct json_node *y)
{
    struct first_difference d = {.n = 0};
    const struct diff_options options = {.each = take_first, .user = &d};
    struct diff_path start = {.n = 0};
    uint64_t compared = 0;
    if (!x || !y)
        return;
    a->status = diff_subtrees(&start, NULL, x, y, &options, &compared, &a->error);
    audit_expect(a, d.n == 0, "%s%s%s is %s, in %s it is %s", path, d.path[0] && d.path[0] != '[' ? "." : "", d.path,
                 d.x, other, d.y);
    a->finding->compared += compared > 0 ? compared - 1 : 0;
}

bool audit_is(const struct json_node *object, const char *key, enum json_token type)
{
    const struct json_node *n = json_node_get(object, key);
    return n && n->type == type;
}

bool audit_true(const struct json_node *object, const char *key)
{
    return audit_is(object, key, JSON_TRUE);
}

bool audit_text_is(const struct json_node *object, const char *key, const char *text)
{
    const struct json_node *n = json_node_get(object, key);
    return n && n->type == JSON_STRING && tt_view_equal(n->text, text);
}

struct opt_u64 audit_count(const struct json_node *object, const char *key)
{
    struct opt_u64 count = {false, 0};
    count.has = json_node_u64(json_node_get(object, key), &count.v);
    return count;
}

struct opt_double audit_double(const struct json_node *object, const char *key)
{
    struct opt_double v = {false, 0};
    v.has = json_node_double(json_node_get(object, key), &v.v);
    return v;
}

bool audit_has_reason(const struct json_node *request, enum reason_code code)
{
    const struct json_node *reasons = json_node_get(request, "reasons");
    for (const struct json_node *n = reasons ? reasons->child : NULL; n; n = n->next)
        if (n->type == JSON_STRING && tt_view_equal(n->text, reason_describe(code)->id))
            return true;
    return false;
}

const char *audit_place(char out[AUDIT_PLACE_BYTES], const char *array, size_t index)
{
    snprintf(out, AUDIT_PLACE_BYTES, "%s[%zu]", array, index);
    return out;
}

void audit_each_timing(struct audit *a,
                       void (*each)(struct audit *a, const char *place, const struct json_node *row, bool success))
{
    char place[AUDIT_PLACE_BYTES], timing[AUDIT_PLACE_BYTES + 20];
    size_t i = 0;
    for (const struct json_node *row = a->rows ? a->rows->child : NULL; row; row = row->next, i++)
        if (row->type == JSON_OBJECT_BEGIN)
            each(a, audit_place(place, "request_timings", i), row, true);
    i = 0;
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next, i++) {
        if (!audit_is(f, "response_timing", JSON_OBJECT_BEGIN))
            continue;
        snprintf(timing, sizeof timing, "%s.response_timing", audit_place(place, "failures", i));
        each(a, timing, json_node_get(f, "response_timing"), false);
    }
}
