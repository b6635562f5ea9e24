#include "audit.h"
#include "command.h"

struct session { /* one command over many results */
    const struct arguments *arguments;
    struct outcome *out;
    struct output *output;
    struct json_out *json;
    struct audit_totals totals;
};

static void add_to_totals(struct audit_totals *t, const struct audit_report *r)
{
    t->results++;
    t->with_contradictions += r->contradicted > 0;
    t->rows += r->rows;
    t->proven += r->proven;
    t->contradicted += r->contradicted;
    t->unprovable += r->unprovable;
    t->compared += r->compared;
}

/* A result that cannot be used is said, and the others are read all the same. */
static void audit_one(struct session *s, const char *path)
{
    const struct arguments *a = s->arguments;
    struct json_tree *tree = NULL;
    struct audit_report report;
    struct tt_error err = {0};
    enum tt_status st = artifact_load(&tree, path, &err);
    if (st == TT_OK)
        st = audit_result(json_tree_root(tree), &report, &err);
    json_tree_free(tree);
    if (st != TT_OK) {
        s->totals.unusable++;
        if (s->out->error.code == TT_OK) { /* the first; the table has them all */
            s->out->error = err;
            command_fail_result(s->out);
        }
        if (!a->json && a->file_count > 1)
            output_say(s->output, "%-13s %7s %8s %12s %12s  %s\n", "unusable", "-", "-", "-", "-", err.line);
        return;
    }
    add_to_totals(&s->totals, &report);
    if (s->json)
        audit_write_json(&report, path, s->json);
    else if (a->file_count == 1 || a->verbose)
        audit_write_text(&report, path, s->output);
    else
        audit_table_row(&report, path, s->output);
}

static void audit_files(struct session *s)
{
    const struct arguments *a = s->arguments;
    bool table = !a->json && a->file_count > 1;
    if (s->json)
        json_out_array(s->json);
    if (table && !a->verbose)
        audit_table_head(s->output);
    for (size_t i = 0; i < a->file_count; i++)
        audit_one(s, a->files[i]);
    if (s->json)
        json_out_array_end(s->json);
    if (table)
        audit_table_totals(&s->totals, s->output);
}

static enum exit_status exit_of(const struct session *s)
{
    if (s->totals.unusable > 0)
        return EXIT_UNUSABLE;
    if (s->totals.contradicted > 0)
        return EXIT_DOES_NOT_HOLD;
    return s->arguments->require_proven && s->totals.unprovable > 0 ? EXIT_INCOMPLETE : EXIT_ALL_SUCCEEDED;
}

void command_audit(const struct arguments *a, struct outcome *out)
{
    struct session s = {.arguments = a, .out = out};
    struct tt_error err = {0};
    enum tt_status st = output_create(&s.output, NULL, &err);
    if (st == TT_OK && a->json) {
        s.json = json_out_create(2);
        st = s.json ? TT_OK : tt_fail(&err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    }
    if (st == TT_OK && a->list && s.json)
        audit_list_json(s.json);
    else if (st == TT_OK && a->list)
        audit_list_text(s.output);
    else if (st == TT_OK)
        audit_files(&s);
    if (st == TT_OK && s.json)
        st = output_json(s.output, s.json, &err);
    if (st == TT_OK)
        st = output_finish(s.output, &err);
    out->exit = exit_of(&s);
    if (st != TT_OK) {
        out->error = err;
        command_fail_output(out);
    }
    json_out_free(s.json);
    output_free(s.output);
}
