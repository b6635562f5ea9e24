/* Paths and values as text. */
#include "diff_tree.h"

#include <stdio.h>

/* Behind the name at `path`: the rest from its separator on. */
static size_t name_length(const char *path)
{
    return strcspn(path, ".[");
}

static const struct json_node *get_key(const struct json_node *n, const char *key, size_t length)
{
    if (!n || n->type != JSON_OBJECT_BEGIN)
        return NULL;
    for (const struct json_node *c = n->child; c; c = c->next)
        if (c->key.n == length && memcmp(c->key.p, key, length) == 0)
            return c;
    return NULL;
}

static const struct json_node *get_index(const struct json_node *n, size_t index)
{
    if (!n || n->type != JSON_ARRAY_BEGIN || index >= n->children)
        return NULL;
    const struct json_node *c = n->child;
    while (index-- > 0)
        c = c->next;
    return c;
}

/* "[12]" at *path; moves behind it. */
static bool take_index(const char **path, size_t *index)
{
    const char *p = *path + 1;
    size_t digits = strspn(p, "0123456789");
    *index = 0;
    if (digits == 0 || digits > 9 || p[digits] != ']')
        return false;
    for (size_t i = 0; i < digits; i++)
        *index = *index * 10 + (size_t)(p[i] - '0');
    *path = p + digits + 1;
    return true;
}

bool diff_path_find(const struct json_node *root, const char *path, const struct json_node **out)
{
    const struct json_node *n = root;
    for (bool first = true; first || *path; first = false) {
        size_t index;
        if (*path == '[') {
            if (!take_index(&path, &index))
                return false;
            n = get_index(n, index);
            continue;
        }
        if (!first && *path++ != '.')
            return false;
        size_t length = name_length(path);
        if (length == 0)
            return false;
        n = get_key(n, path, length);
        path += length;
    }
    *out = n;
    return true;
}

bool diff_path_covers(const char *outer, const char *path)
{
    size_t n = strlen(outer);
    return strncmp(outer, path, n) == 0 && (path[n] == '\0' || path[n] == '.' || path[n] == '[');
}

/* Doubles in order, as integers in order: one step is one ulp. */
static int64_t rank(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

uint64_t diff_ulps(double a, double b)
{
    int64_t x = rank(a), y = rank(b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* Cut where it is long, before `from` too; an escape is not worth its room here. */
static void quote(struct tt_view text, size_t from, char out[DIFF_VALUE_BYTES])
{
    const size_t room = DIFF_VALUE_BYTES - sizeof "\"......\"";
    bool whole = text.n <= room;
    size_t begin = whole || from < room / 2 ? 0 : from - room / 4, keep = text.n - begin;
    if (keep > room)
        keep = room;
    size_t n = (size_t)snprintf(out, DIFF_VALUE_BYTES, "\"%s", begin ? "..." : "");
    for (size_t i = 0; i < keep; i++)
        out[n++] = text.p[begin + i] ? (char)text.p[begin + i] : '?';
    snprintf(out + n, DIFF_VALUE_BYTES - n, "%s\"", begin + keep < text.n ? "..." : "");
    tt_line_sanitize(out);
}

const char *diff_value_text(const struct json_node *n, char out[DIFF_VALUE_BYTES])
{
    if (!n)
        snprintf(out, DIFF_VALUE_BYTES, "nothing");
    else if (n->type == JSON_STRING)
        quote(n->text, 0, out);
    else if (n->type == JSON_NUMBER)
        snprintf(out, DIFF_VALUE_BYTES, "%.80s%s", (const char *)n->text.p, n->text.n > 80 ? "..." : "");
    else if (n->type == JSON_OBJECT_BEGIN)
        snprintf(out, DIFF_VALUE_BYTES, "an object of %zu", n->children);
    else if (n->type == JSON_ARRAY_BEGIN)
        snprintf(out, DIFF_VALUE_BYTES, "a list of %zu", n->children);
    else
        snprintf(out, DIFF_VALUE_BYTES, "%s", n->type == JSON_TRUE ? "true" : n->type == JSON_FALSE ? "false" : "null");
    return out;
}

void diff_value_texts(const struct json_node *a, const struct json_node *b, char out_a[DIFF_VALUE_BYTES],
                      char out_b[DIFF_VALUE_BYTES])
{
    size_t same = 0;
    diff_value_text(a, out_a);
    diff_value_text(b, out_b);
    if (!a || !b || a->type != JSON_STRING || b->type != JSON_STRING)
        return;
    while (same < a->text.n && same < b->text.n && a->text.p[same] == b->text.p[same])
        same++;
    quote(a->text, same, out_a);
    quote(b->text, same, out_b);
}
