#include "diff.h"

#include <stdio.h>
#include <stdlib.h>

#include "diff_parts.h"

struct comparison {
    struct diff_report *report;
    struct diff_requests requests;
};

static void copy_text(char *out, size_t room, const struct json_node *n)
{
    if (n && n->type == JSON_STRING)
        snprintf(out, room, "%s", (const char *)n->text.p);
    tt_line_sanitize(out);
}

/* "serving-comparison without canaries_off, on the complete text" */
static void name_changes(struct diff_maker *m, const struct json_node *policy)
{
    const struct json_node *without = json_node_get(policy, "without"), *capture = json_node_get(policy, "capture");
    const char *separator = " without ";
    for (const struct json_node *c = without ? without->child : NULL; c; c = c->next) {
        size_t n = strlen(m->policy);
        if (c->type == JSON_STRING)
            snprintf(m->policy + n, sizeof m->policy - n, "%s%s", separator, (const char *)c->text.p);
        separator = ", ";
    }
    size_t n = strlen(m->policy);
    if (capture && capture->type == JSON_STRING && tt_view_equal(capture->text, "complete"))
        snprintf(m->policy + n, sizeof m->policy - n, ", on the complete text");
    tt_line_sanitize(m->policy);
}

/* "5.0 ms and 1.0 percent" */
static void name_limits(struct diff_maker *m, const struct json_node *limited)
{
    const struct json_node *ms = json_node_get(limited, "limit_ms"), *percent = json_node_get(limited, "limit_percent");
    if (ms && percent && ms->type == JSON_NUMBER && percent->type == JSON_NUMBER)
        snprintf(m->limits, sizeof m->limits, "%.24s ms and %.24s percent%s", (const char *)ms->text.p,
                 (const char *)percent->text.p,
                 json_node_get(limited, "strict") && json_node_get(limited, "strict")->type == JSON_TRUE ? ", strict"
                                                                                                         : "");
}

static struct diff_maker maker_of(const struct json_node *root)
{
    struct diff_maker m = {.generation = artifact_generation_of(root)};
    const struct json_node *trace = json_node_get(root, "trace"), *policy = json_node_get(trace, "policy");
    copy_text(m.analyzer, sizeof m.analyzer, json_node_get(trace, "analyzer_version"));
    copy_text(m.policy, sizeof m.policy, json_node_get(policy, "name"));
    copy_text(m.fingerprint, sizeof m.fingerprint, json_node_get(policy, "fingerprint"));
    name_changes(&m, policy);
    name_limits(&m, json_node_get(json_node_get(trace, "timing"), "client_limited"));
    return m;
}

static void take_difference(void *user, const struct diff_entry *e)
{
    struct comparison *c = user;
    struct diff_report *r = c->report;
    if (masks_hide(&r->masks, e->path))
        return;
    enum diff_class class = diff_classify(r, &c->requests, e);
    size_t headline = headline_find(e->path);
    r->differences++;
    r->counts[class]++;
    if (headline < HEADLINES)
        r->headline_differs[headline] = true;
    if (class == DIFF_UNEXPLAINED)
        difference_list_add(&r->unexplained, e);
    else if (class == DIFF_DERIVED)
        difference_list_add(&r->derived, e);
    else if (class == DIFF_RULE || class == DIFF_FORM)
        difference_list_add(&r->told, e);
}

/* A row that became a failure takes its times along: they are compared as well. `row` is the side that has it. */
static enum tt_status compare_moved(struct comparison *c, const struct diff_request *q, unsigned row,
                                    const struct diff_options *how, struct tt_error *err)
{
    const struct json_node *timing = json_node_get(q->failure[!row], "response_timing"), *sides[2];
    struct diff_path path = {.n = 0};
    if (!timing || timing->type != JSON_OBJECT_BEGIN)
        return TT_OK;
    sides[row] = q->row[row];
    sides[!row] = timing;
    path.n =
        (size_t)(row == 0 ? snprintf(path.text, sizeof path.text, "request_timings[%zu]", q->row_at[0])
                          : snprintf(path.text, sizeof path.text, "failures[%zu].response_timing", q->failure_at[0]));
    return diff_subtrees(&path, json_node_get(q->row[row], "request_index"), sides[0], sides[1], how,
                         &c->report->compared, err);
}

