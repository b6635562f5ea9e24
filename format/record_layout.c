#include "record_layout.h"

#include "limits.h"

#define AT(member) ((uint32_t)offsetof(struct tape_record, u.member))
#define F(type, member)                                                                                                \
    {                                                                                                                  \
        FIELD_##type, AT(member), TAPE_MAX_STRING_BYTES                                                                \
    }
#define SIZED(type, member, max)                                                                                       \
    {                                                                                                                  \
        FIELD_##type, AT(member), max                                                                                  \
    }
#define COUNT(...) (sizeof((struct record_field[]){__VA_ARGS__}) / sizeof(struct record_field))
#define LAYOUT(time, ...) GROWN(COUNT(__VA_ARGS__), time, __VA_ARGS__)
#define GROWN(least, time, ...)                                                                                        \
    time, COUNT(__VA_ARGS__), least,                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define NO_TIME 0

/* Same order as RECORDS.md. New fields go to the end of their row. */
static const struct record_layout layouts[] = {
    [TAPE_SCHEMA] = {"SCHEMA", LAYOUT(NO_TIME, F(STR, schema.text))},
    [TAPE_RUN] = {"RUN", LAYOUT(AT(run.time_ns), F(U64, run.time_ns), F(MAP, run.options), F(MAP, run.versions),
                                F(MAP, run.host), F(MAP, run.features))},
    [TAPE_CLOCK] = {"CLOCK", LAYOUT(AT(clock.time_ns), F(U64, clock.time_ns), F(U64, clock.monotonic_raw_ns),
                                    F(U64, clock.realtime_ns), F(U64, clock.boottime_ns), F(U64, clock.width_ns))},
    [TAPE_BLOB] = {"BLOB", LAYOUT(NO_TIME, F(HASH, blob.sha256), F(U64, blob.total_bytes), F(U64, blob.offset_bytes),
                                  SIZED(BIN_NIL, blob.bytes, TAPE_MAX_BLOB_PIECE_BYTES))},
    [TAPE_PLAN] = {"PLAN", LAYOUT(NO_TIME, F(REQUEST, plan.request), F(U64, plan.context_tokens),
                                  F(HASH_NIL, plan.body_sha256), F(U64, plan.body_bytes), F(STR_NIL, plan.marker),
                                  F(BOOL, plan.warmup), F(U64_NIL, plan.intended_start_ns), F(STR_NIL, plan.fault))},
    [TAPE_START] = {"START", LAYOUT(AT(start.time_ns), F(REQUEST, start.request), F(U64, start.time_ns))},
    [TAPE_CONN] = {"CONN",
                   LAYOUT(AT(conn.time_ns), F(REQUEST, conn.request), F(U64, conn.time_ns), F(U64, conn.connection),
                          F(U64, conn.local_port), F(BOOL, conn.reused), F(STR_NIL, conn.tls), F(STR, conn.http))},
    [TAPE_SEND] = {"SEND", GROWN(4, AT(send.first_ns), F(REQUEST, send.request), F(U64, send.first_ns),
                                 F(U64, send.last_ns), F(U64, send.bytes), F(U64_NIL, send.waited_us))},
    [TAPE_HEAD] = {"HEAD", LAYOUT(AT(head.time_ns), F(REQUEST, head.request), F(U64, head.time_ns),
                                  F(STR, head.status_line), F(HEADERS, head.headers))},
    [TAPE_READ] = {"READ", GROWN(6, AT(read.time_ns), F(REQUEST, read.request), F(U64, read.time_ns),
                                 F(LAG, read.lag_ns), F(U64, read.turn), F(U64, read.flags),
                                 SIZED(BIN, read.bytes, TAPE_MAX_READ_BYTES), F(U64_NIL, read.blind_us))},
    [TAPE_DONE] = {"DONE",
                   GROWN(10, AT(done.time_ns), F(REQUEST, done.request), F(U64, done.time_ns), F(U64, done.curl_code),
                         F(U64, done.http_status), F(STR, done.reason), F(STR_NIL, done.error), F(U64, done.body_bytes),
                         F(U64, done.reads), F(TIMERS, done.timers), F(TCP_NIL, done.tcp), F(U64_NIL, done.blind_us))},
    [TAPE_REDACT] = {"REDACT", LAYOUT(NO_TIME, F(REQUEST, redact.request), F(STR, redact.stream),
                                      F(U64, redact.offset_bytes), F(U64, redact.length_bytes), F(STR, redact.rule))},
    [TAPE_LOST] = {"LOST", LAYOUT(AT(lost.time_ns), F(U64, lost.time_ns), F(U64, lost.count), F(U64, lost.bytes),
                                  F(STR, lost.reason), SIZED(REQUESTS, lost.requests, TAPE_MAX_RECORD_BYTES))},
    [TAPE_HOST] = {"HOST", LAYOUT(AT(host.time_ns), F(U64, host.time_ns), F(U64_NIL, host.steal_ticks),
                                  F(U64_NIL, host.throttled_periods), F(U64_NIL, host.pressure_cpu_us),
                                  F(U64_NIL, host.voluntary_switches), F(U64_NIL, host.involuntary_switches),
                                  F(U64_NIL, host.rss_bytes), F(U64_NIL, host.max_turn_gap_ns),
                                  F(U64_NIL, host.ring_bytes), F(U64_NIL, host.ring_high_water_bytes))},
    [TAPE_TURN] = {"TURN", LAYOUT(AT(turn.before_ns), F(U64, turn.before_ns), F(U64, turn.after_ns))},
    [TAPE_EVENT] = {"EVENT", LAYOUT(AT(event.time_ns), F(U64, event.time_ns), F(STR, event.name),
                                    F(U64_NIL, event.realtime_ns), F(STR_NIL, event.detail))},
    [TAPE_SAMPLE] = {"SAMPLE", LAYOUT(AT(sample.asked_ns), F(STR, sample.source), F(U64, sample.asked_ns),
                                      F(U64, sample.answered_ns), F(U64, sample.status),
                                      SIZED(BIN_NIL, sample.bytes, TAPE_MAX_RECORD_BYTES), F(STR_NIL, sample.error))},
    [TAPE_END] = {"END", LAYOUT(AT(end.time_ns), F(U64, end.time_ns), F(STR, end.reason), F(U64, end.planned),
                                F(U64, end.started), F(U64, end.done), F(U64, end.reads), F(U64, end.read_bytes),
                                F(U64, end.lost_reads))},
    [TAPE_ORIGIN] = {"ORIGIN", LAYOUT(NO_TIME, F(HASH, origin.head_sha256), F(STR, origin.rules))},
};

const struct record_layout *record_layout_of(uint32_t kind)
{
    return kind < sizeof(layouts) / sizeof(layouts[0]) ? &layouts[kind] : NULL;
}

uint64_t record_time(const struct tape_record *rec)
{
    const struct record_layout *layout = record_layout_of(rec->kind);
    if (!layout || layout->time_at == NO_TIME)
        return TAPE_NONE;
    uint64_t time_ns;
    memcpy(&time_ns, (const uint8_t *)rec + layout->time_at, sizeof(time_ns));
    return time_ns;
}

const char *record_kind_name(uint32_t kind)
{
    const struct record_layout *layout = record_layout_of(kind);
    if (layout)
        return layout->name;
    return kind == TAPE_SIGN ? "SIGN" : NULL;
}
