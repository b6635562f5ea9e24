/* What redact.c and redact_body.c share. */
#ifndef RECORDER_REDACT_PARTS_H
#define RECORDER_REDACT_PARTS_H

#include "redact.h"
#include "redact_match.h"

#define REDACT_FILLER '*'
#define REDACT_PIECE_BYTES 16384u /* libcurl gives no more at once; a larger read is worked on in such pieces */
#define REDACT_MAX_SEGMENTS 96u   /* reads that can be held at once in a stream */

/* Held bytes for each byte of the longest form, and some for chunk heads. With 100-byte keys a stream takes 7 KB. */
#define REDACT_HOLD_FACTOR 2u
#define REDACT_HOLD_SPARE_BYTES 512u

struct redact_rules {
    struct match match;
    size_t hold_cap;
    /* Working room of the one thread that reads: what is held, and one piece behind it. */
    uint8_t *bytes, *kinds;
};

#endif
