#include "redact_body.h"

#include "redact_event.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM_BYTES 128u

struct redact_body {
    struct redact_body_rules rules;
    struct redact_json_rules json;
    struct dechunk framing;
    bool broken;      /* the framing cannot be read on */
    bool behind_size; /* in a line of framing, behind its digits */
    bool events, opaque;
    /* the event in hand: its bytes and their places */
    uint8_t *bytes;
    uint8_t **at;
    size_t n, room;
    bool too_long;           /* it is blurred up to its end */
    bool line_empty, was_cr; /* line ends as in sse.h */
    bool at_beginning;       /* of the stream, where a BOM may stand */
};

static bool create_keepers(struct redact_body *b)
{
    if (!b->rules.markers && !b->rules.code_words)
        return true;
    for (size_t i = 0; i < REDACT_CHANNELS; i++) {
        /* words are counted in the content alone */
        b->json.keepers[i] = redact_keeper_create(b->rules.markers, b->rules.code_words && i == REDACT_CONTENT,
                                                  b->rules.held_marker_chars);
        if (!b->json.keepers[i])
            return false;
    }
    return true;
}

struct redact_body *redact_body_create(const struct redact_body_rules *rules, struct dechunk framing, bool events,
                                       bool opaque)
{
    struct redact_body *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->rules = *rules;
    b->json.structure = rules->structure;
    b->framing = framing;
    b->events = events;
    b->opaque = opaque;
    b->line_empty = b->at_beginning = true;
    if (create_keepers(b))
        return b;
    redact_body_free(b);
    return NULL;
}

static struct redact_place event_of(const struct redact_body *b)
{
    return (struct redact_place){b->bytes, b->at, b->n};
}

/* Its room, too: of thousands of streams at once none keeps what its longest event took. */
static void drop_event(struct redact_body *b)
{
    *b->rules.held_bytes -= b->room;
    free(b->bytes);
    free(b->at);
    b->bytes = NULL;
    b->at = NULL;
    b->n = b->room = 0;
}

static void end_event(struct redact_body *b)
{
    redact_event(event_of(b), b->at_beginning, &b->json);
    drop_event(b);
    b->too_long = b->at_beginning = false;
}

/* Room for one byte more; TT_LIMIT when the event, or all of them together, would take too much. */
static enum tt_status grow(struct redact_body *b)
{
    size_t room = b->room ? 2 * b->room : FIRST_ROOM_BYTES;
    if (room > REDACT_MAX_EVENT_BYTES || room - b->room > REDACT_MAX_HELD_BYTES - *b->rules.held_bytes)
        return TT_LIMIT;
    uint8_t *bytes = realloc(b->bytes, room);
    if (bytes)
        b->bytes = bytes;
    uint8_t **at = realloc(b->at, room * sizeof *at);
    if (at)
        b->at = at;
    if (!bytes || !at)
        return TT_NOMEM;
    *b->rules.held_bytes += room - b->room;
    b->room = room;
    return TT_OK;
}

static enum tt_status hold(struct redact_body *b, uint8_t byte, uint8_t *out)
{
    enum tt_status st = b->too_long ? TT_LIMIT : b->n == b->room ? grow(b) : TT_OK;
    if (st == TT_LIMIT) {
        redact_place_blur(event_of(b));
        drop_event(b);
        b->too_long = true;
        *out = redact_blur_byte(byte);
        return TT_OK;
    }
    if (st != TT_OK)
        return st;
    b->bytes[b->n] = byte;
    b->at[b->n++] = out;
    return TT_OK;
}

/* An event ends with the byte that ends its blank line; LF behind CR is part of that line end. */
static enum tt_status take_event_byte(struct redact_body *b, uint8_t byte, uint8_t *out)
{
    bool line_end = byte == '\n' || byte == '\r', second_half = byte == '\n' && b->was_cr;
    b->was_cr = byte == '\r';
    if (second_half && b->n == 0) {
        *out = byte;
        return TT_OK;
    }
    enum tt_status st = hold(b, byte, out);
    if (second_half)
        return st;
    if (line_end && b->line_empty)
        end_event(b);
    b->line_empty = line_end;
    return st;
}

static enum tt_status take_payload(struct redact_body *b, struct tt_view payload, uint8_t *out)
{
    enum tt_status st = TT_OK;
    for (size_t i = 0; i < payload.n && st == TT_OK; i++) {
        uint8_t *at = out + i;
        if (b->events)
            st = take_event_byte(b, payload.p[i], at);
        else
            *at = b->opaque ? 'x' : redact_blur_byte(payload.p[i]);
    }
    return st;
}

/* Chunk sizes and line ends stay; what else stands there is text: extensions, trailers. */
static void take_framing(struct redact_body *b, struct tt_view bytes, uint8_t *out)
{
    for (size_t i = 0; i < bytes.n; i++) {
        uint8_t c = bytes.p[i];
        bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        bool sign = c == '\r' || c == '\n' || c == ';' || c == ':' || c == ' ' || c == '\t';
        b->behind_size = c != '\n' && (b->behind_size || !digit) && c != '\r';
        out[i] = sign || (digit && !b->behind_size) ? c : 'x';
    }
}

enum tt_status redact_body_read(struct redact_body *b, struct tt_view bytes, uint8_t *out)
{
    struct tt_view rest = bytes, payload;
    enum tt_status st = TT_OK;
    while (st == TT_OK && rest.n > 0 && !b->broken) {
        const uint8_t *before = rest.p;
        b->broken = dechunk_next(&b->framing, &rest, &payload) != TT_OK;
        const uint8_t *framing_end = b->broken || payload.n == 0 ? rest.p : payload.p;
        take_framing(b, tt_view_of(before, (size_t)(framing_end - before)), out + (before - bytes.p));
        if (!b->broken && payload.n > 0)
            st = take_payload(b, payload, out + (payload.p - bytes.p));
    }
    take_framing(b, rest, out + (rest.p - bytes.p)); /* behind a fault nothing is payload */
    for (size_t i = 0; i < REDACT_CHANNELS; i++)
        if (b->json.keepers[i] && redact_keeper_failed(b->json.keepers[i]))
            st = TT_NOMEM;
    return st;
}

void redact_body_end(struct redact_body *b)
{
    if (b->n > 0)
        end_event(b);
    for (size_t i = 0; i < REDACT_CHANNELS; i++)
        if (b->json.keepers[i])
            redact_keeper_end(b->json.keepers[i]);
}

void redact_body_free(struct redact_body *b)
{
    if (!b)
        return;
    drop_event(b);
    for (size_t i = 0; i < REDACT_CHANNELS; i++)
        redact_keeper_free(b->json.keepers[i]);
    free(b);
}
