/* Takes the payload out of an HTTP/1.1 body as it came over the wire: chunked
 * (RFC 9112 section 7.1, extensions and trailers included), by Content-Length,
 * or until close. Resumable at any byte; copies and allocates nothing. */
#ifndef ANALYZER_DECHUNK_H
#define ANALYZER_DECHUNK_H

#include "../format/bytes.h"
#include "../format/status.h"

enum body_framing { BODY_CLOSE, BODY_LENGTH, BODY_CHUNKED };

struct dechunk {
    enum body_framing framing;
    uint8_t state;       /* private */
    unsigned line_bytes; /* private: bytes in the current head or trailer line */
    uint64_t left;       /* private: payload bytes still to come in this chunk or body */
    uint64_t chunks, payload_bytes, trailer_bytes, surplus_bytes;
    bool complete;     /* last chunk and trailers, or all of Content-Length, were seen */
    const char *fault; /* static text of the first grammar error, or NULL */
};

void dechunk_begin(struct dechunk *d, enum body_framing framing, uint64_t content_length);

/* Takes bytes from *in (advancing it) up to and including the next piece of
 * payload, which *payload then views. Payload n == 0: *in is used up.
 * TT_MALFORMED: see fault; nothing more can be taken. */
enum tt_status dechunk_next(struct dechunk *d, struct tt_view *in, struct tt_view *payload);
/* The payload of a chunk is there and its closing CR LF is not, or not all of it. */
bool dechunk_awaits_chunk_end(const struct dechunk *d);
/* The payload taken last is not behind anything but that CR LF: no new chunk, no trailers, no surplus has begun. */
bool dechunk_ends_with_payload(const struct dechunk *d);

#endif
