/* zstd skippable frames: eight bytes (magic, length) that make any zstd decoder
 * step over what follows. Every header of a tape is one. */
#ifndef TAPE_FRAME_H
#define TAPE_FRAME_H

#include "bytes.h"

#define FRAME_HEAD_BYTES 8u
#define FRAME_FILE 0x184D2A50u
#define FRAME_BLOCK 0x184D2A51u
#define FRAME_INDEX 0x184D2A52u
#define FRAME_ZSTD 0xFD2FB528u /* magic of an ordinary zstd frame */

static inline void frame_put_head(uint8_t *p, uint32_t magic, uint32_t content_bytes)
{
    tt_put_u32(p, magic);
    tt_put_u32(p + 4, content_bytes);
}

/* Whether `n` bytes at p begin with this magic (with as much of it as n holds). */
static inline bool frame_begins(const uint8_t *p, size_t n, uint32_t magic)
{
    uint8_t want[4];
    tt_put_u32(want, magic);
    return memcmp(p, want, n < 4 ? n : 4) == 0;
}

#endif
