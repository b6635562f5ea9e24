/* What `diff` says to people. */
#include <stdio.h>

#include "diff.h"
#include "number.h"

#define SHOWN 20u
#define SHOWN_VERBOSE DIFFERENCES_KEPT

static void say_count(struct output *o, uint64_t n, const char *one, const char *many)
{
    char text[NUMBER_BYTES];
    if (n > 0)
        output_say(o, " · %s %s", number_u64(n, text), n == 1 ? one : many);
}

static void say_verdict(struct output *o, const struct diff_report *r)
{
    const uint64_t *counts = r->counts;
    if (r->differences == 0) {
        output_say(o, "SAME");
        masks_say_exception(&r->masks, o);
    } else {
        output_say(o, "DIFFER");
        say_count(o, counts[DIFF_UNEXPLAINED] + r->contradiction_count, "explained by no rule", "explained by no rule");
        say_count(o, r->move_count, "request moved", "requests moved");
        say_count(o, r->noted_count, "noted otherwise", "noted otherwise");
        say_count(o, counts[DIFF_HEADLINE], "headline number", "headline numbers");
        say_count(o, counts[DIFF_DERIVED], "derived", "derived");
        say_count(o, counts[DIFF_RULE], "of the rules", "of the rules");
        say_count(o, counts[DIFF_FORM], "of form", "of form");
    }
    say_count(o, r->compared, "value compared", "values compared");
    output_say(o, "\n");
}

static void say_files(struct output *o, const struct diff_report *r, const struct diff_names *names)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct diff_maker *m = &r->makers[side];
        output_say(o, "%c       %s", "AB"[side], names -> of[side]);
        if (m->analyzer[0])
            output_say(o, ", made by tokentape-analyze %s", m->analyzer);
        else
            output_say(o, ", of the %s generation", artifact_generation_name(m->generation));
        output_say(o, "%s%s", m->policy[0] ? ", policy " : "", m->policy);
        if (m->limits[0] && strcmp(r->makers[0].limits, r->makers[1].limits) != 0)
            output_say(o, ", the client's own above %s", m->limits);
        output_say(o, "\n");
    }
    if (r->one_tape)
        output_say(o, "tape    one: both name the head %s\n", r->head);
    else
        output_say(o, "tape    not proven to be one: %s without a trace, so without a head to compare\n",
                   r->makers[0].analyzer[0] || r->makers[1].analyzer[0] ? "one of the two is" : "both are");
    if (r->same_makers && r->one_tape && r->differences > 0)
        output_say(o, "!       the same analyzer and the same rules give the same bytes for one tape: a file was "
                      "changed, or they were made with another --mode\n");
}

/* "path (request 3): x -> y" */
static void say_difference(struct output *o, const char *mark, const struct difference *d)
{
    char request[40], ulps[64];
    difference_request_text(d, request);
    difference_ulps_text(d, ulps);
    output_say(o, "%-7s %s%s: ", mark, d->path, request);
    if (d->kind == DIFF_ORDER)
        output_say(o, "stands in another place\n");
    else
        output_say(o, "%s -> %s%s\n", d->claimed, d->ours, ulps);
}

static void say_list(struct output *o, const char *mark, const struct difference_list *list, size_t most)
{
    char more[NUMBER_BYTES];
    size_t shown = list->kept_count < most ? list->kept_count : most;
    for (size_t i = 0; i < shown; i++)
        say_difference(o, mark, &list->kept[i]);
    if (list->count > shown)
        output_say(o, "%-7s and %s more; %s lists up to %u\n", mark, number_u64(list->count - shown, more),
                   most == SHOWN ? "--verbose" : "--json", DIFFERENCES_KEPT);
}

static void say_contradictions(struct output *o, const struct diff_report *r)
{
    for (size_t i = 0; i < r->contradiction_count; i++) {
        const struct diff_contradiction *d = &r->contradictions[i];
        output_say(o, "!       %c contradicts itself: %s: %s\n", "AB"[d->side], d -> invariant, d -> text);
    }
}

static void say_headlines(struct output *o, const struct diff_report *r)
{
    bool any = false;
    for (size_t i = 0; i < HEADLINES; i++) {
        if (!r->headline_differs[i])
            continue;
        if (!any)
            output_say(o, "numbers\n");
        headline_say(o, i, &r->headlines[0][i], &r->headlines[1][i]);
        any = true;
    }
}

void diff_write_text(const struct diff_report *r, const struct diff_names *names,
                     const struct difference_options *options, bool verbose, struct output *o)
{
    size_t most = verbose ? SHOWN_VERBOSE : SHOWN;
    char count[NUMBER_BYTES];
    say_verdict(o, r);
    say_files(o, r, names);
    difference_say_rule(options, o);
    masks_say(&r->masks, o);
    say_list(o, "!", &r->unexplained, most);
    say_contradictions(o, r);
    say_list(o, "rules", &r->told, most);
    moves_say(r->moves, r->move_count, "moved   ", o);
    moves_say(r->moves + r->move_count, r->noted_count, "noted   ", o);
    say_headlines(o, r);
    if (verbose)
        say_list(o, "derived", &r->derived, most);
    else if (r->derived.count > 0)
        output_say(o, "derived %s more that follow from these; --verbose lists them\n",
                   number_u64(r->derived.count, count));
}
