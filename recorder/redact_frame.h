/* Tells the payload of a chunked body from its framing, byte by byte, so that a
 * credential is found across chunk heads. Never fails: where the bytes are no
 * chunked body, the rest counts as payload. */
#ifndef RECORDER_REDACT_FRAME_H
#define RECORDER_REDACT_FRAME_H

#include "../format/bytes.h"

enum redact_byte {
    REDACT_PAYLOAD,
    REDACT_LINE /* chunk heads, line ends, trailers: text of its own */
};

enum redact_frame_state {
    FRAME_RAW, /* not chunked, no longer chunked, or behind the end */
    FRAME_SIZE,
    FRAME_SIZE_LF,
    FRAME_EXTENSION,
    FRAME_DATA,
    FRAME_DATA_END,
    FRAME_DATA_LF,
    FRAME_TRAILER
};

struct redact_frame {
    enum redact_frame_state state;
    bool size_seen;  /* a digit of the chunk size */
    bool line_empty; /* nothing yet in this trailer line */
    uint64_t left;   /* payload bytes of this chunk still to come */
};

void redact_frame_begin(struct redact_frame *f, bool chunked);

/* Up to n bytes from p that are of one kind; at least one when n > 0. */
size_t redact_frame_next(struct redact_frame *f, const uint8_t *p, size_t n, enum redact_byte *kind);

#endif
