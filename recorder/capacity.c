#include "capacity.h"

#include <stdio.h>

#include "../format/chain.h"
#include "analyze_child.h"
#include "progress.h"
#include "session.h"

#define PATIENCE_MS 1000
#define SUMMARY_BYTES 512

static int exit_for(enum tt_status code)
{
    switch (code) {
    case TT_OK:
        return EXIT_ALL_SUCCEEDED;
    case TT_END:
        return EXIT_INTERRUPTED;
    case TT_USAGE:
    case TT_EXISTS:
        return EXIT_USAGE;
    default:
        return EXIT_NOT_WRITTEN;
    }
}

static int severer(int a, int b)
{
    static const int order[] = {EXIT_NOT_WRITTEN, EXIT_INTERRUPTED, EXIT_INCOMPLETE, EXIT_SOME_FAILED};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_ALL_SUCCEEDED;
}

#define SAY(s, ...) talk_line_patient(&(s)->talk, PATIENCE_MS, __VA_ARGS__)

static void say_outcome(struct session *s)
{
    char line[SUMMARY_BYTES];
    const struct schedule_totals *t = schedule_totals(s->schedule);
    outcomes_describe(&t->measured, s->workload->measured, line, sizeof(line));
    if (line[0])
        SAY(s, "%s", line);
    uint64_t ended = t->measured.succeeded + t->measured.failed;
    if (ended < s->workload->measured)
        SAY(s, "stopped early: %llu of %u requests were never started",
            (unsigned long long)(s->workload->measured - ended), (unsigned)s->workload->measured);
    if (s->engine.capture.lost_reads > 0)
        SAY(s, "%llu reads were lost: the writer fell behind (a faster disk or a free core helps)",
            (unsigned long long)s->engine.capture.lost_reads);
}

static void say_where(struct session *s, enum tt_status code, const struct tt_error *err)
{
    uint8_t head[CHAIN_HASH_BYTES];
    char hex[CHAIN_HEX_BYTES + 1], bytes[32];
    progress_bytes(sink_tape_bytes(s->sink), bytes, sizeof(bytes));
    if (code != TT_OK) {
        SAY(s, "the tape %s is incomplete: %s", s->options->tape_path,
            sink_is_dead(s->sink) ? err->line : "the disk is full");
        SAY(s, "its first %s are readable: tokentape-analyze verify %s", bytes, s->options->tape_path);
        return;
    }
    sink_tape_head(s->sink, head);
    chain_hex(head, hex);
    if (!s->options->quiet)
        SAY(s, "tape: %s (%s, head %s)", s->options->tape_path, bytes, hex);
}

static bool analyzer_judged(int status)
{
    return status == EXIT_ALL_SUCCEEDED || status == EXIT_SOME_FAILED || status == EXIT_INCOMPLETE;
}

/* The result, where one is asked for, and the summary, by the analyzer. Its exit status; -1 when it could not judge. */
static int analyze(struct session *s)
{
    const struct options *o = s->options;
    int status = -1;
    if (o->output_path) {
        status = analyze_child_run(s->analyzer, "result", o->tape_path, o->output_path, false);
        if (!analyzer_judged(status)) {
            SAY(s, "the analyzer gave no result (status %d); the tape is kept: tokentape-analyze result %s -o %s",
                status, o->tape_path, o->output_path);
            return EXIT_SOME_FAILED;
        }
        if (o->quiet)
            return status;
        SAY(s, "result: %s", o->output_path);
    }
    int summary = analyze_child_run(s->analyzer, "summary", o->tape_path, NULL, o->quiet);
    return o->output_path ? status : analyzer_judged(summary) ? summary : -1;
}

/* What an answer said decides about success, and only the analyzer reads that. Without it (no --output, so it was not
 * needed) the transport alone is judged, and the run says so. */
static int judge(struct session *s, enum tt_status code)
{
    const struct schedule_totals *t = schedule_totals(s->schedule);
    int status = s->analyzer[0] ? analyze(s) : -1;
    if (status < 0) {
        status = t->measured.succeeded == s->workload->measured ? EXIT_ALL_SUCCEEDED : EXIT_SOME_FAILED;
        SAY(s, "what the answers said was not judged, %s: tokentape-analyze summary %s",
            s->analyzer[0] ? "tokentape-analyze gave no summary" : "for want of tokentape-analyze",
            s->options->tape_path);
    }
    if (t->interrupted)
        status = severer(status, EXIT_INTERRUPTED);
    return severer(status, exit_for(code));
}

int capacity_run(const struct options *options, const struct stamp_base *base)
{
    struct session s;
    struct tt_error err = {0};
    enum tt_status code = session_open(&s, options, base, &err);
    int status = exit_for(code);
    if (code != TT_OK) {
        SAY(&s, "tokentape-record: %s", err.line);
    } else {
        schedule_run(s.schedule);
        code = session_finish(&s, &err);
        say_outcome(&s);
        say_where(&s, code, &err);
        status = judge(&s, code);
    }
    session_clear(&s);
    return status;
}
