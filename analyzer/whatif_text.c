/* What `whatif` says to people. */
#include <stdio.h>

#include "number.h"
#include "whatif.h"

/* "2 come in, 1 goes out"; what is none is not said. */
static void say_counts(struct output *o, const struct whatif_case *c)
{
    const struct {
        uint64_t n;
        const char *one, *many;
    } counts[] = {{c->in, "comes in", "come in"},
                  {c->out, "goes out", "go out"},
                  {c->otherwise, "is left out for another reason", "are left out for another reason"}};
    const char *comma = "";
    char text[NUMBER_BYTES];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].n == 0)
            continue;
        output_say(o, "%s%s %s", comma, number_u64(counts[i].n, text),
                   counts[i].n == 1 ? counts[i].one : counts[i].many);
        comma = ", ";
    }
    if (!comma[0])
        output_say(o, "no request moves");
}

/* What the numbers rest on: how many count, and what withholds the throughput. */
static void say_standing(struct output *o, const struct whatif_case *c, uint64_t requests)
{
    char counting[NUMBER_BYTES], all[NUMBER_BYTES];
    output_say(o, "%s of %s count", number_u64(c->counting, counting), number_u64(requests, all));
    if (c->withholding != REASON_NONE)
        output_say(o, ", throughput withheld (%s)", reason_describe(c->withholding)->id);
}

/* No rule lets in what has nothing to count, whatever it was left out for before. */
static void say_no_row(struct output *o, const struct whatif_case *c)
{
    if (c->excluded[REASON_NO_ROW] > 0)
        output_say(o, "    %s cannot be waived: %s\n", reason_describe(REASON_NO_ROW)->id,
                   reason_describe(REASON_NO_ROW)->meaning);
}

static void say_numbers(struct output *o, const struct whatif_case *base, const struct whatif_case *c)
{
    for (size_t i = 0; i < HEADLINES; i++) {
        if (headline_same(&base->headlines[i], &c->headlines[i]))
            continue;
        output_say(o, "  ");
        headline_say(o, i, &base->headlines[i], &c->headlines[i]);
    }
}

static bool is_as_under_base(const struct whatif_report *r, size_t rule, enum reason_code reason)
{
    for (size_t arm = 0; arm < r->arm_count; arm++)
        if (whatif_case_of(r, rule, arm)->excluded[reason] != whatif_case_of(r, 0, arm)->excluded[reason])
            return false;
    return rule > 0;
}

static void say_uneven(struct output *o, const struct whatif_report *r, size_t rule, enum reason_code reason)
{
    output_say(o, "    %s:", reason_describe(reason)->id);
    for (size_t arm = 0; arm < r->arm_count; arm++) {
        char n[NUMBER_BYTES], all[NUMBER_BYTES], share[NUMBER_BYTES];
        uint64_t taken = whatif_case_of(r, rule, arm)->excluded[reason], requests = r->requests[arm];
        output_say(o, "%s %s of %s (%s %%)", arm ? "," : "", number_u64(taken, n), number_u64(requests, all),
                   number_double(requests ? 100.0 * (double)taken / (double)requests : 0, 1, share));
    }
    output_say(o, "\n");
}

/* A comparison leans to the arm that loses less. What is as under the base was said there. */
static void say_all_uneven(struct output *o, const struct whatif_report *r, size_t rule)
{
    bool any = false;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        if (!whatif_is_uneven(r, rule, (enum reason_code)code) || is_as_under_base(r, rule, (enum reason_code)code))
            continue;
        if (!any)
            output_say(o, "  warning: takes more from one tape than from another, in the order of the tapes\n");
        any = true;
        say_uneven(o, r, rule, (enum reason_code)code);
    }
}

static void say_between(struct output *o, const struct whatif_report *r, size_t rule)
{
    const struct whatif_between *b = &r->between[rule];
    say_all_uneven(o, r, rule);
    if (b->reason != REASON_NONE)
        output_say(o, "  warning: %s: %s; %s %s\n", reason_describe(b->reason)->id, b->seen,
                   policy_name(&r->rules[rule].policy),
                   b->effect == REASON_WARNS ? "warns of it" : "does not compare such runs");
}

static void say_rule(struct output *o, const struct whatif_report *r, size_t rule)
{
    output_say(o, "%s\n", r->rules[rule].label);
    for (size_t arm = 0; arm < r->arm_count; arm++) {
        const struct whatif_case *c = whatif_case_of(r, rule, arm);
        output_say(o, "  %s: ", r->tapes[arm]);
        say_counts(o, c);
        output_say(o, "; ");
        say_standing(o, c, r->requests[arm]);
        output_say(o, "\n");
        moves_say(c->moves, c->move_count, "    ", o);
        say_no_row(o, c);
        say_numbers(o, whatif_case_of(r, 0, arm), c);
    }
    say_between(o, r, rule);
}

void whatif_write_text(const struct whatif_report *r, struct output *o)
{
    output_say(o, "WHAT IF · base %s\n", r->rules[0].label);
    for (size_t arm = 0; arm < r->arm_count; arm++) {
        output_say(o, "  %s: ", r->tapes[arm]);
        say_standing(o, whatif_case_of(r, 0, arm), r->requests[arm]);
        output_say(o, "\n");
    }
    say_between(o, r, 0);
    for (size_t rule = 1; rule < r->rule_count; rule++)
        say_rule(o, r, rule);
}
