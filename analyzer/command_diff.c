#include <stdlib.h>

#include "command.h"
#include "diff.h"

struct session {
    const struct arguments *arguments;
    const struct json_node *roots[2];
    struct diff_names names;
    struct difference_options options;
    struct diff_report report;
};

static void write_text(const void *session, struct output *o)
{
    const struct session *s = session;
    diff_write_text(&s->report, &s->names, &s->options, s->arguments->verbose, o);
}

static void write_json(const void *session, struct json_out *json)
{
    const struct session *s = session;
    diff_write_json(&s->report, &s->names, &s->options, json);
}

static void compare(struct session *s, struct outcome *out)
{
    if (diff_results(s->roots, &s->names, &s->options, &s->report, &out->error) != TT_OK)
        command_fail_result(out);
    else if (command_write_report(s->arguments, write_text, write_json, s, &out->error) != TT_OK)
        command_fail_output(out);
    else if (s->report.differences > 0)
        out->exit = EXIT_DOES_NOT_HOLD;
    diff_free(&s->report);
}

void command_diff(const struct arguments *a, struct outcome *out)
{
    struct json_tree *trees[2] = {NULL, NULL};
    struct session *s = calloc(1, sizeof *s);
    enum tt_status st = s ? TT_OK : tt_fail(&out->error, TT_NOMEM, TT_NO_OFFSET, "no memory for a report");
    if (st == TT_OK && masks_check(a->masked, a->masked_count, &out->error) != TT_OK) {
        out->exit = EXIT_USAGE;
        free(s);
        return;
    }
    for (unsigned side = 0; side < 2 && st == TT_OK; side++) {
        s->names.of[side] = a->files[side];
        st = artifact_load(&trees[side], a->files[side], &out->error);
        if (st == TT_OK)
            s->roots[side] = json_tree_root(trees[side]);
    }
    if (st == TT_OK) {
        s->arguments = a;
        s->options = (struct difference_options){a->masked, a->masked_count, a->has_ulp, a->ulp};
        compare(s, out);
    } else {
        command_fail_result(out);
    }
    json_tree_free(trees[0]);
    json_tree_free(trees[1]);
    free(s);
}
