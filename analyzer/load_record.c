/* One record after another into the run: what each kind changes, and what contradicts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load_parts.h"

size_t loader_total(const struct loader *l)
{
    return l->run ? l->run->count + l->run->warmup_count : 0;
}

struct request *loader_request(const struct loader *l, uint64_t number)
{
    if (number >= loader_total(l))
        return NULL;
    return number < l->run->count ? &l->run->requests[number] : &l->run->warmups[number - l->run->count];
}

enum tt_status loader_contradiction(struct loader *l, const struct tape_record *rec, struct request *r, const char *fmt,
                                    ...)
{
    if (l->run && l->run->gaps > 0) {
        if (r)
            r->behind_gap = true;
        return TT_OK;
    }
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct reader_position at = reader_position(l->reader);
    const char *name = record_kind_name(rec->kind);
    return tt_fail(l->err, TT_MALFORMED, at.block_offset, "record %llu (%s) contradicts the tape: %s",
                   (unsigned long long)at.record, name ? name : "unknown kind", text);
}

enum tt_status load_copy_text(struct tt_view v, char **out, struct tt_error *err)
{
    *out = NULL;
    if (!v.p)
        return TT_OK;
    if (memchr(v.p, 0, v.n))
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "a text field holds a NUL byte");
    char *copy = malloc(v.n + 1);
    if (!copy)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    memcpy(copy, v.p, v.n);
    copy[v.n] = 0;
    *out = copy;
    return TT_OK;
}

/* A hole before this record (salvage): every request not done may have lost something in it. */
static void note_hole(struct loader *l)
{
    struct reader_position at = reader_position(l->reader);
    uint64_t expected = l->next_block;
    l->next_block = at.block + 1;
    /* Several records share a block, so the block read last is no hole either. */
    if (!l->run || at.block == expected || at.block + 1 == expected)
        return;
    l->run->gaps++;
    for (size_t i = 0; i < loader_total(l); i++) {
        struct request *r = loader_request(l, i);
        if (r->done_ns == TAPE_NONE)
            r->behind_gap = true;
    }
}

static enum tt_status take_event(struct loader *l, const struct tape_record *rec)
{
    struct run *run = l->run;
    uint64_t realtime = rec->u.event.realtime_ns;
    if (realtime >= LOAD_TIME_LIMIT_NS && realtime != TAPE_NONE)
        return loader_contradiction(l, rec, NULL, "a Unix time past the year 2116");
    if (tt_view_equal(rec->u.event.name, "calibration") &&
        calibration_take(&run->calibrations, rec->u.event.detail) == TT_NOMEM)
        return tt_fail(l->err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (tt_view_equal(rec->u.event.name, "run_start")) {
        if (run->has_run_start)
            return loader_contradiction(l, rec, NULL, "a second run_start");
        run->has_run_start = true;
        run->run_start_ns = rec->u.event.time_ns;
        run->run_start_realtime_ns = realtime;
    } else if (tt_view_equal(rec->u.event.name, "run_end")) {
        if (l->has_run_end)
            return loader_contradiction(l, rec, NULL, "a second run_end");
        l->has_run_end = true;
        run->run_end_ns = rec->u.event.time_ns;
        run->run_end_realtime_ns = realtime;
    }
    return TT_OK;
}

static enum tt_status take_end(struct loader *l, const struct tape_record *rec)
{
    if (l->has_end)
        return loader_contradiction(l, rec, NULL, "a second END");
    l->has_end = true;
    l->run->end_planned = rec->u.end.planned;
    l->run->end_started = rec->u.end.started;
    l->run->end_done = rec->u.end.done;
    return load_copy_text(rec->u.end.reason, &l->run->end_reason, l->err);
}

/* The first one tells what this tape was made from; those behind it came with that tape. */
static enum tt_status take_origin(struct loader *l, const struct tape_record *rec)
{
    if (l->run->origin_rules || rec->u.origin.head_sha256.n != sizeof l->run->origin_head)
        return TT_OK;
    memcpy(l->run->origin_head, rec->u.origin.head_sha256.p, sizeof l->run->origin_head);
    return load_copy_text(rec->u.origin.rules, &l->run->origin_rules, l->err);
}

enum tt_status load_take_record(struct loader *l, const struct tape_record *rec)
{
    uint64_t time = record_time(rec);
    if (time != TAPE_NONE && time >= LOAD_TIME_LIMIT_NS)
        return loader_contradiction(l, rec, NULL, "a time 146 years after the tape's base");
    note_hole(l);
    if (rec->kind == TAPE_RUN)
        return load_take_run(l, rec);
    bool of_run =
        (rec->kind >= TAPE_PLAN && rec->kind <= TAPE_LOST) || rec->kind == TAPE_EVENT || rec->kind == TAPE_END;
    if (!l->run)
        return of_run ? loader_contradiction(l, rec, NULL, "it stands before RUN") : TT_OK;
    if (time != TAPE_NONE && time > l->run->last_time_ns)
        l->run->last_time_ns = time;
    if (rec->kind == TAPE_EVENT)
        return take_event(l, rec);
    if (rec->kind == TAPE_END)
        return take_end(l, rec);
    if (rec->kind == TAPE_ORIGIN)
        return take_origin(l, rec);
    timing_tally_record(&l->run->timing, rec);
    if (!of_run)
        return TT_OK;
    if (l->has_end)
        return loader_contradiction(l, rec, NULL, "it stands behind END");
    return load_take_request_record(l, rec);
}
