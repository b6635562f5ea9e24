#include "json_tree.h"

#include "utf8.h"

#include <assert.h>
#include <stdlib.h>

#define PIECE_BYTES ((size_t)64 << 10)

/* Memory is taken in pieces and given back all at once. */
struct piece {
    struct piece *next;
    size_t used, size;
    max_align_t bytes[];
};

struct json_tree {
    struct piece *pieces;
    struct json_node *root;
    size_t nodes;
};

/* A container being read, and the child that came last. */
struct level {
    struct json_node *node, *last;
};

struct builder {
    struct json_tree *tree;
    struct json_reader reader;
    struct tt_error *err;
    unsigned depth;
    struct tt_view key; /* of the value to come */
    struct level levels[JSON_MAX_DEPTH];
};

static void *take_bytes(struct json_tree *t, size_t n)
{
    const size_t align = sizeof(max_align_t);
    n = (n + align - 1) / align * align;
    struct piece *p = t->pieces;
    if (!p || p->size - p->used < n) {
        size_t size = n > PIECE_BYTES / 4 ? n : PIECE_BYTES;
        p = malloc(sizeof *p + size);
        if (!p)
            return NULL;
        p->used = 0;
        p->size = size;
        p->next = t->pieces;
        t->pieces = p;
    }
    void *at = (uint8_t *)p->bytes + p->used;
    p->used += n;
    return at;
}

static enum tt_status fail_here(struct builder *b, enum tt_status code, const char *what)
{
    return tt_fail(b->err, code, (uint64_t)(b->reader.at - b->reader.start), "%s", what);
}

/* Decodes a raw string into the tree's memory. */
static enum tt_status keep_text(struct builder *b, struct tt_view raw, bool decode, struct tt_view *out)
{
    size_t n = raw.n;
    if (decode) {
        n = 0;
        for (struct tt_view left = raw; left.n > 0;)
            n += utf8_length(json_string_next(&left));
    }
    uint8_t *text = take_bytes(b->tree, n + 1);
    if (!text)
        return fail_here(b, TT_NOMEM, "no memory for a string");
    size_t at = 0;
    if (decode)
        while (raw.n > 0)
            at += utf8_put(json_string_next(&raw), text + at);
    else
        memcpy(text, raw.p, n);
    text[n] = '\0';
    *out = tt_view_of(text, n);
    return TT_OK;
}

static enum tt_status add_node(struct builder *b, enum json_token type, struct json_node **out)
{
    if (b->tree->nodes == JSON_TREE_MAX_NODES)
        return fail_here(b, TT_LIMIT, "too many values");
    struct json_node *node = take_bytes(b->tree, sizeof *node);
    if (!node)
        return fail_here(b, TT_NOMEM, "no memory for a value");
    memset(node, 0, sizeof *node);
    node->type = type;
    node->key = b->key;
    b->key = tt_view_of(NULL, 0);
    b->tree->nodes++;
    struct level *up = b->depth ? &b->levels[b->depth - 1] : NULL;
    if (!up)
        b->tree->root = node;
    else if (up->last)
        up->last->next = node;
    else
        up->node->child = node;
    if (up) {
        up->last = node;
        up->node->children++;
    }
    *out = node;
    return TT_OK;
}

static int compare_keys(const void *a, const void *b)
{
    struct tt_view x = (*(const struct json_node *const *)a)->key, y = (*(const struct json_node *const *)b)->key;
    if (x.n != y.n)
        return x.n < y.n ? -1 : 1;
    return memcmp(x.p, y.p, x.n);
}

