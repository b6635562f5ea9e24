/* Where each request stands in two results. */
#include <stdio.h>
#include <stdlib.h>

#include "diff_parts.h"

enum list { LIST_ROWS, LIST_FAILURES, LIST_TRACE, LISTS };

static const struct json_node *list_of(const struct json_node *root, enum list list)
{
    const struct json_node *n = list == LIST_ROWS       ? json_node_get(root, "request_timings")
                                : list == LIST_FAILURES ? json_node_get(root, "failures")
                                                        : json_node_get(json_node_get(root, "trace"), "requests");
    return n && n->type == JSON_ARRAY_BEGIN ? n : NULL;
}

static enum tt_status grow(struct diff_requests *r, size_t n, struct tt_error *err)
{
    size_t room = r->n ? r->n : 64;
    while (room < n)
        room *= 2;
    if (room == r->n)
        return TT_OK;
    struct diff_request *at = realloc(r->at, room * sizeof *at);
    if (!at)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu requests", room);
    memset(at + r->n, 0, (room - r->n) * sizeof *at);
    r->at = at;
    r->n = room;
    return TT_OK;
}

static enum tt_status refuse_twice(const char *name, uint64_t request, struct tt_error *err)
{
    return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "%.200s: request %llu stands there twice", name,
                   (unsigned long long)request);
}

static enum tt_status take(struct diff_requests *r, const struct json_node *n, uint64_t request, size_t at,
                           enum list list, unsigned side, const char *name, struct tt_error *err)
{
    if (request >= ARTIFACT_MAX_ROWS)
        return tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "%.200s: request_index %llu passes %u", name,
                       (unsigned long long)request, ARTIFACT_MAX_ROWS - 1);
    enum tt_status st = grow(r, (size_t)request + 1, err);
    if (st != TT_OK)
        return st;
    struct diff_request *q = &r->at[request];
    if (list == LIST_TRACE) {
        if (q->trace[side])
            return refuse_twice(name, request, err);
        q->trace[side] = n;
        return TT_OK;
    }
    if (q->row[side] || q->failure[side])
        return refuse_twice(name, request, err);
    if (list == LIST_ROWS) {
        q->row[side] = n;
        q->row_at[side] = at;
    } else {
        q->failure[side] = n;
        q->failure_at[side] = at;
    }
    return TT_OK;
}

static enum tt_status read_list(struct diff_requests *r, const struct json_node *root, enum list list, unsigned side,
                                const char *name, struct tt_error *err)
{
    const struct json_node *all = list_of(root, list);
    size_t at = 0;
    enum tt_status st = TT_OK;
    for (const struct json_node *n = all ? all->child : NULL; n && st == TT_OK; n = n->next, at++) {
        uint64_t request;
        if (json_node_u64(json_node_get(n, "request_index"), &request)) /* else the walk by place tells of it */
            st = take(r, n, request, at, list, side, name, err);
    }
    return st;
}

static bool same_member(const struct json_node *a, const struct json_node *b, const char *key)
{
    const struct json_node *x = json_node_get(a, key), *y = json_node_get(b, key);
    return x && y && x->type == y->type && x->text.n == y->text.n && memcmp(x->text.p, y->text.p, x->text.n) == 0;
}

bool diff_request_fails_otherwise(const struct diff_request *r)
{
    return r->failure[0] && r->failure[1] &&
           (!same_member(r->failure[0], r->failure[1], "failure_class") ||
            !same_member(r->failure[0], r->failure[1], "error_type"));
}

enum tt_status diff_requests_read(struct diff_requests *r, const struct json_node *const roots[2],
                                  const struct diff_names *names, struct tt_error *err)
{
    enum tt_status st = TT_OK;
    *r = (struct diff_requests){0};
    for (unsigned side = 0; side < 2; side++)
        for (int list = 0; list < LISTS && st == TT_OK; list++)
            st = read_list(r, roots[side], (enum list)list, side, names->of[side], err);
    for (size_t i = 0; i < r->n && st == TT_OK; i++) {
        r->rows_moved = r->rows_moved || !r->at[i].row[0] != !r->at[i].row[1];
        r->causes_move = r->causes_move || diff_request_fails_otherwise(&r->at[i]);
    }
    return st;
}

