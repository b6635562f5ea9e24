/* What of a body is masked: in the working room, where what is held and the newest bytes
 * stand in a row with the kind of each. */
#include "redact_forms.h"
#include "redact_parts.h"

void redact_tell(struct redact *r, struct hit *hit)
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

/* Where the n-th last byte of a kind before `end` stands; the first one when there are fewer, since some of them had to
 * go out before; `end` when there is none. */
static size_t walk_back(const uint8_t *kinds, size_t end, enum redact_byte kind, uint32_t n)
{
    size_t found = end;
    for (size_t at = end; n > 0 && at > 0;)
        if (kinds[--at] == kind) {
            found = at;
            n--;
        }
    return found;
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
        redact_tell(r, &r->hit);
    r->hit = now;
}

static void fill_compressed(struct redact *r, size_t at, size_t end)
{
    if (r->filler.bytes == 0)
        r->filler = (struct hit){REDACT_PAYLOAD, r->base + at, 0, "compressed"};
    r->filler.bytes += end - at;
    memset(r->rules->bytes + at, REDACT_FILLER, end - at);
    r->state[REDACT_PAYLOAD] = 0;
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

void redact_follow(struct redact *r, size_t at, size_t end)
{
    while (at < end) {
        enum redact_frame_state before = r->frame.state;
        enum redact_byte kind = REDACT_PAYLOAD;
        size_t n = redact_frame_next(&r->frame, r->rules->bytes + at, end - at, &kind);
        if (kind == REDACT_PAYLOAD && before != FRAME_RAW && before != FRAME_DATA && before != FRAME_DATA_END)
            adopt_line(r, at);
        match_run(r, at, at + n, kind);
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

size_t redact_choose_out(struct redact *r, size_t end)
{
    size_t payload = walk_back(r->rules->kinds, end, REDACT_PAYLOAD, depth(r, REDACT_PAYLOAD));
    size_t line = walk_back(r->rules->kinds, end, REDACT_LINE, depth(r, REDACT_LINE));
    size_t from = payload < line ? payload : line, upto = forced_out(r, from, end);
    if (upto > from) {
        struct hit held = {REDACT_PAYLOAD, r->base + from, 0, "held"};
        held.bytes = fill(r, payload, upto, REDACT_PAYLOAD) + fill(r, line, upto, REDACT_LINE);
        redact_tell(r, &held);
    }
    if (r->hit.bytes > 0 && r->hit.from < r->base + upto)
        redact_tell(r, &r->hit);
    return upto;
}

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
    redact_tell(r, &r->hit);
    redact_tell(r, &cut);
}

void redact_cut_off(struct redact *r)
{
    mask_beginning(r, REDACT_PAYLOAD);
    mask_beginning(r, REDACT_LINE);
}
