/* Private to sse.c: growing buffers, and the fields of the event being read. */
#ifndef ANALYZER_SSE_FIELD_H
#define ANALYZER_SSE_FIELD_H

#include "../format/bytes.h"
#include "pool.h"

struct sse_buffer {
    uint8_t *p;
    size_t n, size;
    struct pool_account *account; /* of the stream it belongs to: `size` is counted there */
};

/* A field views the piece of bytes or the line buffer it came from while these
 * last, and its own buffer behind that: the usual event is never copied. */
struct sse_field {
    struct tt_view v; /* p == NULL: not seen; never NULL for an empty value */
    struct sse_buffer own;
};

extern const uint8_t sse_empty[1];

/* TT_LIMIT when the buffer would hold more than `limit` bytes, or the pool is spent; TT_NOMEM. */
enum tt_status sse_buffer_append(struct sse_buffer *b, struct tt_view v, size_t limit);
/* Gives back all: a stream between two events holds nothing. */
void sse_buffer_free(struct sse_buffer *b);

enum tt_status sse_field_set(struct sse_field *f, struct tt_view value, size_t limit);
/* One more line, joined with LF. */
enum tt_status sse_field_join(struct sse_field *f, struct tt_view value, size_t limit);
/* Makes the field independent of the piece and of the line buffer. */
enum tt_status sse_field_own(struct sse_field *f);
void sse_field_clear(struct sse_field *f);

#endif
