#include "check.h"

#include <stdio.h>

#include "result.h"

static void take_difference(void *user, const struct diff_entry *e)
{
    struct check_report *r = user;
    if (masks_hide(&r->masks, e->path))
        return;
    difference_list_add(&r->list, e);
    r->version_only = r->list.count == 1 && strcmp(e->path, "trace.analyzer_version") == 0;
}

static void note_version(struct check_report *r, const struct json_node *claimed)
{
    const struct json_node *version = json_node_get(json_node_get(claimed, "trace"), "analyzer_version");
    if (!version || version->type != JSON_STRING)
        return;
    snprintf(r->made_by, sizeof r->made_by, "%s", (const char *)version->text.p);
    tt_line_sanitize(r->made_by);
    r->other_version = !tt_view_equal(version->text, TOKENTAPE_VERSION);
}

/* What `result` would write now, as a tree. */
static enum tt_status recompute(const struct run *run, bool schema_exact, struct json_tree **out, struct tt_error *err)
{
    struct result_options options = {.schema_exact = schema_exact};
    struct json_out *json = json_out_create(0);
    enum tt_status st =
        json ? result_write(run, &options, json, err) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for a result");
    if (st == TT_OK)
        st = json_tree_parse(out, json_out_bytes(json), err);
    json_out_free(json);
    return st;
}

enum tt_status check_result(const struct run *run, const struct json_node *claimed,
                            const struct difference_options *options, struct check_report *out, struct tt_error *err)
{
    struct json_tree *tree = NULL;
    *out = (struct check_report){0};
    enum tt_status st = difference_list_begin(&out->list, err);
    if (st != TT_OK || (st = recompute(run, !json_node_get(claimed, "trace"), &tree, err)) != TT_OK)
        return st;
    const struct json_node *ours = json_tree_root(tree);
    st = artifact_same_run(claimed, ours, &out->heads, err);
    if (st == TT_OK) {
        struct diff_options how = {
            .by_value = options->by_value, .ulp = options->ulp, .each = take_difference, .user = out};
        masks_begin(&out->masks, options, claimed, ours);
        note_version(out, claimed);
        out->names_policy = json_node_get(json_node_get(claimed, "trace"), "policy") != NULL;
        st = diff_trees(claimed, ours, &how, &out->compared, err);
    }
    json_tree_free(tree);
    return st;
}

void check_claimed_limit(const struct json_node *claimed, struct client_limit *limit)
{
    const struct json_node *timing = json_node_get(json_node_get(claimed, "trace"), "timing"),
                           *told = json_node_get(timing, "client_limited");
    double ms, percent;
    if (json_node_double(json_node_get(told, "limit_ms"), &ms) &&
        json_node_double(json_node_get(told, "limit_percent"), &percent))
        client_limit_from_json(ms, percent, limit);
}

void check_free(struct check_report *report)
{
    difference_list_free(&report->list);
}
