#include "check.h"
#include "command.h"

struct session {
    const struct run *run;
    struct check_names names;
    struct difference_options options;
    struct check_report report;
};

static void write_text(const void *session, struct output *o)
{
    const struct session *s = session;
    check_write_text(&s->report, s->run, &s->names, &s->options, o);
}

static void write_json(const void *session, struct json_out *json)
{
    const struct session *s = session;
    check_write_json(&s->report, s->run, &s->names, &s->options, json);
}

static void check_run(const struct arguments *a, const struct run *run, const struct json_node *claimed,
                      struct outcome *out)
{
    struct session s = {
        .run = run, .names = {a->tape, a->files[1]}, .options = {a->masked, a->masked_count, a->has_ulp, a->ulp}};
    enum tt_status st = check_result(run, claimed, &s.options, &s.report, &out->error);
    if (st == TT_FOREIGN) {
        tt_wrap(&out->error, "%.200s", a->files[1]);
        command_fail_result(out);
    } else if (st != TT_OK) {
        command_fail_input(a, out);
    } else if (command_write_report(a, write_text, write_json, &s, &out->error) != TT_OK) {
        command_fail_output(out);
    } else if (s.report.list.count > 0) {
        out->exit = EXIT_DOES_NOT_HOLD;
    } else {
        command_conclude(a, run, out);
        if (out->exit == EXIT_SOME_FAILED) /* that requests failed is what the result says, too */
            out->exit = EXIT_ALL_SUCCEEDED;
    }
    check_free(&s.report);
}

/* One that the result claims is named with the result. */
static void fail_policy(const struct arguments *a, struct outcome *out)
{
    if (out->error.code == TT_VERSION)
        tt_wrap(&out->error, "%.200s", a->files[1]);
    command_fail_policy(out);
}

/* Under the limit of the result, and as strict as it is, unless the command line says otherwise. */
static struct run *load_as_claimed(const struct arguments *a, const struct json_node *claimed, struct policy *policy,
                                   struct outcome *out)
{
    struct client_limit limit = a->client_limit;
    if (!a->has_max_client_error)
        check_claimed_limit(claimed, &limit);
    if (a->strict_timing)
        policy_set_strict_timing(policy);
    return command_load_under(a, policy, &limit, out);
}

void command_check(const struct arguments *a, struct outcome *out)
{
    struct json_tree *claimed = NULL;
    struct run *run = NULL;
    struct policy policy;
    if (masks_check(a->masked, a->masked_count, &out->error) != TT_OK) {
        out->exit = EXIT_USAGE;
        return;
    }
    if (artifact_load(&claimed, a->files[1], &out->error) != TT_OK)
        command_fail_result(out);
    else if (policy_of_result(&policy, json_tree_root(claimed), a->policy, &out->error) != TT_OK)
        fail_policy(a, out);
    else
        run = load_as_claimed(a, json_tree_root(claimed), &policy, out);
    if (run)
        check_run(a, run, json_tree_root(claimed), out);
    run_free(run);
    json_tree_free(claimed);
}
