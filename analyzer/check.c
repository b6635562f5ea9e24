#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "result.h"

static void keep(struct check_report *r, const struct diff_entry *e)
{
    if (r->kept_count == CHECK_KEPT)
        return;
    struct check_difference *d = &r->kept[r->kept_count++];
    double a, b;
    *d = (struct check_difference){.kind = e->kind};
    snprintf(d->path, sizeof d->path, "%s", e->path);
    d->has_request = json_node_u64(e->request, &d->request);
    diff_value_texts(e->claimed, e->ours, d->claimed, d->ours);
    if (e->kind != DIFF_VALUE || !json_node_double(e->claimed, &a) || !json_node_double(e->ours, &b))
        return;
    d->is_number = !json_number_is_integer(e->claimed->text) || !json_number_is_integer(e->ours->text);
    d->ulps = diff_ulps(a, b);
}

static void take_difference(void *user, const struct diff_entry *e)
{
    struct check_report *r = user;
    for (size_t i = 0; i < r->mask_count; i++)
        if (diff_path_covers(r->masks[i].path, e->path)) {
            r->masks[i].differences++;
            r->masked++;
            return;
        }
    r->differences++;
    r->version_only = r->differences == 1 && strcmp(e->path, "trace.analyzer_version") == 0;
    keep(r, e);
}

enum tt_status check_mask_valid(const char *path, struct tt_error *err)
{
    const struct json_node *unused;
    if (strlen(path) < DIFF_PATH_BYTES && diff_path_find(NULL, path, &unused))
        return TT_OK;
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--masked '%.80s' is no field; give its path, as in base_url or request_timings[3].ttft_ms", path);
}

static void note_masks(struct check_report *r, const struct check_options *options, const struct json_node *claimed,
                       const struct json_node *ours)
{
    for (; r->mask_count < options->masked_count; r->mask_count++) {
        struct check_mask *m = &r->masks[r->mask_count];
        const struct json_node *a = NULL, *b = NULL;
        *m = (struct check_mask){.path = options->masked[r->mask_count]};
        m->exists = diff_path_find(claimed, m->path, &a) && diff_path_find(ours, m->path, &b) && (a || b);
    }
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

enum tt_status check_result(const struct run *run, const struct json_node *claimed, const struct check_options *options,
                            struct check_report *out, struct tt_error *err)
{
    struct json_tree *tree = NULL;
    *out = (struct check_report){.kept = calloc(CHECK_KEPT, sizeof *out->kept)};
    if (!out->kept)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for a report");
    enum tt_status st = recompute(run, !json_node_get(claimed, "trace"), &tree, err);
    if (st != TT_OK)
        return st;
    const struct json_node *ours = json_tree_root(tree);
    st = artifact_same_run(claimed, ours, &out->heads, err);
    if (st == TT_OK) {
        struct diff_options how = {options->by_value, options->ulp, take_difference, out};
        note_masks(out, options, claimed, ours);
        note_version(out, claimed);
        st = diff_trees(claimed, ours, &how, &out->compared, err);
    }
    json_tree_free(tree);
    return st;
}

void check_free(struct check_report *report)
{
    free(report->kept);
    report->kept = NULL;
}
