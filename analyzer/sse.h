/* Event-stream framing after the WHATWG HTML standard, "Interpreting an event
 * stream", resumable at any byte. No allocation per event: an event that lies in
 * one piece is viewed in place, others go through a buffer that lasts as long.
 * An event ends with the byte that ends its blank line; a CR ends a line at once
 * and a following LF, even in the next piece, is part of that line end. */
#ifndef ANALYZER_SSE_H
#define ANALYZER_SSE_H

#include "../format/bytes.h"
#include "pool.h"

#define SSE_MAX_EVENT_BYTES (16u << 20) /* one event's data, or one line; more is TT_LIMIT */
#define SSE_MAX_NAME_BYTES (64u << 10)  /* its type or id, likewise */

struct sse_event {
    struct tt_view type; /* p == NULL: no event field, so "message" */
    struct tt_view data; /* data lines joined with LF */
    struct tt_view id;   /* p == NULL: none in this event */
};

struct sse_calls { /* views are valid during the call only; a NULL call is left out */
    void (*event)(void *ctx, const struct sse_event *event); /* only events with a data field */
    void (*comment)(void *ctx, struct tt_view text);         /* what stands behind the colon */
    /* `data:[DONE]` line end seen (before its blank line); spaces around [DONE] allowed.
     * Only for the first data line of an event, whose `event` call still follows. */
    void (*done_line)(void *ctx);
    void *ctx;
    void (*unknown)(void *ctx, struct tt_view line); /* a line with a field the grammar does not know */
};

struct sse; /* opaque; create / free */

/* `pool` bounds what the events of several streams hold together; NULL: each has its own limit alone. NULL: no memory.
 */
struct sse *sse_create(const struct sse_calls *calls, struct pool *pool);
/* TT_LIMIT or TT_NOMEM: the stream cannot be read further, and holds nothing any more. In a pool it can come to
 * that between two calls. */
enum tt_status sse_feed(struct sse *s, struct tt_view bytes);
/* Body ended. clean: a last event without its blank line counts (and is delivered). */
enum tt_status sse_finish(struct sse *s, bool clean);
/* `[DONE]` with blanks around it. */
bool sse_value_is_done(struct tt_view value);
/* During a call: bytes of the piece behind the line that made it. */
size_t sse_ahead(const struct sse *s);
/* Of an event all lines are there but its blank one. */
bool sse_awaits_blank(const struct sse *s);
uint64_t sse_unknown_fields(const struct sse *s);
uint64_t sse_retry_fields(const struct sse *s);
void sse_free(struct sse *s);

#endif