/* Sorting keeps a hostile object of a million keys from costing its square. */
static enum tt_status refuse_duplicates(struct builder *b, const struct json_node *object)
{
    enum tt_status status = TT_OK;
    if (object->children < 2)
        return TT_OK;
    const struct json_node **sorted = calloc(object->children, sizeof(*sorted));
    if (!sorted)
        return fail_here(b, TT_NOMEM, "no memory for the keys of an object");
    size_t n = 0;
    for (const struct json_node *c = object->child; c; c = c->next)
        sorted[n++] = c;
    qsort(sorted, n, sizeof(*sorted), compare_keys);
    for (size_t i = 1; i < n && status == TT_OK; i++)
        if (compare_keys(&sorted[i - 1], &sorted[i]) == 0)
            status = tt_fail(b->err, TT_MALFORMED, (uint64_t)(b->reader.at - b->reader.start),
                             "the object that ends here has the key \"%.80s\" twice", (const char *)sorted[i]->key.p);
    free(sorted);
    return status;
}

static enum tt_status open_container(struct builder *b, enum json_token token)
{
    struct json_node *node;
    enum tt_status status = add_node(b, token, &node);
    if (status == TT_OK) {
        assert(b->depth < JSON_MAX_DEPTH); /* the tokenizer sees to it */
        b->levels[b->depth++] = (struct level){node, NULL};
    }
    return status;
}

static enum tt_status add_scalar(struct builder *b, enum json_token token)
{
    struct json_node *node;
    enum tt_status status = add_node(b, token, &node);
    if (status == TT_OK && (token == JSON_STRING || token == JSON_NUMBER))
        status = keep_text(b, b->reader.raw, token == JSON_STRING, &node->text);
    return status;
}

static enum tt_status take_token(struct builder *b, enum json_token token)
{
    switch (token) {
    case JSON_ERROR:
        return fail_here(b, TT_MALFORMED, b->reader.fault);
    case JSON_OBJECT_BEGIN:
    case JSON_ARRAY_BEGIN:
        return open_container(b, token);
    case JSON_OBJECT_END:
        return refuse_duplicates(b, b->levels[--b->depth].node);
    case JSON_ARRAY_END:
        b->depth--;
        return TT_OK;
    case JSON_KEY:
        return keep_text(b, b->reader.raw, true, &b->key);
    default:
        return add_scalar(b, token);
    }
}

enum tt_status json_tree_parse(struct json_tree **out, struct tt_view text, struct tt_error *err)
{
    enum tt_status status = TT_OK;
    *out = NULL;
    if (text.n > JSON_TREE_MAX_BYTES)
        return tt_fail(err, TT_LIMIT, 0, "a JSON document of %zu bytes is too long", text.n);
    struct builder *b = calloc(1, sizeof *b);
    struct json_tree *tree = calloc(1, sizeof *tree);
    if (!b || !tree) {
        status = tt_fail(err, TT_NOMEM, 0, "no memory for a JSON document");
        goto out;
    }
    b->tree = tree;
    b->err = err;
    json_begin(&b->reader, text);
    for (enum json_token token; status == TT_OK && (token = json_next(&b->reader)) != JSON_END;)
        status = take_token(b, token);
    if (status == TT_OK) {
        *out = tree;
        tree = NULL;
    }
out:
    json_tree_free(tree);
    free(b);
    return status;
}

const struct json_node *json_tree_root(const struct json_tree *t)
{
    return t->root;
}

const struct json_node *json_node_get(const struct json_node *object, const char *key)
{
    if (!object || object->type != JSON_OBJECT_BEGIN)
        return NULL;
    for (const struct json_node *c = object->child; c; c = c->next)
        if (tt_view_equal(c->key, key))
            return c;
    return NULL;
}

bool json_node_double(const struct json_node *n, double *v)
{
    if (!n || n->type != JSON_NUMBER)
        return false;
    *v = json_number_double(n->text);
    return true;
}

bool json_node_u64(const struct json_node *n, uint64_t *v)
{
    return n && n->type == JSON_NUMBER && json_number_u64(n->text, v);
}

void json_tree_free(struct json_tree *t)
{
    if (!t)
        return;
    for (struct piece *p = t->pieces, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(t);
}
