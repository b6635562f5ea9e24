#include "load.h"

#include <stdlib.h>

#include "load_parts.h"

/* Without a run_start nothing (or, behind a hole, something) was dispatched: the first START stands in, else RUN. */
static enum tt_status settle_times(struct loader *l)
{
    struct run *run = l->run;
    uint64_t first = TAPE_NONE;
    for (size_t i = 0; i < run->count; i++)
        if (run->requests[i].start_ns < first)
            first = run->requests[i].start_ns;
    if (!run->has_run_start) {
        run->run_start_ns = first != TAPE_NONE ? first : l->run_time_ns;
        run->run_start_realtime_ns = TAPE_NONE;
    }
    if (run->run_start_realtime_ns == TAPE_NONE)
        run->run_start_realtime_ns = run->tape.base_realtime_ns + run->run_start_ns;
    if (first < run->run_start_ns)
        return tt_fail(l->err, TT_MALFORMED, TT_NO_OFFSET, "the tape contradicts itself: a START before run_start");
    if (l->has_run_end && run->run_end_ns < run->run_start_ns)
        return tt_fail(l->err, TT_MALFORMED, TT_NO_OFFSET, "the tape contradicts itself: run_end before run_start");
    return TT_OK;
}

/* What the reader found, and whether a run may be made of it. */
static enum tt_status check_whole(struct loader *l)
{
    const struct reader_report *report = reader_report(l->reader);
    if (l->strict && report->state != READER_COMPLETE)
        return tt_fail(l->err, TT_TRUNCATED, report->accepted_bytes, "the tape is %s, which strict mode refuses",
                       reader_state_name(report->state));
    if (!l->run) {
        if (report->flaw.code != TT_OK)
            return tt_fail(l->err, report->flaw.code, report->flaw.offset, "no RUN record before the first flaw: %s",
                           report->flaw.line);
        return tt_fail(l->err, TT_MALFORMED, report->accepted_bytes,
                       "no RUN record: the tape ends before any run began");
    }
    l->run->tape = *report;
    if (report->gaps > l->run->gaps) /* a hole behind the last record */
        l->run->gaps = report->gaps;
    load_imply_contexts(l->run);
    if (report->base_realtime_ns >= LOAD_TIME_LIMIT_NS)
        return tt_fail(l->err, TT_MALFORMED, 0, "the base time lies past the year 2116");
    return TT_OK;
}

/* What the server does in one answer it may do in all: a read that brought an event with its end tells nothing of it.
 */
static void spread_ends_apart(struct run *run)
{
    bool apart = false;
    for (size_t i = 0; i < run->count; i++)
        apart |= run->requests[i].facts.ends_apart;
    for (size_t i = 0; i < run->count; i++)
        run->requests[i].facts.ends_apart = apart;
}

enum tt_status loader_create(struct loader **out, const char *path, const struct reader_options *options,
                             struct tt_error *err)
{
    struct loader *l = calloc(1, sizeof *l);
    *out = NULL;
    if (!l)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    l->err = err ? err : &l->own;
    l->strict = options && options->mode == READER_STRICT;
    l->pool.limit = LOAD_POOL_BYTES;
    l->text_left = LOAD_TEXT_BYTES;
    enum tt_status st = reader_open(&l->reader, path, options, l->err);
    if (st == TT_OK)
        *out = l;
    else
        loader_free(l);
    return st;
}

enum tt_status loader_next(struct loader *l, struct tape_record *rec, struct tt_error *err)
{
    l->err = err ? err : &l->own;
    enum tt_status st = reader_next(l->reader, rec, l->err);
    return st == TT_OK ? load_take_record(l, rec) : st;
}

struct run *loader_run(struct loader *l)
{
    return l->run;
}

const struct reader_report *loader_report(const struct loader *l)
{
    return reader_report(l->reader);
}

enum tt_status loader_finish(struct loader *l, struct run **out, struct tt_error *err)
{
    *out = NULL;
    l->err = err ? err : &l->own;
    enum tt_status st = check_whole(l);
    if (st == TT_OK)
        st = load_end_open_requests(l);
    if (st == TT_OK)
        st = settle_times(l);
    if (st != TT_OK)
        return st;
    spread_ends_apart(l->run);
    *out = l->run;
    l->given_away = true;
    return TT_OK;
}

void loader_free(struct loader *l)
{
    if (!l)
        return;
    for (size_t i = 0; l->streams && i < loader_total(l); i++)
        stream_free(l->streams[i]);
    free(l->streams);
    load_backlogs_free(l);
    reader_free(l->reader);
    if (!l->given_away)
        run_free(l->run);
    free(l);
}

enum tt_status load_run(struct run **out, const char *path, const struct reader_options *options, struct tt_error *err)
{
    struct loader *l;
    struct tape_record rec;
    *out = NULL;
    enum tt_status st = loader_create(&l, path, options, err);
    if (st != TT_OK)
        return st;
    while ((st = loader_next(l, &rec, err)) == TT_OK)
        ;
    if (st == TT_END)
        st = loader_finish(l, out, err);
    loader_free(l);
    return st;
}
