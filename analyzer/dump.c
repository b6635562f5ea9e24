#include "dump.h"

#include <stdio.h>

#include "dump_field.h"

static void add_run(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "time_ns", rec->u.run.time_ns);
    dump_add_map(d, "options", &rec->u.run.options);
    dump_add_map(d, "versions", &rec->u.run.versions);
    dump_add_map(d, "host", &rec->u.run.host);
    dump_add_map(d, "features", &rec->u.run.features);
}

static void add_clock(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "time_ns", rec->u.clock.time_ns);
    dump_add_u64(d, "monotonic_raw_ns", rec->u.clock.monotonic_raw_ns);
    dump_add_u64(d, "realtime_ns", rec->u.clock.realtime_ns);
    dump_add_u64(d, "boottime_ns", rec->u.clock.boottime_ns);
    dump_add_u64(d, "width_ns", rec->u.clock.width_ns);
}

static void add_blob(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_hex(d, "sha256", rec->u.blob.sha256);
    dump_add_u64(d, "total_bytes", rec->u.blob.total_bytes);
    dump_add_u64(d, "offset_bytes", rec->u.blob.offset_bytes);
    dump_add_bytes(d, rec->u.blob.bytes);
}

static void add_plan(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.plan.request);
    dump_add_u64(d, "context_tokens", rec->u.plan.context_tokens);
    dump_add_hex(d, "body_sha256", rec->u.plan.body_sha256);
    dump_add_u64(d, "body_bytes", rec->u.plan.body_bytes);
    dump_add_text(d, "marker", rec->u.plan.marker);
    dump_add_bool(d, "warmup", rec->u.plan.warmup);
    dump_add_u64(d, "intended_start_ns", rec->u.plan.intended_start_ns);
    dump_add_text(d, "fault", rec->u.plan.fault);
}

static void add_start(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.start.request);
    dump_add_u64(d, "time_ns", rec->u.start.time_ns);
}

static void add_conn(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.conn.request);
    dump_add_u64(d, "time_ns", rec->u.conn.time_ns);
    dump_add_u64(d, "connection", rec->u.conn.connection);
    dump_add_u64(d, "local_port", rec->u.conn.local_port);
    dump_add_bool(d, "reused", rec->u.conn.reused);
    dump_add_text(d, "tls", rec->u.conn.tls);
    dump_add_text(d, "http", rec->u.conn.http);
}

static void add_send(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.send.request);
    dump_add_u64(d, "first_ns", rec->u.send.first_ns);
    dump_add_u64(d, "last_ns", rec->u.send.last_ns);
    dump_add_u64(d, "sent_bytes", rec->u.send.bytes);
    dump_add_u64(d, "waited_us", rec->u.send.waited_us);
}

static void add_head(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.head.request);
    dump_add_u64(d, "time_ns", rec->u.head.time_ns);
    dump_add_text(d, "status_line", rec->u.head.status_line);
    dump_add_pairs(d, "headers", rec->u.head.headers);
}

static void add_read(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.read.request);
    dump_add_u64(d, "time_ns", rec->u.read.time_ns);
    dump_add_lag(d, "lag_ns", rec->u.read.lag_ns);
    dump_add_u64(d, "turn", rec->u.read.turn);
    dump_add_bool(d, "continued", rec->u.read.flags & TAPE_READ_CONTINUED);
    dump_add_bytes(d, rec->u.read.bytes);
    dump_add_u64(d, "blind_us", rec->u.read.blind_us);
}

static void add_done(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.done.request);
    dump_add_u64(d, "time_ns", rec->u.done.time_ns);
    dump_add_u64(d, "curl_code", rec->u.done.curl_code);
    dump_add_u64(d, "http_status", rec->u.done.http_status);
    dump_add_text(d, "reason", rec->u.done.reason);
    dump_add_text(d, "error", rec->u.done.error);
    dump_add_u64(d, "body_bytes", rec->u.done.body_bytes);
    dump_add_u64(d, "reads", rec->u.done.reads);
    dump_add_timers(d, "timers", &rec->u.done.timers);
    dump_add_tcp(d, "tcp", &rec->u.done.tcp);
    dump_add_u64(d, "blind_us", rec->u.done.blind_us);
}

static void add_redact(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "request", rec->u.redact.request);
    dump_add_text(d, "stream", rec->u.redact.stream);
    dump_add_u64(d, "offset_bytes", rec->u.redact.offset_bytes);
    dump_add_u64(d, "length_bytes", rec->u.redact.length_bytes);
    dump_add_text(d, "rule", rec->u.redact.rule);
}

