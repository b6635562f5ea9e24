#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "near.h"
#include "whatif.h"

_Static_assert(2 * ARGUMENTS_MAX_VARIANTS + 3 <= WHATIF_RULES, "every variant of a command line has room");
_Static_assert(ARGUMENTS_MAX_ARMS <= WHATIF_ARMS, "and every tape");

static void add_rule(struct whatif_report *r, const struct policy *p, const char *option, const char *value)
{
    struct whatif_rule *rule = &r->rules[r->rule_count++];
    rule->policy = *p;
    snprintf(rule->label, sizeof rule->label, "%s%s%.120s", option, option[0] && value[0] ? " " : "", value);
    tt_line_sanitize(rule->label);
}

static const char *reason_name(size_t i)
{
    return reason_describe((enum reason_code)(i + 1))->id;
}

static enum tt_status unknown_reason(const char *id, struct tt_error *err)
{
    char near[NEAR_BYTES];
    near_names(id, reason_name, REASON_CODES - 1, near);
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--without '%.60s': there is no such reason%s%s; 'tokentape-analyze reasons' lists them", id,
                   near[0] ? "; near it: " : "", near);
}

/* The base is the first of several policies, else the standard; one policy alone is a variant. */
static enum tt_status read_policies(const struct arguments *a, struct whatif_report *r, struct tt_error *err)
{
    struct policy p;
    policy_begin(&p);
    if (a->policy_count < 2)
        add_rule(r, &p, "", policy_name(&p));
    for (size_t i = 0; i < a->policy_count; i++) {
        enum tt_status st = policy_load(&p, a->policies[i], err);
        if (st != TT_OK)
            return st;
        add_rule(r, &p, r->rule_count ? "--policy" : "", a->policies[i]);
    }
    return TT_OK;
}

static enum tt_status read_variants(const struct arguments *a, struct whatif_report *r, struct tt_error *err)
{
    for (size_t i = 0; i < a->without_count; i++) {
        struct policy p = r->rules[0].policy;
        enum tt_status st = reason_find(tt_view_str(a->without[i])) == REASON_NONE
                                ? unknown_reason(a->without[i], err)
                                : policy_without(&p, a->without[i], err);
        if (st != TT_OK)
            return st;
        add_rule(r, &p, "--without", a->without[i]);
    }
    if (a->full_capture) {
        struct policy p = r->rules[0].policy;
        policy_set_capture(&p, POLICY_CAPTURE_COMPLETE);
        add_rule(r, &p, "--full-capture", "");
    }
    if (a->strict_timing) {
        struct policy p = r->rules[0].policy;
        policy_set_strict_timing(&p);
        add_rule(r, &p, "--strict-timing", "");
    }
    return TT_OK;
}

/* The tapes, judged under the base. False: out says why not. */
static bool load_arms(const struct arguments *a, struct whatif_report *r, struct run **runs, struct outcome *out)
{
    for (size_t i = 0; i < a->file_count; i++) {
        struct outcome one = {.exit = EXIT_ALL_SUCCEEDED};
        struct arguments arm = *a;
        arm.tape = a->files[i];
        runs[i] = command_load_under(&arm, &r->rules[0].policy, &arm.client_limit, &one);
        if (!runs[i]) {
            *out = one;
            return false;
        }
        command_conclude_arm(&arm, runs[i], out);
        r->tapes[i] = arm.tape;
        r->requests[i] = runs[i]->count;
        r->arm_count++;
    }
    return true;
}

static void write_text(const void *report, struct output *o)
{
    whatif_write_text(report, o);
}

static void write_json(const void *report, struct json_out *json)
{
    whatif_write_json(report, json);
}

static void judge(const struct arguments *a, struct whatif_report *r, struct run **runs, struct outcome *out)
{
    if (read_policies(a, r, &out->error) != TT_OK || read_variants(a, r, &out->error) != TT_OK) {
        command_fail_policy(out);
        return;
    }
    if (!load_arms(a, r, runs, out))
        return;
    if (whatif_judge(r, runs, &out->error) != TT_OK)
        command_fail_input(a, out);
    else if (command_write_report(a, write_text, write_json, r, &out->error) != TT_OK)
        command_fail_output(out);
}

void command_whatif(const struct arguments *a, struct outcome *out)
{
    struct run *runs[WHATIF_ARMS] = {NULL};
    struct whatif_report *r = calloc(1, sizeof *r);
    if (r) {
        judge(a, r, runs, out);
        whatif_free(r);
    } else {
        tt_fail(&out->error, TT_NOMEM, TT_NO_OFFSET, "no memory for a report");
        command_fail_input(a, out);
    }
    for (size_t i = 0; i < a->file_count; i++)
        run_free(runs[i]);
    free(r);
}
