/* The sink as the I/O thread sees it: what goes in, and how it is going. */
#include "entry.h"
#include "sink_parts.h"

bool sink_claim_room(struct sink *s)
{
    if (ring_room(s->d.ring) < SINK_SLACK_BYTES + (s->claims + 1) * SINK_RESERVE_BYTES)
        return false;
    s->claims++;
    return true;
}

void sink_release_room(struct sink *s)
{
    s->claims--;
}

bool sink_put(struct sink *s, const struct tape_record *rec)
{
    return entry_put(s->d.ring, rec, 0);
}

bool sink_put_lossy(struct sink *s, const struct tape_record *rec)
{
    return entry_put(s->d.ring, rec, SINK_SLACK_BYTES + s->claims * SINK_RESERVE_BYTES);
}

void sink_put_event(struct sink *s, const char *name, bool with_realtime, const char *detail)
{
    struct tape_record rec = {.kind = TAPE_EVENT};
    rec.u.event.name = tt_view_str(name);
    rec.u.event.detail = tt_view_str(detail);
    rec.u.event.realtime_ns = with_realtime ? stamp_realtime() : TAPE_NONE;
    rec.u.event.time_ns = stamp_now(&s->d.base);
    sink_put(s, &rec);
}

bool sink_put_body(struct sink *s, struct body *body, bool with_bytes)
{
    atomic_fetch_add(&s->d.body_bytes, body->n);
    if (entry_put_body(s->d.ring, body_hold(body), with_bytes))
        return true;
    atomic_fetch_sub(&s->d.body_bytes, body->n);
    body_release(body);
    return false;
}

size_t sink_unwritten_body_bytes(const struct sink *s)
{
    return atomic_load_explicit(&s->d.body_bytes, memory_order_relaxed);
}

void sink_note_turn(struct sink *s, uint64_t ns)
{
    uint64_t longest = atomic_load_explicit(&s->d.longest_turn_ns, memory_order_relaxed);
    while (ns > longest && !atomic_compare_exchange_weak(&s->d.longest_turn_ns, &longest, ns)) {
    }
}

enum tt_status sink_status(const struct sink *s)
{
    return (enum tt_status)atomic_load_explicit(&s->d.status, memory_order_acquire);
}

const char *sink_why(const struct sink *s)
{
    if (sink_is_dead(s))
        return s->d.error.line;
    return sink_status(s) == TT_OK ? "" : s->d.trouble.line;
}

bool sink_is_dead(const struct sink *s)
{
    return atomic_load_explicit(&s->d.dead, memory_order_acquire);
}

size_t sink_backlog_bytes(const struct sink *s)
{
    return ring_used(s->d.ring);
}

size_t sink_room_bytes(const struct sink *s)
{
    return ring_capacity(s->d.ring);
}

uint64_t sink_silence_ns(const struct sink *s, uint64_t now_ns)
{
    uint64_t beat = atomic_load_explicit(&s->d.beat_ns, memory_order_relaxed);
    return beat > 0 && now_ns > beat ? now_ns - beat : 0;
}

const char *sink_tape_path(const struct sink *s)
{
    return writer_path(s->d.writer);
}

bool sink_tape_is_whole(const struct sink *s)
{
    return writer_is_whole(s->d.writer);
}

uint64_t sink_tape_bytes(const struct sink *s)
{
    return writer_bytes(s->d.writer);
}

size_t sink_high_water_bytes(const struct sink *s)
{
    return s->d.high_water_bytes;
}

void sink_tape_head(const struct sink *s, uint8_t head[32])
{
    writer_head(s->d.writer, head);
}