static enum tt_status compare(struct comparison *c, const struct json_node *const roots[2],
                              const struct difference_options *options, struct tt_error *err)
{
    const struct diff_options how = {
        .by_value = options->by_value, .peers = true, .ulp = options->ulp, .each = take_difference, .user = c};
    enum tt_status st = diff_trees(roots[0], roots[1], &how, &c->report->compared, err);
    for (size_t i = 0; i < c->requests.n && st == TT_OK; i++) {
        const struct diff_request *q = &c->requests.at[i];
        if (q->row[0] && q->failure[1])
            st = compare_moved(c, q, 0, &how, err);
        else if (q->row[1] && q->failure[0])
            st = compare_moved(c, q, 1, &how, err);
    }
    return st;
}

/* Invariants that bind the numbers over all requests to the requests. */
static bool binds(const char *invariant)
{
    static const char *const names[] = {"counts", "indexes",    "responses",   "protocol",      "metrics.",
                                        "p99",    "population", "eligibility", "trace.accounts"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(invariant, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* What was explained by the requests has to follow from them, in each of the two. */
static enum tt_status look_for_contradictions(struct diff_report *r, const struct json_node *const roots[2],
                                              struct tt_error *err)
{
    struct audit_report *audit = malloc(sizeof *audit);
    enum tt_status st = audit ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for an audit");
    for (unsigned side = 0; side < 2 && st == TT_OK; side++) {
        size_t n;
        const struct audit_invariant *list = audit_list(&n);
        st = audit_result(roots[side], audit, err);
        for (size_t i = 0; i < n && st == TT_OK; i++) {
            if (audit->findings[i].verdict != AUDIT_CONTRADICTED || !binds(list[i].id))
                continue;
            struct diff_contradiction *d = &r->contradictions[r->contradiction_count++];
            *d = (struct diff_contradiction){side, list[i].id, ""};
            snprintf(d->text, sizeof d->text, "%s", audit->findings[i].text);
        }
    }
    free(audit);
    return st;
}

static void note_makers(struct diff_report *r, const struct json_node *const roots[2])
{
    for (unsigned side = 0; side < 2; side++) {
        r->makers[side] = maker_of(roots[side]);
        headlines_of_result(roots[side], r->headlines[side]);
    }
    r->same_makers = r->makers[0].analyzer[0] && strcmp(r->makers[0].analyzer, r->makers[1].analyzer) == 0 &&
                     strcmp(r->makers[0].policy, r->makers[1].policy) == 0 &&
                     strcmp(r->makers[0].fingerprint, r->makers[1].fingerprint) == 0 &&
                     strcmp(r->makers[0].limits, r->makers[1].limits) == 0;
}

static enum tt_status begin_lists(struct diff_report *r, struct tt_error *err)
{
    enum tt_status st = difference_list_begin(&r->told, err);
    if (st == TT_OK)
        st = difference_list_begin(&r->derived, err);
    return st == TT_OK ? difference_list_begin(&r->unexplained, err) : st;
}

enum tt_status diff_results(const struct json_node *const roots[2], const struct diff_names *names,
                            const struct difference_options *options, struct diff_report *out, struct tt_error *err)
{
    struct comparison c = {.report = out};
    *out = (struct diff_report){0};
    enum tt_status st = begin_lists(out, err);
    if (st == TT_OK)
        st = diff_same_tape(roots, names, &out->one_tape, out->head, err);
    if (st != TT_OK)
        return st;
    note_makers(out, roots);
    masks_begin(&out->masks, options, roots[0], roots[1]);
    st = diff_requests_read(&c.requests, roots, names, err);
    if (st == TT_OK)
        st = diff_requests_compare(&c.requests, options, err);
    if (st == TT_OK)
        st = compare(&c, roots, options, err);
    if (st == TT_OK)
        st = diff_requests_moves(&c.requests, out, err);
    if (st == TT_OK && out->counts[DIFF_HEADLINE] + out->counts[DIFF_DERIVED] > 0)
        st = look_for_contradictions(out, roots, err);
    diff_requests_free(&c.requests);
    return st;
}

void diff_free(struct diff_report *report)
{
    difference_list_free(&report->told);
    difference_list_free(&report->derived);
    difference_list_free(&report->unexplained);
    free(report->moves);
    report->moves = NULL;
}
