#include "dechunk.h"

/* One chunk-size or trailer line. Longer ones are nobody's honest answer. */
#define MAX_LINE_BYTES (16u << 10)
#define MAX_TRAILER_BYTES (256u << 10)

/* Where in the grammar the next byte stands. A line may end with LF alone, as
 * RFC 9112 section 2.2 lets a recipient accept and libcurl does. */
enum state {
    SIZE_FIRST,   /* first digit of a chunk size */
    SIZE_DIGITS,  /* more digits */
    SIZE_EXT,     /* white space or extension: up to the line's end */
    SIZE_LF,      /* behind the CR of a size line */
    DATA,         /* payload */
    DATA_END,     /* CR LF behind a chunk's payload */
    DATA_LF,      /* its LF */
    TRAILER_NEXT, /* start of a trailer line, or the empty line that ends all */
    TRAILER_LINE, /* inside a trailer line */
    TRAILER_LF,   /* behind the CR of the last, empty line */
    PLAIN,        /* not chunked: everything is payload */
    COMPLETE,
    BROKEN
};

void dechunk_begin(struct dechunk *d, enum body_framing framing, uint64_t content_length)
{
    *d = (struct dechunk){.framing = framing, .state = framing == BODY_CHUNKED ? SIZE_FIRST : PLAIN};
    if (framing == BODY_CLOSE)
        d->left = UINT64_MAX;
    else if (framing == BODY_LENGTH)
        d->left = content_length;
    if (framing == BODY_LENGTH && content_length == 0) {
        d->state = COMPLETE;
        d->complete = true;
    }
}

static enum tt_status fail(struct dechunk *d, const char *fault)
{
    d->fault = fault;
    d->state = BROKEN;
    return TT_MALFORMED;
}

static int digit_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

static enum tt_status take_digit(struct dechunk *d, int value)
{
    if (d->left > INT64_MAX / 16)
        return fail(d, "chunk size too large");
    d->left = d->left * 16 + (uint64_t)value;
    d->state = SIZE_DIGITS;
    return TT_OK;
}

static void end_size_line(struct dechunk *d)
{
    d->line_bytes = 0;
    d->state = d->left ? DATA : TRAILER_NEXT;
    d->chunks += d->left != 0;
}

static enum tt_status take_size_byte(struct dechunk *d, uint8_t c)
{
    if (c == '\r')
        d->state = SIZE_LF;
    else if (c == '\n')
        end_size_line(d);
    else if (c == ';' || c == ' ' || c == '\t')
        d->state = SIZE_EXT;
    else
        return fail(d, "chunk size is not a hexadecimal number");
    return TT_OK;
}

static void end_body(struct dechunk *d)
{
    d->state = COMPLETE;
    d->complete = true;
}

static enum tt_status take_trailer_byte(struct dechunk *d, uint8_t c)
{
    if (d->state == TRAILER_NEXT && c == '\r') {
        d->state = TRAILER_LF;
    } else if (d->state == TRAILER_NEXT && c == '\n') {
        end_body(d);
    } else {
        d->state = c == '\n' ? TRAILER_NEXT : TRAILER_LINE;
        d->line_bytes = c == '\n' ? 0 : d->line_bytes;
        if (++d->trailer_bytes > MAX_TRAILER_BYTES)
            return fail(d, "chunk trailers too long");
    }
    return TT_OK;
}

/* One byte of framing. */
static enum tt_status take_byte(struct dechunk *d, uint8_t c)
{
    int value;
    if (++d->line_bytes > MAX_LINE_BYTES)
        return fail(d, "chunk size or trailer line too long");
    switch (d->state) {
    case SIZE_FIRST:
    case SIZE_DIGITS:
        value = digit_value(c);
        if (value >= 0)
            return take_digit(d, value);
        return d->state == SIZE_FIRST ? fail(d, "chunk size is missing") : take_size_byte(d, c);
    case SIZE_EXT:
        return c == '\r' || c == '\n' ? take_size_byte(d, c) : TT_OK;
    case SIZE_LF:
        if (c != '\n')
            return fail(d, "chunk size line has a CR without LF");
        end_size_line(d);
        return TT_OK;
    case DATA_END:
        d->state = c == '\n' ? SIZE_FIRST : DATA_LF;
        d->line_bytes = 0;
        return c == '\n' || c == '\r' ? TT_OK : fail(d, "chunk is longer than its size");
    case DATA_LF:
        d->state = SIZE_FIRST;
        d->line_bytes = 0;
        return c == '\n' ? TT_OK : fail(d, "chunk does not end with CR LF");
    case TRAILER_LF:
        if (c != '\n')
            return fail(d, "the line behind the trailers does not end with CR LF");
        end_body(d);
        return TT_OK;
    default:
        return take_trailer_byte(d, c);
    }
}

static void take_payload(struct dechunk *d, struct tt_view *in, struct tt_view *payload)
{
    size_t n = d->left < in->n ? (size_t)d->left : in->n;
    *payload = tt_view_of(in->p, n);
    *in = tt_view_of(in->p + n, in->n - n);
    d->payload_bytes += n;
    if (d->framing != BODY_CLOSE)
        d->left -= n;
    if (d->left > 0)
        return;
    if (d->state == DATA)
        d->state = DATA_END;
    else
        end_body(d);
}

enum tt_status dechunk_next(struct dechunk *d, struct tt_view *in, struct tt_view *payload)
{
    *payload = tt_view_of(NULL, 0);
    while (in->n > 0) {
        if (d->state == BROKEN)
            return TT_MALFORMED;
        if (d->state == COMPLETE) {
            d->surplus_bytes += in->n;
            *in = tt_view_of(in->p + in->n, 0);
            return TT_OK;
        }
        if (d->state == DATA || d->state == PLAIN) {
            take_payload(d, in, payload);
            return TT_OK;
        }
        uint8_t c = *in->p;
        *in = tt_view_of(in->p + 1, in->n - 1);
        if (take_byte(d, c) != TT_OK)
            return TT_MALFORMED;
    }
    return d->state == BROKEN ? TT_MALFORMED : TT_OK;
}

bool dechunk_awaits_chunk_end(const struct dechunk *d)
{
    return d->state == DATA_END || d->state == DATA_LF;
}

bool dechunk_ends_with_payload(const struct dechunk *d)
{
    switch (d->state) {
    case DATA:
    case DATA_END:
    case DATA_LF:
    case SIZE_FIRST:
    case PLAIN:
        return true;
    case COMPLETE:
        return d->framing != BODY_CHUNKED && d->surplus_bytes == 0;
    default:
        return false;
    }
}
