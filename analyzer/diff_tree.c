#include "diff_tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct walk {
    const struct diff_options *options;
    struct tt_error *err;
    uint64_t *compared;
    struct diff_path path;
    const struct json_node *request;
};

/* A member of a container, and where it stands there. */
struct member {
    const struct json_node *node;
    uint64_t request; /* arrays of requests */
    size_t at;
    bool paired;
    size_t counterpart; /* where that stands */
};

static void push(struct diff_path *p, const char *separator, struct tt_view name, const char *end)
{
    int room = (int)(sizeof p->text - p->n);
    int n = snprintf(p->text + p->n, (size_t)room, "%s%.*s%s", separator, (int)(name.n < 200 ? name.n : 200),
                     (const char *)name.p, end);
    p->n += n < room ? (size_t)n : (size_t)room - 1;
}

/* A key that holds what separates keys is quoted, so that it passes for no other place. */
static void push_key(struct diff_path *p, struct tt_view key)
{
    if (key.n > 0 && !memchr(key.p, '.', key.n) && !memchr(key.p, '[', key.n))
        push(p, p->n ? "." : "", key, "");
    else
        push(p, "[\"", key, "\"]");
}

static void push_index(struct diff_path *p, size_t index)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", index);
    push(p, "[", tt_view_str(digits), "]");
}

static void pop_to(struct diff_path *p, size_t n)
{
    p->n = n;
    p->text[n] = '\0';
}

static void tell(struct walk *w, enum diff_kind kind, const struct json_node *claimed, const struct json_node *ours)
{
    struct diff_entry e = {kind, w->path.text, claimed, ours, w->request};
    w->options->each(w->options->user, &e);
}

/* Does the text of a double mean this count, to the last digit? */
static bool is_count(struct tt_view number, struct tt_view count)
{
    static const double exact_to = 9007199254740992.0; /* 2^53: beyond it the text has to be the same but for ".0" */
    double v = json_number_double(number);
    while (number.n > 0 && number.p[number.n - 1] == '0')
        number.n--;
    if (number.n == count.n + 1 && number.p[count.n] == '.' && memcmp(number.p, count.p, count.n) == 0)
        return true;
    return v < exact_to && v > -exact_to && diff_ulps(v, json_number_double(count)) == 0;
}

static bool same_number(const struct diff_options *o, struct tt_view a, struct tt_view b)
{
    if (a.n == b.n && memcmp(a.p, b.p, a.n) == 0)
        return true;
    if (!o->by_value)
        return false;
    bool a_counts = json_number_is_integer(a), b_counts = json_number_is_integer(b);
    if (a_counts && b_counts)
        return false; /* -0 is the only integer with two texts, and no count is written so */
    if (b_counts || (a_counts && o->peers))
        return a_counts ? is_count(b, a) : is_count(a, b);
    return diff_ulps(json_number_double(a), json_number_double(b)) <= o->ulp;
}

static bool same_scalar(const struct diff_options *o, const struct json_node *a, const struct json_node *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == JSON_NUMBER)
        return same_number(o, a->text, b->text);
    return a->type != JSON_STRING || (a->text.n == b->text.n && memcmp(a->text.p, b->text.p, a->text.n) == 0);
}

static bool is_container(const struct json_node *n)
{
    return n->type == JSON_OBJECT_BEGIN || n->type == JSON_ARRAY_BEGIN;
}

