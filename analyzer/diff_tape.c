/* Are two results of one tape? */
#include <stdio.h>

#include "diff.h"

struct identity { /* of a tape, as a result names it; NULL: it does not */
    const struct json_node *id, *head, *origin;
};

static struct identity identity_of(const struct json_node *root)
{
    const struct json_node *tape = json_node_get(json_node_get(root, "trace"), "tape");
    return (struct identity){json_node_get(tape, "id"), json_node_get(tape, "head"),
                             json_node_get(json_node_get(tape, "origin"), "head")};
}

static bool is_text(const struct json_node *n)
{
    return n && n->type == JSON_STRING;
}

static bool same_text(const struct json_node *a, const struct json_node *b)
{
    return is_text(a) && is_text(b) && tt_view_equal(a->text, (const char *)b->text.p);
}

/* Both name one, and it is not the same. */
static bool other_text(const struct json_node *a, const struct json_node *b)
{
    return is_text(a) && is_text(b) && !same_text(a, b);
}

static const char *text_of(const struct json_node *n)
{
    return is_text(n) ? (const char *)n->text.p : "none";
}

/* "head abc... and def..." */
static void name_both(const char *what, const struct json_node *a, const struct json_node *b, char out[80])
{
    snprintf(out, 80, "%s %.16s... and %.16s...", what, text_of(a), text_of(b));
}

static enum tt_status refuse(const struct identity t[2], const struct diff_names *names, const char *relation,
                             struct tt_error *err)
{
    char ids[80], heads[80];
    const char *others[2] = {ids, heads};
    bool id = same_text(t[0].id, t[1].id), head = same_text(t[0].head, t[1].head);
    name_both("id", t[0].id, t[1].id, ids);
    name_both("head", t[0].head, t[1].head, heads);
    if (!id && !head)
        return tt_fail(err, TT_FOREIGN, TT_NO_OFFSET,
                       "%.60s and %.60s are of different tapes%s: neither id nor head is the same (%s; %s)",
                       names->of[0], names->of[1], relation, ids, heads);
    return tt_fail(err, TT_FOREIGN, TT_NO_OFFSET,
                   "%.60s and %.60s are of different tapes%s: the %s is the same, the other is not (%s)", names->of[0],
                   names->of[1], relation, id ? "id" : "head", others[id]);
}

static const char *relation_of(const struct identity t[2])
{
    if (same_text(t[1].origin, t[0].head))
        return ", the second a copy that was made from the first";
    if (same_text(t[0].origin, t[1].head))
        return ", the first a copy that was made from the second";
    if (same_text(t[0].origin, t[1].origin))
        return ", both copies of a third";
    return same_text(t[0].id, t[1].id) ? ", two states of one recording" : "";
}

enum tt_status diff_same_tape(const struct json_node *const roots[2], const struct diff_names *names, bool *proven,
                              char head[65], struct tt_error *err)
{
    const struct identity t[2] = {identity_of(roots[0]), identity_of(roots[1])};
    enum artifact_heads unused;
    *proven = false;
    head[0] = '\0';
    if (other_text(t[0].head, t[1].head) || other_text(t[0].id, t[1].id))
        return refuse(t, names, relation_of(t), err);
    if (is_text(t[0].head) && is_text(t[1].head) && is_text(t[0].origin) != is_text(t[1].origin))
        return tt_fail(
            err, TT_FOREIGN, TT_NO_OFFSET,
            "%.60s and %.60s cannot be of one tape: id and head are the same, but only %.60s says that it is "
            "of a copy (origin %.16s...)",
            names->of[0], names->of[1], names->of[is_text(t[1].origin)], text_of(t[is_text(t[1].origin)].origin));
    if (other_text(t[0].origin, t[1].origin))
        return tt_fail(err, TT_FOREIGN, TT_NO_OFFSET,
                       "%.60s and %.60s cannot be of one tape: id and head are the same, the origin is not (%.16s... "
                       "and %.16s...)",
                       names->of[0], names->of[1], text_of(t[0].origin), text_of(t[1].origin));
    if (same_text(t[0].head, t[1].head)) {
        *proven = true;
        snprintf(head, 65, "%.64s", text_of(t[0].head));
        tt_line_sanitize(head);
        return TT_OK;
    }
    enum tt_status st = artifact_same_run(roots[1], roots[0], &unused, err);
    return st == TT_OK ? st : tt_wrap(err, "%.200s", names->of[1]);
}
