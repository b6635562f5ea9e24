#include "check.h"
#include "command.h"

static enum tt_status write_report(const struct arguments *a, const struct run *run, const struct check_report *report,
                                   const struct check_options *options, struct tt_error *err)
{
    const struct check_names names = {a->tape, a->files[1]};
    struct json_out *json = NULL;
    struct output *o;
    enum tt_status st = output_create(&o, NULL, err);
    if (st != TT_OK)
        return st;
    if (a->json) {
        json = json_out_create(2);
        if (json)
            check_write_json(report, run, &names, options, json);
        st = output_json(o, json, err);
    } else {
        check_write_text(report, run, &names, options, o);
    }
    if (st == TT_OK)
        st = output_finish(o, err);
    json_out_free(json);
    output_free(o);
    return st;
}

static void check_run(const struct arguments *a, const struct run *run, const struct json_node *claimed,
                      struct outcome *out)
{
    struct check_options options = {a->masked, a->masked_count, a->has_ulp, a->ulp};
    struct check_report report;
    enum tt_status st = check_result(run, claimed, &options, &report, &out->error);
    if (st == TT_FOREIGN) {
        tt_wrap(&out->error, "%.200s", a->files[1]);
        command_fail_result(out);
    } else if (st != TT_OK) {
        command_fail_input(a, out);
    } else if (write_report(a, run, &report, &options, &out->error) != TT_OK) {
        command_fail_output(out);
    } else if (report.differences > 0) {
        out->exit = EXIT_DOES_NOT_HOLD;
    } else {
        command_conclude(a, run, out);
        if (out->exit == EXIT_SOME_FAILED) /* that requests failed is what the result says, too */
            out->exit = EXIT_ALL_SUCCEEDED;
    }
    check_free(&report);
}

void command_check(const struct arguments *a, struct outcome *out)
{
    struct json_tree *claimed = NULL;
    struct run *run = NULL;
    for (size_t i = 0; i < a->masked_count; i++)
        if (check_mask_valid(a->masked[i], &out->error) != TT_OK) {
            out->exit = EXIT_USAGE;
            return;
        }
    if (artifact_load(&claimed, a->files[1], &out->error) != TT_OK)
        command_fail_result(out);
    else
        run = command_load(a, out);
    if (run)
        check_run(a, run, json_tree_root(claimed), out);
    run_free(run);
    json_tree_free(claimed);
}
