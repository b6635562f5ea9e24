/* One body: what could begin a credential is held back until it is known not to, and
 * goes out with the time of the read that brought it. */
#include <assert.h>
#include <stdlib.h>

#include "redact_parts.h"

struct redact *redact_create(const struct redact_rules *rules, const struct redact_calls *calls)
{
    struct redact *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->rules = rules;
    r->calls = *calls;
    r->cap = rules->hold_cap;
    r->bytes = malloc(2 * r->cap + 1); /* not zeroed: that would touch every page */
    r->segments = malloc(REDACT_MAX_SEGMENTS * sizeof(*r->segments));
    if (!r->bytes || !r->segments) {
        redact_free(r);
        return NULL;
    }
    r->kinds = r->bytes + r->cap;
    return r;
}

void redact_free(struct redact *r)
{
    if (!r)
        return;
    if (r->bytes)
        explicit_bzero(r->bytes, r->used_most);
    free(r->bytes);
    free(r->segments);
    free(r);
}

void redact_begin(struct redact *r, bool chunked, bool compressed)
{
    redact_frame_begin(&r->frame, chunked);
    r->compressed = compressed;
    r->state[REDACT_PAYLOAD] = r->state[REDACT_LINE] = 0;
    r->base = 0;
    r->hit.bytes = r->filler.bytes = 0;
    r->held = r->segment_count = 0;
}

static void emit(struct redact *r, const struct segment *s, const uint8_t *bytes, size_t n, bool continued)
{
    if (n > 0)
        r->calls.piece(r->calls.ctx, &s->at, continued, bytes, n);
}

/* Gives out the first `upto` bytes of the working room and keeps the rest, each with its read. */
static void give_out(struct redact *r, size_t upto, size_t end)
{
    size_t at = 0, kept = 0, newest = r->segment_count - 1;
    for (size_t i = 0; i <= newest; i++) {
        struct segment s = r->segments[i];
        size_t n = at + s.bytes <= upto ? s.bytes : upto > at ? upto - at : 0;
        emit(r, &s, r->rules->bytes + at, n, i < newest);
        at += s.bytes;
        s.bytes -= n;
        if (s.bytes > 0)
            r->segments[kept++] = s;
    }
    assert(at == end);
    r->segment_count = kept;
    r->held = end - upto;
    if (r->used_most < r->held)
        r->used_most = r->held;
    r->base += upto;
    memcpy(r->bytes, r->rules->bytes + upto, r->held);
    memcpy(r->kinds, r->rules->kinds + upto, r->held);
}

static void work_piece(struct redact *r, const struct segment *now, const uint8_t *bytes)
{
    size_t end = r->held + now->bytes;
    memcpy(r->rules->bytes, r->bytes, r->held);
    memcpy(r->rules->kinds, r->kinds, r->held);
    memcpy(r->rules->bytes + r->held, bytes, now->bytes);
    r->segments[r->segment_count++] = *now;
    redact_follow(r, r->held, end);
    give_out(r, redact_choose_out(r, end), end);
}

void redact_read(struct redact *r, const struct stamp_read *at_read, const uint8_t *bytes, size_t n)
{
    struct segment now = {n, *at_read};
    if (redact_rules_empty(r->rules)) {
        emit(r, &now, bytes, n, false);
        return;
    }
    for (size_t at = 0; at < n; at += now.bytes) {
        now.bytes = n - at < REDACT_PIECE_BYTES ? n - at : REDACT_PIECE_BYTES;
        work_piece(r, &now, bytes + at);
    }
}

void redact_finish(struct redact *r)
{
    size_t at = 0;
    redact_cut_off(r);
    for (size_t i = 0; i < r->segment_count; i++) {
        emit(r, &r->segments[i], r->bytes + at, r->segments[i].bytes, true);
        at += r->segments[i].bytes;
    }
    redact_tell(r, &r->hit);
    redact_tell(r, &r->filler);
    r->held = r->segment_count = 0;
    r->state[REDACT_PAYLOAD] = r->state[REDACT_LINE] = 0;
}