static void note(void *user, const struct diff_entry *e)
{
    (void)e;
    *(bool *)user = true;
}

enum tt_status diff_requests_compare(struct diff_requests *r, const struct difference_options *options,
                                     struct tt_error *err)
{
    const struct diff_options how = {
        .by_value = options->by_value, .peers = true, .ulp = options->ulp, .each = note, .user = &r->rows_differ};
    uint64_t unused = 0;
    enum tt_status st = TT_OK;
    for (size_t i = 0; i < r->n && st == TT_OK && !r->rows_differ; i++)
        if (r->at[i].row[0] && r->at[i].row[1])
            st = diff_trees(r->at[i].row[0], r->at[i].row[1], &how, &unused, err);
    return st;
}

struct diff_request *diff_requests_get(const struct diff_requests *r, const struct json_node *request_index)
{
    uint64_t request;
    return json_node_u64(request_index, &request) && request < r->n ? &r->at[request] : NULL;
}

static void copy_text(char *out, size_t room, const struct json_node *object, const char *key)
{
    const struct json_node *n = json_node_get(object, key);
    if (n && n->type == JSON_STRING)
        snprintf(out, room, "%s", (const char *)n->text.p);
    tt_line_sanitize(out);
}

#define REASONS 128u /* looked at, of one request: more than there are */

static bool has_reason(const struct json_node *reasons, struct tt_view reason)
{
    size_t seen = 0;
    for (const struct json_node *c = reasons ? reasons->child : NULL; c && seen < REASONS; c = c->next, seen++)
        if (c->type == JSON_STRING && c->text.n == reason.n && memcmp(c->text.p, reason.p, reason.n) == 0)
            return true;
    return false;
}

/* Those that the other side does not have: what both have explains no difference. */
static void join_reasons(struct move_side *s, const struct json_node *reasons, const struct json_node *others)
{
    size_t n = 0, seen = 0;
    for (const struct json_node *c = reasons ? reasons->child : NULL; c && seen < REASONS; c = c->next, seen++)
        if (c->type == JSON_STRING && !has_reason(others, c->text) && n < sizeof s->reasons)
            n +=
                (size_t)snprintf(s->reasons + n, sizeof s->reasons - n, "%s%s", n ? ", " : "", (const char *)c->text.p);
    tt_line_sanitize(s->reasons);
}

static struct move_side side_of(const struct diff_request *r, unsigned side)
{
    struct move_side s = {.place = r->row[side] ? MOVE_ROW : r->failure[side] ? MOVE_FAILURE : MOVE_NOWHERE};
    copy_text(s.class, sizeof s.class, r->failure[side], "failure_class");
    copy_text(s.type, sizeof s.type, r->failure[side], "error_type");
    join_reasons(&s, json_node_get(r->trace[side], "reasons"), json_node_get(r->trace[!side], "reasons"));
    return s;
}

static bool is_moved(const struct diff_request *r)
{
    return !r->row[0] != !r->row[1] || !r->failure[0] != !r->failure[1] || diff_request_fails_otherwise(r);
}

static size_t list_touched(const struct diff_requests *r, bool moved, struct move *out)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->at[i].touched && is_moved(&r->at[i]) == moved)
            out[n++] = (struct move){i, side_of(&r->at[i], 0), side_of(&r->at[i], 1)};
    moves_sort(out, n);
    return n;
}

enum tt_status diff_requests_moves(const struct diff_requests *r, struct diff_report *report, struct tt_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < r->n; i++)
        count += r->at[i].touched;
    report->moves = calloc(count ? count : 1, sizeof *report->moves);
    if (!report->moves)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu requests that moved", count);
    report->move_count = list_touched(r, true, report->moves);
    report->noted_count = list_touched(r, false, report->moves + report->move_count);
    return TT_OK;
}

void diff_requests_free(struct diff_requests *r)
{
    free(r->at);
    r->at = NULL;
}
