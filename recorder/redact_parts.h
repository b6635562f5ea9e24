/* What redact.c, redact_body.c and redact_mask.c share. */
#ifndef RECORDER_REDACT_PARTS_H
#define RECORDER_REDACT_PARTS_H

#include "redact.h"
#include "redact_frame.h"
#include "redact_match.h"

#define REDACT_FILLER '*'
#define REDACT_PIECE_BYTES 16384u /* libcurl gives no more at once; a larger read is worked on in such pieces */
#define REDACT_MAX_SEGMENTS 1024u /* reads that can be held at once in a stream */

/* Held bytes for each byte of the longest form: a byte a chunk costs six; and some for longer chunk heads. With
 * 100-byte keys that is 40 KB of address space a stream; pages that nothing held has ever touched cost no memory. */
#define REDACT_HOLD_FACTOR 6u
#define REDACT_HOLD_SPARE_BYTES 512u

struct redact_rules {
    struct match match;
    size_t hold_cap;
    /* Working room of the one thread that reads: what is held, and one piece behind it. */
    uint8_t *bytes, *kinds;
};

/* Bytes of one read that are not out yet. */
struct segment {
    size_t bytes;
    struct stamp_read at;
};

struct hit {
    enum redact_byte kind;
    uint64_t from, bytes; /* bytes 0: none */
    const char *rule;
};

struct redact {
    const struct redact_rules *rules;
    struct redact_calls calls;
    struct redact_frame frame;
    bool compressed;
    uint32_t state[2]; /* of the matcher, by kind of byte */
    uint64_t base;     /* where in the body the working room begins */
    struct hit hit;    /* the latest: a longer one may still take its place */
    struct hit filler; /* compressed: all of it */
    size_t cap, held, used_most;
    uint8_t *bytes, *kinds; /* what is held */
    size_t segment_count;
    struct segment *segments; /* REDACT_MAX_SEGMENTS */
};

void redact_tell(struct redact *r, struct hit *hit); /* hit->bytes becomes 0 */

/* Matches and masks bytes at..end of the working room; before them is what was held. */
void redact_follow(struct redact *r, size_t at, size_t end);

/* How far the working room can go out. Bytes that may be part of a credential and find no room go out masked; the
 * matcher's state stays, so that what follows is masked too when it is one. */
size_t redact_choose_out(struct redact *r, size_t end);

/* The body broke off inside what could have been a credential: most of one must not go out either. Works on what is
 * held. */
void redact_cut_off(struct redact *r);

#endif
