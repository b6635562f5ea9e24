#include "capacity.h"

#include <stdio.h>
#include <unistd.h>

#include "../format/chain.h"
#include "analyze_child.h"
#include "around.h"
#include "progress.h"
#include "session.h"

#define PATIENCE_MS 1000
#define SUMMARY_BYTES 512

int capacity_exit_for(enum tt_status code)
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
    size_t waited = sink_high_water_bytes(s->sink);
    progress_bytes(waited, line, sizeof(line));
    if (waited > sink_room_bytes(s->sink) / 4 && !s->options->quiet)
        SAY(s, "the writer was behind by up to %s: a disk that stalled or is slow; reads were not delayed by it", line);
    if (s->engine.capture.lost_reads > 0)
        SAY(s, "%llu reads were lost: the writer fell behind (a faster disk or a free core helps)",
            (unsigned long long)s->engine.capture.lost_reads);
}

static bool tape_is_there(const struct session *s)
{
    return access(sink_tape_path(s->sink), F_OK) == 0;
}

static void say_where(struct session *s, enum tt_status code, const struct tt_error *err)
{
    uint8_t head[CHAIN_HASH_BYTES];
    char hex[CHAIN_HEX_BYTES + 1], bytes[32];
    const char *path = sink_tape_path(s->sink);
    progress_bytes(sink_tape_bytes(s->sink), bytes, sizeof(bytes));
    sink_tape_head(s->sink, head);
    chain_hex(head, hex);
    if (code != TT_OK && !tape_is_there(s))
        SAY(s, "%s", err->line);
    else if (code != TT_OK && sink_tape_is_whole(s->sink))
        SAY(s, "%s; all that was recorded is in %s (%s, head %s)", err->line, path, bytes, hex);
    else if (code != TT_OK)
        SAY(s, "%s; the first %s of %s can be read: tokentape-analyze verify %s", err->line, bytes, path, path);
    else if (!s->options->quiet)
        SAY(s, "tape: %s (%s, head %s)", path, bytes, hex);
}

static bool analyzer_judged(int status)
{
    return status == EXIT_ALL_SUCCEEDED || status == EXIT_SOME_FAILED || status == EXIT_INCOMPLETE;
}

static int say_interrupted(struct session *s, const char *command)
{
    SAY(s, "interrupted, but the tape is closed: tokentape-analyze %s %s", command, sink_tape_path(s->sink));
    return EXIT_INTERRUPTED;
}

/* The result, where one is asked for, and the summary, by the analyzer. Its exit status; -1 when it could not judge. */
static int analyze(struct session *s)
{
    const struct options *o = s->options;
    const char *tape = sink_tape_path(s->sink);
    struct analyze_options how = {.max_client_error = o->max_client_error, .strict_timing = o->strict_timing};
    int status = -1;
    if (o->output_path) {
        how.output = o->output_path;
        status = analyze_child_run(s->analyzer, "result", tape, &how);
        if (status == ANALYZE_CHILD_INTERRUPTED)
            return say_interrupted(s, "result");
        if (!analyzer_judged(status)) {
            SAY(s, "the analyzer gave no result (status %d); the tape is kept: tokentape-analyze result %s -o %s",
                status, tape, o->output_path);
            return status == EXIT_NOT_WRITTEN ? status : EXIT_SOME_FAILED;
        }
        if (o->quiet)
            return status;
        SAY(s, "result: %s", o->output_path);
    }
    how.output = NULL;
    how.silent = o->quiet;
    int summary = analyze_child_run(s->analyzer, "summary", tape, &how);
    if (summary == ANALYZE_CHILD_INTERRUPTED)
        return say_interrupted(s, "summary");
    return o->output_path ? status : analyzer_judged(summary) ? summary : -1;
}

/* What an answer said decides about success, and only the analyzer reads that. Without it (no --output, so it was not
 * needed) the transport alone is judged, and the run says so. */
static int judge(struct session *s, enum tt_status code)
{
    const struct schedule_totals *t = schedule_totals(s->schedule);
    if (!tape_is_there(s))
        return EXIT_NOT_WRITTEN;
    int status = s->analyzer[0] ? analyze(s) : -1;
    if (status < 0) {
        status = t->measured.succeeded == s->workload->measured ? EXIT_ALL_SUCCEEDED : EXIT_SOME_FAILED;
        SAY(s, "what the answers said was not judged, %s: tokentape-analyze summary %s",
            s->analyzer[0] ? "tokentape-analyze gave no summary" : "for want of tokentape-analyze",
            sink_tape_path(s->sink));
    }
    if (t->interrupted)
        status = severer(status, EXIT_INTERRUPTED);
    return severer(status, code == TT_OK ? EXIT_ALL_SUCCEEDED : EXIT_NOT_WRITTEN);
}

int capacity_run(const struct options *options, const struct stamp_base *base)
{
    struct session s;
    struct tt_error err = {0};
    enum tt_status code = session_open(&s, options, base, NULL, &err);
    int status = capacity_exit_for(code);
    if (code != TT_OK) {
        SAY(&s, "tokentape-record: %s", err.line);
    } else {
        if (options->calibrate)
            around_calibrate(&s, "before");
        schedule_run(s.schedule);
        if (options->calibrate && !schedule_totals(s.schedule)->interrupted && sink_status(s.sink) == TT_OK)
            around_calibrate(&s, "after");
        code = session_finish(&s, &err);
        say_outcome(&s);
        say_where(&s, code, &err);
        status = judge(&s, code);
    }
    session_clear(&s);
    return status;
}
