/* One body: framing is followed, payload is matched across reads and chunks, and what
 * could begin a credential is held back until it is known not to. */
#include <assert.h>
#include <stdlib.h>

#include "redact_forms.h"
#include "redact_frame.h"
#include "redact_parts.h"

/* Bytes of one read that are not out yet. */
struct segment {
    size_t bytes;
    uint64_t time_ns, turn;
    int64_t lag_ns;
};

struct hit {
    enum redact_byte kind;
    uint64_t from, bytes; /* bytes 0: none */
    const char *rule;
};

struct redact {
    const struct redact_rules *rules;
    struct redact_calls calls;
    struct redact_frame frame;
    bool compressed;
    uint32_t state[2]; /* of the matcher, by kind of byte */
    uint64_t base;     /* where in the body the working room begins */
    struct hit hit;    /* the latest: a longer one may still take its place */
    struct hit filler; /* compressed: all of it */
    size_t cap, held;
    uint8_t *bytes, *kinds; /* what is held */
    size_t segment_count;
    struct segment segments[REDACT_MAX_SEGMENTS];
};

struct redact *redact_create(const struct redact_rules *rules, const struct redact_calls *calls)
{
    struct redact *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->rules = rules;
    r->calls = *calls;
    r->cap = rules->hold_cap;
    r->bytes = calloc(2, r->cap + 1);
    if (!r->bytes) {
        free(r);
        return NULL;
    }
    r->kinds = r->bytes + r->cap;
    return r;
}

