/* What `check` says to people. */
#include "check.h"

#include <stdio.h>

#include "number.h"

#define SHOWN 20u

static void say_verdict(struct output *o, const struct check_report *r)
{
    char a[NUMBER_BYTES], b[NUMBER_BYTES];
    if (r->list.count > 0) {
        output_say(o, "DOES NOT HOLD · %s difference%s · %s values compared\n", number_u64(r->list.count, a),
                   r->list.count == 1 ? "" : "s", number_u64(r->compared, b));
        return;
    }
    output_say(o, "HOLDS");
    masks_say_exception(&r->masks, o);
    output_say(o, " · %s values compared\n", number_u64(r->compared, a));
}

/* The result says itself which limit it was made with; one that hides every late request is not to pass unseen. */
static void say_limit(struct output *o, const struct client_limit *limit)
{
    const struct client_limit usual = CLIENT_LIMIT_DEFAULT;
    if (limit->us != usual.us || limit->milli_percent != usual.milli_percent)
        output_say(
            o, "limit   up to %.10g ms or %.6g %% of a time may be the client's own, in place of %g ms or %g %%\n",
            client_limit_ms(limit), client_limit_percent(limit), client_limit_ms(&usual), client_limit_percent(&usual));
}

static void say_files(struct output *o, const struct check_report *r, const struct run *run,
                      const struct check_names *names, const struct difference_options *options)
{
    static const char *const heads[] = {
        [ARTIFACT_HEADS_UNKNOWN] = "not compared: the result has no trace, so no head",
        [ARTIFACT_HEADS_SAME] = "the same in the result",
        [ARTIFACT_HEADS_DIFFER] = "another one in the result, of a tape with the same id: one of the two was changed",
    };
    char head[65] = "", changes[POLICY_CHANGES_BYTES];
    for (size_t i = 0; i < sizeof run->tape.head; i++)
        snprintf(head + 2 * i, 3, "%02x", run->tape.head[i]);
    output_say(o, "result  %s%s%s\n", names->result, r->made_by[0] ? ", made by tokentape-analyze " : "", r->made_by);
    output_say(o, "tape    %s, %s\n", names->tape, reader_state_name(run->tape.state));
    output_say(o, "head    %s\n", head);
    output_say(o, "        %s\n", heads[r->heads]);
    output_say(o, "policy  %s %llu%s%s\n", policy_name(&run->policy), (unsigned long long)policy_version(&run->policy),
               policy_changes(&run->policy, changes), r->names_policy ? "" : "; the result names none");
    say_limit(o, &run->client_limit);
    difference_say_rule(options, o);
    if (r->other_version)
        output_say(
            o, "version the result is that of analyzer %s, this is " TOKENTAPE_VERSION ": a rule may have changed\n",
            r->made_by);
}

static void say_difference(struct output *o, const struct difference *d)
{
    char request[40], ulps[64];
    difference_request_text(d, request);
    difference_ulps_text(d, ulps);
    switch (d->kind) {
    case DIFF_VALUE:
        output_say(o, "  %s%s: %s, the tape gives %s%s\n", d->path, request, d->claimed, d->ours, ulps);
        break;
    case DIFF_MISSING:
        output_say(o, "  %s%s: missing, the tape gives %s\n", d->path, request, d->ours);
        break;
    case DIFF_EXTRA:
        output_say(o, "  %s%s: %s, the tape gives none\n", d->path, request, d->claimed);
        break;
    case DIFF_ORDER:
        output_say(o, "  %s%s: not in its place; the order is that of keys and of requests\n", d->path, request);
        break;
    }
}

static void say_differences(struct output *o, const struct check_report *r)
{
    char more[NUMBER_BYTES];
    if (r->version_only)
        output_say(o, "the analyzer's version is all that differs; --masked trace.analyzer_version accepts that\n");
    for (size_t i = 0; i < r->list.kept_count && i < SHOWN; i++)
        say_difference(o, &r->list.kept[i]);
    if (r->list.count > SHOWN)
        output_say(o, "  and %s more; --json lists up to %u\n", number_u64(r->list.count - SHOWN, more),
                   DIFFERENCES_KEPT);
}

void check_write_text(const struct check_report *report, const struct run *run, const struct check_names *names,
                      const struct difference_options *options, struct output *o)
{
    say_verdict(o, report);
    say_files(o, report, run, names, options);
    masks_say(&report->masks, o);
    say_differences(o, report);
}
