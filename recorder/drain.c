#include "drain.h"

#include "../format/limits.h"
#include "entry.h"

/* The first failure is kept. A record the writer refuses (TT_LIMIT, TT_USAGE) is a bug of ours, not the end. */
static void note(struct drain *d, enum tt_status code, const struct tt_error *error)
{
    if (code == TT_OK || code == TT_LIMIT || code == TT_USAGE || atomic_load(&d->dead))
        return;
    d->error = *error;
    atomic_store(&d->status, (int)code);
    atomic_store(&d->dead, true);
}

/* After a failure the writer itself knows what it still takes. */
static void append(struct drain *d, const struct tape_record *rec, uint64_t now)
{
    struct tt_error error;
    note(d, writer_append(d->writer, rec, now, &error), &error);
}

/* A body in pieces, or only its hash and length. */
static void append_body(struct drain *d, const struct entry_body *e, uint64_t now)
{
    struct tape_record rec = {.kind = TAPE_BLOB};
    rec.u.blob.sha256 = tt_view_of(e->body->sha256, 32);
    rec.u.blob.total_bytes = e->body->n;
    if (!e->with_bytes)
        append(d, &rec, now);
    for (size_t at = 0; e->with_bytes && at < e->body->n; at += TAPE_MAX_BLOB_PIECE_BYTES) {
        size_t left = e->body->n - at;
        rec.u.blob.offset_bytes = at;
        rec.u.blob.bytes =
            tt_view_of(e->body->bytes + at, left < TAPE_MAX_BLOB_PIECE_BYTES ? left : TAPE_MAX_BLOB_PIECE_BYTES);
        append(d, &rec, now);
    }
    atomic_fetch_sub(&d->body_bytes, e->body->n);
    body_release(e->body);
}

static bool is_failure(const struct tape_record *rec)
{
    return rec->kind == TAPE_DONE && (!tt_view_equal(rec->u.done.reason, "complete") || rec->u.done.http_status < 200 ||
                                      rec->u.done.http_status > 299);
}

size_t drain_entries(struct drain *d, size_t most)
{
    size_t count = 0, n;
    void *entry;
    uint64_t now = stamp_now(&d->base);
    for (; count < most && (entry = ring_peek(d->ring, &n)) != NULL; count++) {
        const struct entry_body *body = entry_as_body(entry);
        const struct tape_record *rec = entry;
        if (body) {
            append_body(d, body, now);
        } else {
            if (d->seen)
                d->seen(d->seen_ctx, rec);
            append(d, rec, now);
            if (is_failure(rec))
                writer_note_failure(d->writer, now);
        }
        ring_release(d->ring);
    }
    return count;
}

static void append_host(struct drain *d, uint64_t now)
{
    struct tape_record rec = {.kind = TAPE_HOST};
    hostinfo_sample(d->host, &rec);
    rec.u.host.time_ns = now;
    rec.u.host.max_turn_gap_ns = atomic_exchange(&d->longest_turn_ns, 0);
    rec.u.host.ring_bytes = ring_used(d->ring);
    size_t high_water = ring_take_high_water(d->ring);
    rec.u.host.ring_high_water_bytes = high_water;
    if (high_water > d->high_water_bytes)
        d->high_water_bytes = high_water;
    append(d, &rec, now);
}

static void append_clock(struct drain *d)
{
    struct tape_record rec;
    stamp_clock(&d->base, &rec);
    append(d, &rec, rec.u.clock.time_ns);
}

void drain_tick(struct drain *d)
{
    uint64_t now = stamp_now(&d->base);
    atomic_store_explicit(&d->beat_ns, now, memory_order_relaxed);
    if (now >= d->next_clock_ns) {
        append_clock(d);
        d->next_clock_ns = now + DRAIN_CLOCK_EVERY_NS;
    }
    if (now >= d->next_host_ns) {
        append_host(d, now);
        d->next_host_ns = now + DRAIN_HOST_EVERY_NS;
    }
    struct tt_error error;
    note(d, writer_tick(d->writer, now, &error), &error);
    if (atomic_load(&d->status) == TT_OK && writer_trouble(d->writer, &error) != TT_OK) {
        d->trouble = error;
        atomic_store(&d->status, (int)error.code);
    }
}

void drain_close(struct drain *d, struct tape_record *end)
{
    struct tt_error error;
    append_host(d, stamp_now(&d->base));
    append_clock(d);
    note(d, writer_close_block(d->writer, &error), &error);
    if (atomic_load(&d->dead)) /* it may have come to that after the run's end */
        end->u.end.reason = tt_view_str(d->error.code == TT_NOSPC ? "enospc" : "write_error");
    end->u.end.time_ns = stamp_now(&d->base);
    append(d, end, end->u.end.time_ns);
    note(d, writer_finish(d->writer, stamp_now(&d->base), &error), &error);
}

void drain_discard(struct drain *d)
{
    size_t n;
    void *entry;
    while ((entry = ring_peek(d->ring, &n)) != NULL) {
        if (entry_as_body(entry))
            body_release(entry_as_body(entry)->body);
        ring_release(d->ring);
    }
}
