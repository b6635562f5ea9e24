#include <stdio.h>
#include <string.h>

#include "load_parts.h"

static bool is_marker(struct tt_view v)
{
    for (size_t i = 0; i < v.n; i++)
        if (v.p[i] <= ' ' || v.p[i] > '~')
            return false;
    return v.n > 0 && v.n <= OBSERVE_MAX_MARKER_BYTES;
}

static enum tt_status keep_marker(struct loader *l, struct request *r, struct tt_view marker)
{
    if (l->text_left < marker.n + STREAM_KEPT_TEXT_BYTES)
        return tt_fail(l->err, TT_LIMIT, TT_NO_OFFSET, "the markers of the run pass %u MiB", LOAD_TEXT_BYTES >> 20);
    l->text_left -= marker.n + STREAM_KEPT_TEXT_BYTES;
    return load_copy_text(marker, &r->marker, l->err);
}

static enum tt_status take_plan(struct loader *l, const struct tape_record *rec, struct request *r)
{
    const struct run_options *o = &l->run->options;
    if (r->planned)
        return loader_contradiction(l, rec, r, "a second PLAN of request %llu", (unsigned long long)r->number);
    if (rec->u.plan.warmup != r->warmup)
        return loader_contradiction(l, rec, r, "request %llu is %s warm-up by its number, not by its PLAN",
                                    (unsigned long long)r->number, r->warmup ? "a" : "no");
    struct tt_view marker = rec->u.plan.marker;
    if (o->request_canaries && !rec->u.plan.fault.p && !is_marker(marker))
        return loader_contradiction(l, rec, r, "request %llu has no usable marker", (unsigned long long)r->number);
    r->planned = true;
    r->context_tokens = rec->u.plan.context_tokens;
    r->body_bytes = rec->u.plan.body_bytes;
    r->plan_fault = rec->u.plan.fault.p != NULL;
    return o->request_canaries && is_marker(marker) ? keep_marker(l, r, marker) : TT_OK;
}

static enum tt_status take_start(struct loader *l, const struct tape_record *rec, struct request *r)
{
    if (r->start_ns != TAPE_NONE)
        return loader_contradiction(l, rec, r, "a second START of request %llu", (unsigned long long)r->number);
    if (r->plan_fault)
        return loader_contradiction(l, rec, r, "request %llu could not be built, yet started",
                                    (unsigned long long)r->number);
    r->start_ns = rec->u.start.time_ns;
    /* From here on nothing of it was in an earlier hole, unless its plan was. */
    r->behind_gap = !r->planned;
    return TT_OK;
}

static void take_conn(const struct tape_record *rec, struct request *r)
{
    struct tt_view http = rec->u.conn.http;
    r->conn_ns = rec->u.conn.time_ns;
    r->connection = rec->u.conn.connection;
    r->conn_reused = rec->u.conn.reused;
    r->conn_tls = rec->u.conn.tls.p != NULL;
    snprintf(r->http_version, sizeof r->http_version, "%.*s", http.p ? (int)(http.n < 8 ? http.n : 7) : 0,
             http.p ? (const char *)http.p : "");
}

static void take_send(const struct tape_record *rec, struct request *r)
{
    r->send_first_ns = rec->u.send.first_ns < LOAD_TIME_LIMIT_NS ? rec->u.send.first_ns : TAPE_NONE;
    r->send_last_ns = rec->u.send.last_ns < LOAD_TIME_LIMIT_NS ? rec->u.send.last_ns : TAPE_NONE;
    r->sent_bytes = rec->u.send.bytes;
    r->send_waited_us = rec->u.send.waited_us;
}

static bool view_contains(struct tt_view v, const char *needle)
{
    return v.p && memmem(v.p, v.n, needle, strlen(needle)) != NULL;
}

/* A smoothed time, and four deviations, as TCP's own timer has it. A Unix socket has none to wait for. */
static uint64_t round_trip_us(const struct loader *l, const struct tape_tcp *tcp)
{
    if (!tcp->present)
        return l->run->options.unix_socket ? 0 : TAPE_NONE;
    return tcp->rttvar_us < UINT32_MAX && tcp->rtt_us < UINT32_MAX ? tcp->rtt_us + 4 * tcp->rttvar_us : TAPE_NONE;
}

