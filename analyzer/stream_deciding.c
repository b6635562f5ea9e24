/* Which read decided a time, and whether the kernel's time of that read can be that of the bytes it waited for. */
#include "stream_parts.h"

/* A read of that many bytes may have left some in the socket, whose segment may have been merged with its last one
 * (libcurl's buffer holds 16384, the head of the answer among them). */
#define MAY_BE_FULL_BYTES 8192u
#define CHUNK_END_BYTES 2u
#define DELAYED_ACK_US 40000u

void stream_arrives(struct stream *s, struct stream_arrival arrival)
{
    s->next = arrival;
}

void stream_keep_tail(struct stream *s, struct tt_view payload)
{
    size_t n = payload.n < STREAM_TAIL_BYTES ? payload.n : STREAM_TAIL_BYTES, kept = STREAM_TAIL_BYTES - n;
    memmove(s->tail, s->tail + n, kept);
    memcpy(s->tail + kept, payload.p + payload.n - n, n);
}

static bool only_line_ends_behind(const struct stream *s, uint64_t n)
{
    if (n > STREAM_TAIL_BYTES)
        return false;
    for (size_t i = STREAM_TAIL_BYTES - (size_t)n; i < STREAM_TAIL_BYTES; i++)
        if (s->tail[i] != '\n' && s->tail[i] != '\r')
            return false;
    return true;
}

static void close_deciding(const struct stream *s, struct stream_deciding *d)
{
    if (d->time_ns != s->facts->last_byte_ns || d->time_ns == TAPE_NONE)
        return;
    bool may_be_held = backlog_may_close(s->backlog) && (s->backlog->reads > 1 || s->now.blind_us >= DELAYED_ACK_US);
    d->is_last = s->read_bytes < MAY_BE_FULL_BYTES && !may_be_held && s->bytes_behind <= CHUNK_END_BYTES &&
                 dechunk_ends_with_payload(&s->framing) &&
                 only_line_ends_behind(s, s->framing.payload_bytes - d->end_at);
}

struct stream_arrival stream_next_arrival(struct stream *s, uint64_t time_ns, struct stream_arrival next)
{
    if (next.blind_us <= time_ns / 1000)
        backlog_seen_empty(s->backlog, time_ns - next.blind_us * 1000);
    next.held = backlog_held(s->backlog);
    return next;
}

void stream_end_read(struct stream *s)
{
    close_deciding(s, &s->facts->first_output);
    close_deciding(s, &s->facts->first_content);
    close_deciding(s, &s->facts->end);
}

/* A FIN that waits behind the last bytes is merged with them, and the kernel's time is then its own. */
void stream_close_deciding(struct stream *s, uint64_t time_ns, uint64_t blind_us)
{
    struct stream_facts *f = s->facts;
    struct stream_deciding *const all[] = {&f->first_output, &f->first_content, &f->end};
    if (f->last_byte_ns == TAPE_NONE || (blind_us <= time_ns / 1000 && time_ns - blind_us * 1000 > f->last_byte_ns))
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->time_ns == f->last_byte_ns)
            all[i]->is_last = false;
}

/* A tape without blind: a read that was short emptied the socket, no earlier than the kernel's time of it. What the
 * next one brings came after that. Only plain HTTP/1.1 has a lag, so no bytes waited in a layer above the socket. */
static uint64_t blind_since_last_read(const struct stream *s, uint64_t time_ns)
{
    uint64_t last = s->facts->last_byte_ns;
    if (last == TAPE_NONE || time_ns < last || s->now.lag_ns == TAPE_LAG_NONE || s->read_bytes >= MAY_BE_FULL_BYTES)
        return TAPE_NONE;
    uint64_t lag = (s->now.lag_ns > 0 ? (uint64_t)s->now.lag_ns : 0) + STREAM_STAMP_NS;
    return (time_ns - last) / 1000 + lag / 1000 + 2;
}

/* What the next read brings ends what the last one brought. */
static bool awaits_end(const struct stream *s)
{
    return dechunk_awaits_chunk_end(&s->framing) || (s->readable && sse_awaits_blank(s->sse));
}

void stream_begin_read(struct stream *s, uint64_t time_ns)
{
    uint64_t last_ns = s->facts->last_byte_ns;
    struct stream_arrival next = s->next;
    s->next = (struct stream_arrival){.lag_ns = TAPE_LAG_NONE, .blind_us = TAPE_NONE};
    if (last_ns == time_ns)
        return;
    stream_end_read(s);
    if (next.blind_us == TAPE_NONE)
        next.blind_us = blind_since_last_read(s, time_ns);
    s->now = stream_next_arrival(s, time_ns, next);
    backlog_read(s->backlog, time_ns, next.turn);
    s->read_bytes = s->bytes_behind = 0;
    if (awaits_end(s) && time_ns - last_ns >= STREAM_APART_NS)
        s->facts->ends_apart = true;
}

void stream_decide(struct stream *s, struct stream_deciding *d)
{
    if (d->time_ns != TAPE_NONE)
        return;
    *d = (struct stream_deciding){
        .time_ns = s->now_ns, .arrival = s->now, .end_at = s->framing.payload_bytes - sse_ahead(s->sse)};
}