static int compare_keys(const void *a, const void *b)
{
    struct tt_view x = ((const struct member *)a)->node->key, y = ((const struct member *)b)->node->key;
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

static int compare_requests(const void *a, const void *b)
{
    uint64_t x = ((const struct member *)a)->request, y = ((const struct member *)b)->request;
    return (x > y) - (x < y);
}

/* Members in document order; NULL without memory. */
static struct member *list_members(struct walk *w, const struct json_node *container)
{
    struct member *m = calloc(container->children + 1, sizeof *m);
    size_t n = 0;
    if (!m)
        tt_fail(w->err, TT_NOMEM, TT_NO_OFFSET, "no memory to compare %zu values", container->children);
    for (const struct json_node *c = container->child; m && c; c = c->next, n++)
        m[n] = (struct member){.node = c, .at = n};
    return m;
}

/* The first one that does not come after the one before it, or n. */
static size_t first_unsorted(const struct member *m, size_t n, int (*compare)(const void *, const void *))
{
    for (size_t i = 1; i < n; i++)
        if (compare(&m[i - 1], &m[i]) >= 0)
            return i;
    return n;
}

static enum tt_status walk_pair(struct walk *w, const struct json_node *claimed, const struct json_node *ours);

static enum tt_status walk_member(struct walk *w, const struct member *claimed, const struct member *ours)
{
    const struct json_node *named = claimed ? claimed->node : ours->node, *request = w->request;
    const struct json_node *own = json_node_get(named, "request_index");
    enum tt_status st = TT_OK;
    size_t before = w->path.n;
    if (named->key.p)
        push_key(&w->path, named->key);
    else
        push_index(&w->path, claimed ? claimed->at : ours->at);
    if (own)
        w->request = own;
    if (claimed && ours)
        st = walk_pair(w, claimed->node, ours->node);
    else
        tell(w, claimed ? DIFF_EXTRA : DIFF_MISSING, claimed ? claimed->node : NULL, ours ? ours->node : NULL);
    w->request = request;
    pop_to(&w->path, before);
    return st;
}

/* Both are sorted by `compare`: walks them as one. `only_pairs`: what stands in both, the
 * rest is left for later. */
static enum tt_status merge(struct walk *w, struct member *a, size_t a_n, struct member *b, size_t b_n,
                            int (*compare)(const void *, const void *), bool only_pairs)
{
    enum tt_status st = TT_OK;
    for (size_t i = 0, k = 0; st == TT_OK && (i < a_n || k < b_n);) {
        int order = i == a_n ? 1 : k == b_n ? -1 : compare(&a[i], &b[k]);
        if (order == 0) {
            a[i].paired = b[k].paired = true;
            a[i].counterpart = b[k].at;
        }
        if (order == 0 || !only_pairs)
            st = walk_member(w, order <= 0 ? &a[i] : NULL, order >= 0 ? &b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    return st;
}

static int compare_places(const void *a, const void *b)
{
    size_t x = ((const struct member *)a)->at, y = ((const struct member *)b)->at;
    return (x > y) - (x < y);
}

/* Of peers, once they are paired: the first member of `a` whose counterpart stands before that of one before it. */
static void tell_order(struct walk *w, struct member *a, size_t n)
{
    size_t before = w->path.n, last = 0;
    qsort(a, n, sizeof *a, compare_places);
    for (size_t i = 0; i < n; i++) {
        if (!a[i].paired)
            continue;
        if (a[i].counterpart < last) {
            if (a[i].node->key.p)
                push_key(&w->path, a[i].node->key);
            else
                push_index(&w->path, a[i].at);
            tell(w, DIFF_ORDER, a[i].node, NULL);
            pop_to(&w->path, before);
            return;
        }
        last = a[i].counterpart;
    }
}

static enum tt_status walk_objects(struct walk *w, const struct json_node *claimed, const struct json_node *ours)
{
    struct member *a = list_members(w, claimed), *b = a ? list_members(w, ours) : NULL;
    enum tt_status st = b ? TT_OK : TT_NOMEM;
    if (b) {
        size_t odd = first_unsorted(a, claimed->children, compare_keys), before = w->path.n;
        if (odd < claimed->children && !w->options->by_value && !w->options->peers) {
            push_key(&w->path, a[odd].node->key);
            tell(w, DIFF_ORDER, a[odd].node, json_node_get(ours, (const char *)a[odd].node->key.p));
            pop_to(&w->path, before);
        }
        qsort(a, claimed->children, sizeof *a, compare_keys);
        qsort(b, ours->children, sizeof *b, compare_keys);
        st = merge(w, a, claimed->children, b, ours->children, compare_keys, false);
        if (st == TT_OK && w->options->peers && !w->options->by_value)
            tell_order(w, a, claimed->children);
    }
    free(a);
    free(b);
    return st;
}

/* Fills the request of each; false unless all have one and no two the same. `sorted` is scratch. */
static bool read_requests(struct member *m, struct member *sorted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!json_node_u64(json_node_get(m[i].node, "request_index"), &m[i].request))
            return false;
    memcpy(sorted, m, n * sizeof *m);
    qsort(sorted, n, sizeof *sorted, compare_requests);
    return n > 0 && first_unsorted(sorted, n, compare_requests) == n;
}

/* Elements that have no counterpart: those at one place in both are compared all the same
 * (their request_index was changed), the others are missing or extra. */
static enum tt_status walk_unpaired(struct walk *w, const struct member *a, size_t a_n, const struct member *b,
                                    size_t b_n)
{
    enum tt_status st = TT_OK;
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a_n && a[i].paired)
            i++;
        while (k < b_n && b[k].paired)
            k++;
        if (st != TT_OK || (i == a_n && k == b_n))
            return st;
        bool from_a = i < a_n && (k == b_n || a[i].at <= b[k].at), from_b = k < b_n && (i == a_n || b[k].at <= a[i].at);
        st = walk_member(w, from_a ? &a[i] : NULL, from_b ? &b[k] : NULL);
        i += from_a;
        k += from_b;
    }
}