static enum tt_status take_done(struct loader *l, const struct tape_record *rec, struct request *r)
{
    struct tt_view reason = rec->u.done.reason;
    size_t n = reason.p ? reason.n : 0;
    if (n >= sizeof r->done_reason)
        n = sizeof r->done_reason - 1;
    if (n > 0)
        memcpy(r->done_reason, reason.p, n);
    r->done_reason[n] = 0;
    r->done_ns = rec->u.done.time_ns;
    r->curl_code = rec->u.done.curl_code;
    r->http_status = rec->u.done.http_status;
    r->timers = rec->u.done.timers;
    r->round_trip_us = round_trip_us(l, &rec->u.done.tcp);
    r->conn_refused = view_contains(rec->u.done.error, "refused");
    r->conn_no_port = view_contains(rec->u.done.error, "Cannot assign requested address"); /* EADDRNOTAVAIL */
    bool clean = r->curl_code == 0 && strcmp(r->done_reason, "complete") == 0 && load_stream_is_readable(r);
    return load_stream_end(l, r, r->done_ns, rec->u.done.blind_us, clean);
}

static enum tt_status take_lost(struct loader *l, const struct tape_record *rec)
{
    size_t cursor = 0;
    struct tape_scalar v;
    enum tt_status st;
    l->run->lost_reads += rec->u.lost.count;
    while ((st = tape_array_next(rec->u.lost.requests, &cursor, &v, l->err)) == TT_OK) {
        struct request *r = v.type == TAPE_UINT ? loader_request(l, v.u) : NULL;
        if (!r)
            return loader_contradiction(l, rec, NULL, "it names a request past the plan");
        r->lost_reads++;
    }
    return st == TT_END ? TT_OK : st;
}

uint64_t load_request_of(const struct tape_record *rec)
{
    switch (rec->kind) {
    case TAPE_PLAN:
        return rec->u.plan.request;
    case TAPE_START:
        return rec->u.start.request;
    case TAPE_CONN:
        return rec->u.conn.request;
    case TAPE_SEND:
        return rec->u.send.request;
    case TAPE_HEAD:
        return rec->u.head.request;
    case TAPE_READ:
        return rec->u.read.request;
    case TAPE_REDACT:
        return rec->u.redact.request;
    default:
        return rec->u.done.request;
    }
}

/* START, then the answer, then DONE; HEAD, READ and DONE never run backwards. */
static enum tt_status check_order(struct loader *l, const struct tape_record *rec, struct request *r, bool *pass_over)
{
    unsigned long long number = (unsigned long long)r->number;
    *pass_over = true;
    if (!r->planned && !r->behind_gap)
        return loader_contradiction(l, rec, r, "request %llu has no PLAN", number);
    if (r->done_ns != TAPE_NONE)
        return loader_contradiction(l, rec, r, "request %llu had its DONE already", number);
    if (rec->kind != TAPE_START && r->start_ns == TAPE_NONE)
        return loader_contradiction(l, rec, r, "request %llu has no START", number);
    bool timed = rec->kind == TAPE_HEAD || rec->kind == TAPE_READ || rec->kind == TAPE_DONE;
    uint64_t time = record_time(rec);
    if (timed && time < r->last_ns)
        return loader_contradiction(l, rec, r, "the times of request %llu run backwards", number);
    if (timed || rec->kind == TAPE_START)
        r->last_ns = time;
    *pass_over = false;
    return TT_OK;
}

enum tt_status load_take_request_record(struct loader *l, const struct tape_record *rec)
{
    if (rec->kind == TAPE_LOST)
        return take_lost(l, rec);
    struct request *r = loader_request(l, load_request_of(rec));
    if (rec->kind == TAPE_REDACT) { /* may concern no request at all, and may follow DONE */
        l->run->redactions++;
        if (r)
            r->redactions++;
        return TT_OK;
    }
    if (!r)
        return loader_contradiction(l, rec, NULL, "request %llu lies past the plan",
                                    (unsigned long long)load_request_of(rec));
    if (rec->kind == TAPE_PLAN)
        return take_plan(l, rec, r);
    bool pass_over;
    enum tt_status st = check_order(l, rec, r, &pass_over);
    if (st != TT_OK || pass_over)
        return st;
    switch (rec->kind) {
    case TAPE_START:
        return take_start(l, rec, r);
    case TAPE_HEAD:
        return load_stream_head(l, rec, r);
    case TAPE_READ:
        return load_stream_read(l, rec, r);
    case TAPE_DONE:
        return take_done(l, rec, r);
    case TAPE_CONN:
        take_conn(rec, r);
        return TT_OK;
    default:
        take_send(rec, r);
        return TT_OK;
    }
}