void redact_free(struct redact *r)
{
    if (!r)
        return;
    explicit_bzero(r->bytes, r->cap);
    free(r->bytes);
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

static void tell(struct redact *r, struct hit *hit)
{
    const char *stream = hit->kind == REDACT_PAYLOAD ? "body" : "trailer";
    if (hit->bytes > 0 && r->calls.hit)
        r->calls.hit(r->calls.ctx, stream, hit->from, hit->bytes, hit->rule);
    hit->bytes = 0;
}

static uint32_t depth(const struct redact *r, enum redact_byte kind)
{
    return r->state[kind] ? r->rules->match.nodes[r->state[kind]].depth : 0;
}

/* Where the n-th last byte of a kind before `end` stands; 0 when there are fewer. */
static size_t walk_back(const uint8_t *kinds, size_t end, enum redact_byte kind, uint32_t n)
{
    while (n > 0 && end > 0)
        if (kinds[--end] == kind)
            n--;
    return end;
}

/* Masks one kind of byte in [from, end); returns how many. */
static size_t fill(struct redact *r, size_t from, size_t end, enum redact_byte kind)
{
    size_t n = 0;
    for (size_t i = from; i < end; i++) {
        if (r->rules->kinds[i] != kind)
            continue;
        r->rules->bytes[i] = REDACT_FILLER;
        n++;
    }
    return n;
}

static void mask(struct redact *r, size_t end, enum redact_byte kind, const struct match_node *node)
{
    size_t from = walk_back(r->rules->kinds, end, kind, node->length);
    struct hit now = {kind, r->base + from, fill(r, from, end, kind), node->rule};
    /* longest first: one that begins no later takes the other's place */
    if (r->hit.bytes > 0 && (r->hit.kind != kind || now.from > r->hit.from))
        tell(r, &r->hit);
    r->hit = now;
}

static void fill_compressed(struct redact *r, size_t at, size_t end)
{
    if (r->filler.bytes == 0)
        r->filler = (struct hit){REDACT_PAYLOAD, r->base + at, 0, "compressed"};
    r->filler.bytes += end - at;
    memset(r->rules->bytes + at, REDACT_FILLER, end - at);
}

/* Bytes of one kind in a row, in the working room. */
static void match_run(struct redact *r, size_t at, size_t end, enum redact_byte kind)
{
    const struct match *m = &r->rules->match;
    const uint8_t *bytes = r->rules->bytes;
    uint32_t state = r->state[kind];
    memset(r->rules->kinds + at, (int)kind, end - at);
    if (r->compressed && kind == REDACT_PAYLOAD) {
        fill_compressed(r, at, end);
        return;
    }
    for (size_t i = at; i < end; i++) {
        state = match_next(m, state, bytes[i]);
        if (state && m->nodes[state].length)
            mask(r, i + 1, kind, &m->nodes[state]);
    }
    r->state[kind] = state;
}

/* What looked like a chunk head was none: it is payload, and may have begun a credential. */
static void adopt_line(struct redact *r, size_t end)
{
    size_t from = walk_back(r->rules->kinds, end, REDACT_LINE, depth(r, REDACT_LINE));
    memset(r->rules->kinds + from, REDACT_PAYLOAD, end - from);
    r->state[REDACT_PAYLOAD] = r->state[REDACT_LINE];
    r->state[REDACT_LINE] = 0;
}

static void follow(struct redact *r, size_t at, size_t end)
{
    while (at < end) {
        enum redact_frame_state before = r->frame.state;
        enum redact_byte kind = REDACT_PAYLOAD;
        size_t n = redact_frame_next(&r->frame, r->rules->bytes + at, end - at, &kind);
        if (kind == REDACT_PAYLOAD && before != FRAME_RAW && before != FRAME_DATA && before != FRAME_DATA_END)
            adopt_line(r, at);
        match_run(r, at, at + n, kind);
        if (kind == REDACT_PAYLOAD)
            r->state[REDACT_LINE] = 0;
        at += n;
    }
}

/* How far what has to wait would have to go out all the same: there is no room for more of it. */
static size_t forced_out(const struct redact *r, size_t from, size_t end)
{
    size_t upto = end - from > r->cap ? end - r->cap / 2 : from;
    if (r->segment_count < REDACT_MAX_SEGMENTS || from >= r->segments[0].bytes)
        return upto;
    size_t half = 0;
    for (size_t i = 0; i < REDACT_MAX_SEGMENTS / 2; i++)
        half += r->segments[i].bytes;
    return half > upto ? half : upto;
}

/* How far the working room can go out. Bytes that may be part of a credential and find no room go out masked; the
 * matcher's state stays, so that what follows is masked too when it is one. */
static size_t choose_out(struct redact *r, size_t end)
{
    size_t payload = walk_back(r->rules->kinds, end, REDACT_PAYLOAD, depth(r, REDACT_PAYLOAD));
    size_t line = walk_back(r->rules->kinds, end, REDACT_LINE, depth(r, REDACT_LINE));
    size_t from = payload < line ? payload : line, upto = forced_out(r, from, end);
    if (upto > from) {
        struct hit held = {REDACT_PAYLOAD, r->base + from, 0, "held"};
        held.bytes = fill(r, payload, upto, REDACT_PAYLOAD) + fill(r, line, upto, REDACT_LINE);
        tell(r, &held);
    }
    if (r->hit.bytes > 0 && r->hit.from < r->base + upto)
        tell(r, &r->hit);
    return upto;
}

static void emit(struct redact *r, const struct segment *s, const uint8_t *bytes, size_t n, bool continued)
{
    if (n > 0)
        r->calls.piece(r->calls.ctx, s->time_ns, s->lag_ns, s->turn, continued, bytes, n);
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
    follow(r, r->held, end);
    give_out(r, choose_out(r, end), end);
}

void redact_read(struct redact *r, uint64_t time_ns, int64_t lag_ns, uint64_t turn, const uint8_t *bytes, size_t n)
{
    struct segment now = {n, time_ns, turn, lag_ns};
    if (redact_rules_empty(r->rules)) {
        emit(r, &now, bytes, n, false);
        return;
    }
    for (size_t at = 0; at < n; at += now.bytes) {
        now.bytes = n - at < REDACT_PIECE_BYTES ? n - at : REDACT_PIECE_BYTES;
        work_piece(r, &now, bytes + at);
    }
}

/* The body broke off inside what could have been a credential: most of one must not go out either. */
static void mask_beginning(struct redact *r, enum redact_byte kind)
{
    uint32_t begun = depth(r, kind);
    if (begun < REDACT_MIN_SECRET_BYTES || r->rules->match.nodes[r->state[kind]].length == begun)
        return;
    size_t from = walk_back(r->kinds, r->held, kind, begun);
    struct hit cut = {kind, r->base + from, 0, "cut_off"};
    for (size_t i = from; i < r->held; i++) {
        if (r->kinds[i] != kind)
            continue;
        r->bytes[i] = REDACT_FILLER;
        cut.bytes++;
    }
    tell(r, &r->hit);
    tell(r, &cut);
}

void redact_finish(struct redact *r)
{
    size_t at = 0;
    mask_beginning(r, REDACT_PAYLOAD);
    mask_beginning(r, REDACT_LINE);
    for (size_t i = 0; i < r->segment_count; i++) {
        emit(r, &r->segments[i], r->bytes + at, r->segments[i].bytes, true);
        at += r->segments[i].bytes;
    }
    tell(r, &r->hit);
    tell(r, &r->filler);
    r->held = r->segment_count = 0;
    r->state[REDACT_PAYLOAD] = r->state[REDACT_LINE] = 0;
}