static void add_lost(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "time_ns", rec->u.lost.time_ns);
    dump_add_u64(d, "count", rec->u.lost.count);
    dump_add_u64(d, "lost_bytes", rec->u.lost.bytes);
    dump_add_text(d, "reason", rec->u.lost.reason);
    dump_add_array(d, "requests", rec->u.lost.requests);
}

static void add_host(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "time_ns", rec->u.host.time_ns);
    dump_add_u64(d, "steal_ticks", rec->u.host.steal_ticks);
    dump_add_u64(d, "throttled_periods", rec->u.host.throttled_periods);
    dump_add_u64(d, "pressure_cpu_us", rec->u.host.pressure_cpu_us);
    dump_add_u64(d, "voluntary_switches", rec->u.host.voluntary_switches);
    dump_add_u64(d, "involuntary_switches", rec->u.host.involuntary_switches);
    dump_add_u64(d, "rss_bytes", rec->u.host.rss_bytes);
    dump_add_u64(d, "max_turn_gap_ns", rec->u.host.max_turn_gap_ns);
    dump_add_u64(d, "ring_bytes", rec->u.host.ring_bytes);
    dump_add_u64(d, "ring_high_water_bytes", rec->u.host.ring_high_water_bytes);
}

static void add_event(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "time_ns", rec->u.event.time_ns);
    dump_add_text(d, "name", rec->u.event.name);
    dump_add_u64(d, "realtime_ns", rec->u.event.realtime_ns);
    dump_add_text(d, "detail", rec->u.event.detail);
}

static void add_sample(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_text(d, "source", rec->u.sample.source);
    dump_add_u64(d, "asked_ns", rec->u.sample.asked_ns);
    dump_add_u64(d, "answered_ns", rec->u.sample.answered_ns);
    dump_add_u64(d, "status", rec->u.sample.status);
    dump_add_bytes(d, rec->u.sample.bytes);
    dump_add_text(d, "error", rec->u.sample.error);
}

static void add_end(struct dump_fields *d, const struct tape_record *rec)
{
    dump_add_u64(d, "time_ns", rec->u.end.time_ns);
    dump_add_text(d, "reason", rec->u.end.reason);
    dump_add_u64(d, "planned", rec->u.end.planned);
    dump_add_u64(d, "started", rec->u.end.started);
    dump_add_u64(d, "done", rec->u.end.done);
    dump_add_u64(d, "reads", rec->u.end.reads);
    dump_add_u64(d, "read_bytes", rec->u.end.read_bytes);
    dump_add_u64(d, "lost_reads", rec->u.end.lost_reads);
}

static void add_rest(struct dump_fields *d, const struct tape_record *rec)
{
    if (rec->kind == TAPE_SCHEMA) {
        dump_add_text(d, "text", rec->u.schema.text);
    } else if (rec->kind == TAPE_TURN) {
        dump_add_u64(d, "before_ns", rec->u.turn.before_ns);
        dump_add_u64(d, "after_ns", rec->u.turn.after_ns);
    } else if (rec->kind == TAPE_ORIGIN) {
        dump_add_hex(d, "head_sha256", rec->u.origin.head_sha256);
        dump_add_text(d, "rules", rec->u.origin.rules);
    }
}

/* Fields of the kinds that have a function; the others are few and small. */
static void (*const adders[])(struct dump_fields *d, const struct tape_record *rec) = {
    [TAPE_RUN] = add_run,     [TAPE_CLOCK] = add_clock, [TAPE_BLOB] = add_blob,     [TAPE_PLAN] = add_plan,
    [TAPE_START] = add_start, [TAPE_CONN] = add_conn,   [TAPE_SEND] = add_send,     [TAPE_HEAD] = add_head,
    [TAPE_READ] = add_read,   [TAPE_DONE] = add_done,   [TAPE_REDACT] = add_redact, [TAPE_LOST] = add_lost,
    [TAPE_HOST] = add_host,   [TAPE_EVENT] = add_event, [TAPE_SAMPLE] = add_sample, [TAPE_END] = add_end,
};

enum tt_status dump_record(struct json_out *o, const struct tape_record *rec, const struct reader_position *at,
                           const struct dump_options *options)
{
    struct dump_fields d = {.text = options->text};
    char unknown[24];
    const char *name = record_kind_name(rec->kind);
    snprintf(unknown, sizeof unknown, "KIND%u", (unsigned)rec->kind);
    dump_add_text(&d, "kind", tt_view_str(name ? name : unknown));
    dump_add_u64(&d, "record", at->record);
    dump_add_u64(&d, "block", at->block);
    if (rec->kind < sizeof adders / sizeof adders[0] && adders[rec->kind])
        adders[rec->kind](&d, rec);
    else
        add_rest(&d, rec);
    dump_write_fields(o, &d);
    json_out_newline(o);
    return d.failed || !json_out_bytes(o).p ? TT_NOMEM : TT_OK;
}
