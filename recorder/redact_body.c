/* One body: framing is followed, payload is matched across reads and chunks, and what
 * could begin a credential is held back until it is known not to. */
#include <assert.h>
#include <stdlib.h>

#include "redact_forms.h"
#include "redact_parts.h"

enum frame_state { FRAME_RAW, FRAME_SIZE, FRAME_EXTENSION, FRAME_DATA, FRAME_DATA_END, FRAME_TRAILER };

/* Held bytes, by the read that brought them. */
struct segment {
    size_t bytes;
    uint64_t time_ns, turn;
    int64_t lag_ns;
};

struct redact {
    const struct redact_rules *rules;
    struct redact_calls calls;
    enum frame_state frame;
    bool compressed;
    bool size_seen;  /* a digit of the chunk size */
    bool line_empty; /* nothing yet in this trailer line */
    uint64_t left;   /* of the chunk */
    uint32_t payload_state, line_state;
    uint64_t received;          /* body bytes before the current piece */
    uint64_t filled, filled_at; /* compressed: masked bytes, and where the first one stood */
    /* what is held */
    uint8_t *bytes, *kinds;
    size_t held, segment_count;
    struct segment *segments;
};

struct redact *redact_create(const struct redact_rules *rules, const struct redact_calls *calls)
{
    struct redact *r = calloc(1, sizeof(*r));
    size_t cap = rules->hold_cap;
    if (!r)
        return NULL;
    r->rules = rules;
    r->calls = *calls;
    if (cap == 0)
        return r;
    /* large and seldom used: pages that no held byte touches cost nothing */
    r->bytes = malloc(cap);
    r->kinds = malloc(cap);
    r->segments = malloc((cap + 1) * sizeof(*r->segments));
    if (!r->bytes || !r->kinds || !r->segments) {
        redact_free(r);
        return NULL;
    }
    return r;
}

void redact_free(struct redact *r)
{
    if (!r)
        return;
    if (r->bytes)
        explicit_bzero(r->bytes, r->rules->hold_cap);
    free(r->bytes);
    free(r->kinds);
    free(r->segments);
    free(r);
}

