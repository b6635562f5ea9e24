/* What a file must be before anything in it is believed. */
#include "artifact.h"

#include <math.h>

static const struct json_node *get2(const struct json_node *root, const char *outer, const char *inner, const char *key)
{
    return json_node_get(json_node_get(json_node_get(root, outer), inner), key);
}

static bool in_range(const struct json_node *n)
{
    uint64_t count;
    if (!json_number_is_integer(n->text))
        return isfinite(json_number_double(n->text));
    struct tt_view digits = n->text;
    if (digits.n > 1 && digits.p[0] == '-')
        digits = tt_view_of(digits.p + 1, digits.n - 1);
    return json_number_u64(digits, &count) || tt_view_equal(n->key, "context_seed");
}

static enum tt_status refuse_number(const struct json_node *n, struct tt_error *err)
{
    if (n->key.p)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "%.80s: the number %.40s is out of range",
                       (const char *)n->key.p, (const char *)n->text.p);
    return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "the number %.40s is out of range", (const char *)n->text.p);
}

/* As deep as the tokenizer lets a document be. */
static enum tt_status check_numbers(const struct json_node *n, struct tt_error *err)
{
    if (n->type == JSON_NUMBER && !in_range(n))
        return refuse_number(n, err);
    enum tt_status st = TT_OK;
    for (const struct json_node *c = n->child; c && st == TT_OK; c = c->next)
        st = check_numbers(c, err);
    return st;
}

enum tt_status artifact_check_document(const struct json_node *root, struct tt_error *err)
{
    if (root->type != JSON_OBJECT_BEGIN)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "not a JSON object");
    const struct json_node *schema = json_node_get(root, "schema");
    if (!schema)
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET, "has no schema, so it is no result of " ARTIFACT_SCHEMA);
    if (schema->type != JSON_STRING || !tt_view_equal(schema->text, ARTIFACT_SCHEMA))
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET, "its schema is %.60s and not " ARTIFACT_SCHEMA,
                       schema->type == JSON_STRING ? (const char *)schema->text.p : "no text");
    return check_numbers(root, err);
}

enum tt_status artifact_load(struct json_tree **out, const char *path, struct tt_error *err)
{
    enum tt_status st = json_tree_load(out, path, ARTIFACT_MAX_BYTES, err);
    if (st != TT_OK)
        return st;
    st = artifact_check_document(json_tree_root(*out), err);
    if (st != TT_OK) {
        tt_wrap(err, "%s", path);
        json_tree_free(*out);
        *out = NULL;
    }
    return st;
}

static bool both_text(const struct json_node *a, const struct json_node *b)
{
    return a && b && a->type == b->type && (a->type == JSON_STRING || a->type == JSON_NUMBER);
}

static bool differ(const struct json_node *a, const struct json_node *b)
{
    return a->text.n != b->text.n || memcmp(a->text.p, b->text.p, a->text.n) != 0;
}

/* A text of another length is a damaged one, and no name of another run. */
static bool are_other(const struct json_node *a, const struct json_node *b)
{
    return both_text(a, b) && a->text.n == b->text.n && differ(a, b);
}

static enum tt_status same_tape(const struct json_node *id[2], const struct json_node *head[2],
                                enum artifact_heads *heads, struct tt_error *err)
{
    *heads = differ(head[0], head[1]) ? ARTIFACT_HEADS_DIFFER : ARTIFACT_HEADS_SAME;
    if (!are_other(head[0], head[1]) || !are_other(id[0], id[1]))
        return TT_OK;
    return tt_fail(err, TT_FOREIGN, TT_NO_OFFSET,
                   "is the result of another run: its tape has the head %.64s, not %.64s",
                   (const char *)head[0]->text.p, (const char *)head[1]->text.p);
}

enum tt_status artifact_same_run(const struct json_node *a, const struct json_node *b, enum artifact_heads *heads,
                                 struct tt_error *err)
{
    const struct json_node *id[2] = {get2(a, "trace", "tape", "id"), get2(b, "trace", "tape", "id")};
    const struct json_node *head[2] = {get2(a, "trace", "tape", "head"), get2(b, "trace", "tape", "head")};
    *heads = ARTIFACT_HEADS_UNKNOWN;
    if (both_text(id[0], id[1]) && both_text(head[0], head[1]))
        return same_tape(id, head, heads, err);
    static const char *const pairs[][2] = {{"started_at_unix_ns", "finished_at_unix_ns"}, {"started_at", "run_id"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct json_node *x = json_node_get(a, pairs[i][0]), *y = json_node_get(b, pairs[i][0]);
        if (!are_other(x, y) || !are_other(json_node_get(a, pairs[i][1]), json_node_get(b, pairs[i][1])))
            continue;
        return tt_fail(err, TT_FOREIGN, TT_NO_OFFSET, "is the result of another run: its %s is %.40s, not %.40s",
                       pairs[i][0], (const char *)x->text.p, (const char *)y->text.p);
    }
    return TT_OK;
}