static enum tt_status walk_requests(struct walk *w, struct member *a, size_t a_n, struct member *b, size_t b_n)
{
    size_t odd = first_unsorted(a, a_n, compare_requests), before = w->path.n;
    if (odd < a_n && first_unsorted(b, b_n, compare_requests) == b_n && !w->options->peers) {
        push_index(&w->path, odd);
        tell(w, DIFF_ORDER, a[odd].node, odd < b_n ? b[odd].node : NULL);
        pop_to(&w->path, before);
    }
    qsort(a, a_n, sizeof *a, compare_requests);
    qsort(b, b_n, sizeof *b, compare_requests);
    enum tt_status st = merge(w, a, a_n, b, b_n, compare_requests, !w->options->peers);
    if (st == TT_OK && w->options->peers)
        tell_order(w, a, a_n);
    if (st != TT_OK || w->options->peers)
        return st;
    qsort(a, a_n, sizeof *a, compare_places);
    qsort(b, b_n, sizeof *b, compare_places);
    return walk_unpaired(w, a, a_n, b, b_n);
}

static enum tt_status walk_arrays(struct walk *w, const struct json_node *claimed, const struct json_node *ours)
{
    size_t a_n = claimed->children, b_n = ours->children;
    struct member *a = list_members(w, claimed), *b = a ? list_members(w, ours) : NULL;
    struct member *scratch = b ? calloc((a_n > b_n ? a_n : b_n) + 1, sizeof *scratch) : NULL;
    enum tt_status st = scratch ? TT_OK : TT_NOMEM;
    if (scratch && read_requests(a, scratch, a_n) && read_requests(b, scratch, b_n))
        st = walk_requests(w, a, a_n, b, b_n);
    else if (scratch)
        st = walk_unpaired(w, a, a_n, b, b_n);
    else
        tt_fail(w->err, TT_NOMEM, TT_NO_OFFSET, "no memory to compare %zu values", a_n + b_n);
    free(a);
    free(b);
    free(scratch);
    return st;
}

static enum tt_status walk_pair(struct walk *w, const struct json_node *claimed, const struct json_node *ours)
{
    if (claimed->type == ours->type && claimed->type == JSON_OBJECT_BEGIN)
        return walk_objects(w, claimed, ours);
    if (claimed->type == ours->type && claimed->type == JSON_ARRAY_BEGIN)
        return walk_arrays(w, claimed, ours);
    ++*w->compared;
    if (is_container(claimed) || is_container(ours) || !same_scalar(w->options, claimed, ours))
        tell(w, DIFF_VALUE, claimed, ours);
    return TT_OK;
}

enum tt_status diff_subtrees(const struct diff_path *path, const struct json_node *request,
                             const struct json_node *claimed, const struct json_node *ours,
                             const struct diff_options *options, uint64_t *compared, struct tt_error *err)
{
    struct walk w = {.options = options, .err = err, .compared = compared, .path = *path, .request = request};
    return walk_pair(&w, claimed, ours);
}

enum tt_status diff_trees(const struct json_node *claimed, const struct json_node *ours,
                          const struct diff_options *options, uint64_t *compared, struct tt_error *err)
{
    return diff_subtrees(&(struct diff_path){.n = 0}, NULL, claimed, ours, options, compared, err);
}