void redact_begin(struct redact *r, bool chunked, bool compressed)
{
    r->frame = chunked ? FRAME_SIZE : FRAME_RAW;
    r->compressed = compressed;
    r->size_seen = false;
    r->left = 0;
    r->payload_state = r->line_state = 0;
    r->received = r->filled = 0;
    r->held = r->segment_count = 0;
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum redact_byte end_size_line(struct redact *r)
{
    if (!r->size_seen) {
        r->frame = FRAME_RAW; /* no chunked body: from here on everything is searched */
        return REDACT_PAYLOAD;
    }
    r->line_state = 0;
    r->line_empty = true;
    r->frame = r->left > 0 ? FRAME_DATA : FRAME_TRAILER;
    return REDACT_FRAMING;
}

static enum redact_byte frame_size(struct redact *r, uint8_t c)
{
    int digit = hex_value(c);
    if (c == '\n')
        return end_size_line(r);
    if (c == '\r' || ((c == ' ' || c == '\t') && r->size_seen))
        return REDACT_FRAMING;
    if (c == ';' && r->size_seen) {
        r->frame = FRAME_EXTENSION;
        return REDACT_FRAMING;
    }
    if (digit < 0 || r->left > UINT64_MAX >> 4) {
        r->frame = FRAME_RAW;
        return REDACT_PAYLOAD;
    }
    r->left = r->left << 4 | (uint64_t)digit;
    r->size_seen = true;
    return REDACT_FRAMING;
}

/* What the next byte is, outside of chunk data. */
static enum redact_byte frame_byte(struct redact *r, uint8_t c)
{
    switch (r->frame) {
    case FRAME_SIZE:
        return frame_size(r, c);
    case FRAME_EXTENSION:
        return c == '\n' ? end_size_line(r) : REDACT_LINE;
    case FRAME_DATA_END:
        if (c == '\r')
            return REDACT_FRAMING;
        r->frame = c == '\n' ? FRAME_SIZE : FRAME_RAW;
        r->size_seen = false;
        r->left = 0;
        return c == '\n' ? REDACT_FRAMING : REDACT_PAYLOAD;
    case FRAME_TRAILER:
        if (c == '\n' && r->line_empty)
            r->frame = FRAME_RAW; /* the body is over; more is searched like everything */
        if (c == '\n')
            r->line_empty = true;
        else if (c != '\r')
            r->line_empty = false;
        return REDACT_LINE;
    case FRAME_RAW:
    case FRAME_DATA:
        break;
    }
    return REDACT_PAYLOAD;
}

/* Where the `n`-th last byte of this kind before `end` stands; 0 when there are fewer. */
static size_t walk_back(const uint8_t *kinds, size_t end, enum redact_byte kind, uint32_t n)
{
    while (n > 0 && end > 0)
        if (kinds[--end] == kind)
            n--;
    return end;
}

static void mask(struct redact *r, size_t end, enum redact_byte kind, uint32_t state)
{
    const struct match_node *node = &r->rules->match.nodes[state];
    uint8_t *bytes = r->rules->bytes;
    const uint8_t *kinds = r->rules->kinds;
    size_t from = walk_back(kinds, end, kind, node->length);
    for (size_t i = from; i < end; i++)
        if (kinds[i] == kind)
            bytes[i] = REDACT_FILLER;
    const char *stream = kind == REDACT_PAYLOAD ? "body" : "trailer";
    r->calls.hit(r->calls.ctx, stream, r->received + from, node->length, node->rule);
}

/* Bytes of one kind in a row: rules->bytes[at..end). */
static void match_run(struct redact *r, size_t at, size_t end, enum redact_byte kind)
{
    const struct match *m = &r->rules->match;
    const uint8_t *bytes = r->rules->bytes;
    memset(r->rules->kinds + at, (int)kind, end - at);
    if (kind == REDACT_FRAMING)
        return;
    if (r->compressed && kind == REDACT_PAYLOAD) {
        if (r->filled == 0)
            r->filled_at = r->received + at;
        r->filled += end - at;
        memset(r->rules->bytes + at, REDACT_FILLER, end - at);
        return;
    }
    uint32_t *keep = kind == REDACT_PAYLOAD ? &r->payload_state : &r->line_state, state = *keep;
    for (size_t i = at; i < end; i++) {
        if (state == 0 && m->first[bytes[i]] == 0)
            continue;
        state = match_next(m, state, bytes[i]);
        if (m->nodes[state].length)
            mask(r, i + 1, kind, state);
    }
    *keep = state;
}

static void follow(struct redact *r, size_t at, size_t end)
{
    while (at < end) {
        size_t n = 1;
        enum redact_byte kind = REDACT_PAYLOAD;
        if (r->frame == FRAME_RAW) {
            n = end - at;
        } else if (r->frame == FRAME_DATA) {
            n = end - at < r->left ? end - at : (size_t)r->left;
            r->left -= n;
            if (r->left == 0)
                r->frame = FRAME_DATA_END;
        } else {
            kind = frame_byte(r, r->rules->bytes[at]);
        }
        match_run(r, at, at + n, kind);
        at += n;
    }
}

/* From where on bytes have to wait: the earliest that a credential could begin with. */
static size_t hold_from(const struct redact *r, size_t end)
{
    const struct match *m = &r->rules->match;
    uint32_t payload = r->payload_state ? m->nodes[r->payload_state].depth : 0;
    uint32_t line = r->line_state ? m->nodes[r->line_state].depth : 0;
    size_t a = walk_back(r->rules->kinds, end, REDACT_PAYLOAD, payload);
    size_t b = walk_back(r->rules->kinds, end, REDACT_LINE, line);
    return a < b ? a : b;
}

/* More would have to wait than there is room for: the bytes in question are masked and go out. The states stay, so
 * that what follows is still matched. */
static size_t give_up_holding(struct redact *r, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        if (r->rules->kinds[i] != REDACT_FRAMING)
            r->rules->bytes[i] = REDACT_FILLER;
    r->calls.hit(r->calls.ctx, "body", r->received + from, end - from, "held");
    return end;
}

static void emit(struct redact *r, const struct segment *s, const uint8_t *bytes, size_t n, bool continued)
{
    if (n > 0)
        r->calls.piece(r->calls.ctx, s->time_ns, s->lag_ns, s->turn, continued, bytes, n);
}

/* Gives out [0, upto) and keeps the rest, each with its read. Segment `now` is behind the held ones. */
static void give_out(struct redact *r, size_t upto, size_t end)
{
    const uint8_t *bytes = r->rules->bytes;
    size_t at = 0, kept = 0, old = r->segment_count - 1;
    for (size_t i = 0; i <= old; i++) {
        struct segment *s = &r->segments[i];
        size_t n = at + s->bytes <= upto ? s->bytes : upto > at ? upto - at : 0;
        emit(r, s, bytes + at, n, i < old);
        at += s->bytes;
        if (s->bytes > n) {
            r->segments[kept] = *s;
            r->segments[kept++].bytes -= n;
        }
    }
    assert(at == end);
    r->segment_count = kept;
    r->held = end - upto;
    memcpy(r->bytes, bytes + upto, r->held);
    memcpy(r->kinds, r->rules->kinds + upto, r->held);
}

static void work_piece(struct redact *r, const struct segment *now, const uint8_t *bytes)
{
    size_t end = r->held + now->bytes;
    memcpy(r->rules->bytes, r->bytes, r->held);
    memcpy(r->rules->kinds, r->kinds, r->held);
    memcpy(r->rules->bytes + r->held, bytes, now->bytes);
    r->segments[r->segment_count++] = *now;
    r->received -= r->held; /* offsets count from the first held byte */
    follow(r, r->held, end);
    size_t from = hold_from(r, end);
    if (end - from > r->rules->hold_cap)
        from = give_up_holding(r, from, end);
    r->received += end;
    give_out(r, from, end);
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
static void mask_beginning(struct redact *r, enum redact_byte kind, uint32_t state)
{
    const struct match_node *node = &r->rules->match.nodes[state];
    uint32_t depth = state ? node->depth : 0;
    if (depth < REDACT_MIN_SECRET_BYTES || node->length == depth) /* whole: masked already */
        return;
    size_t from = walk_back(r->kinds, r->held, kind, depth);
    for (size_t i = from; i < r->held; i++)
        if (r->kinds[i] == kind)
            r->bytes[i] = REDACT_FILLER;
    r->calls.hit(r->calls.ctx, kind == REDACT_PAYLOAD ? "body" : "trailer", r->received - r->held + from, depth,
                 "cut_off");
}

void redact_finish(struct redact *r)
{
    size_t at = 0;
    mask_beginning(r, REDACT_PAYLOAD, r->payload_state);
    mask_beginning(r, REDACT_LINE, r->line_state);
    for (size_t i = 0; i < r->segment_count; i++) {
        emit(r, &r->segments[i], r->bytes + at, r->segments[i].bytes, true);
        at += r->segments[i].bytes;
    }
    if (r->filled > 0)
        r->calls.hit(r->calls.ctx, "body", r->filled_at, r->filled, "compressed");
    r->held = r->segment_count = 0;
    r->filled = 0;
    r->payload_state = r->line_state = 0;
}
