/* What redact.c and redact_body.c share. */
#ifndef RECORDER_REDACT_PARTS_H
#define RECORDER_REDACT_PARTS_H

#include "redact.h"
#include "redact_match.h"

#define REDACT_FILLER '*'
#define REDACT_PIECE_BYTES 16384u /* a read is worked on in pieces of this size */
#define REDACT_FRAMING_FACTOR 8u  /* held bytes for each byte of the longest form: one byte a chunk costs six */
#define REDACT_FRAMING_SPARE_BYTES 256u

/* What a byte of a body is: framing stays, payload is matched across chunk heads, extensions and
 * trailers are matched as text of their own. */
enum redact_byte { REDACT_FRAMING, REDACT_PAYLOAD, REDACT_LINE };

struct redact_rules {
    struct match match;
    size_t hold_cap;
    /* Working room of the one thread that reads: what is held and one piece behind it. */
    uint8_t *bytes, *kinds;
};

#endif
