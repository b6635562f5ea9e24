/* Salvage: behind a flaw, the next place where a block of this tape begins. */
#include "reader_parts.h"

#include <string.h>

#define PIECE_BYTES (64u << 10)

static bool is_candidate(const struct reader *r, uint64_t at)
{
    uint8_t bytes[BLOCK_HEADER_BYTES];
    struct block_header h;
    size_t got;
    struct tt_error err;
    if (reader_read(r, at, bytes, sizeof(bytes), &got, &err) != TT_OK || got < sizeof(bytes))
        return false;
    enum tt_status st = block_header_decode(bytes, at, &h, &err);
    return st == TT_OK && h.sequence >= r->next_sequence;
}

/* The bytes every BLOCK header of this tape begins with. */
static void put_pattern(const struct reader *r, uint8_t pattern[BLOCK_HEADER_FIXED_BYTES])
{
    uint8_t bytes[BLOCK_HEADER_BYTES];
    struct block_header h = {0};
    memcpy(h.salt, r->file.tape_id, sizeof(h.salt));
    block_header_encode(&h, bytes);
    memcpy(pattern, bytes, BLOCK_HEADER_FIXED_BYTES);
}

/* Looks through `n` bytes read from `at`; true when a candidate was found, at *found. */
static bool scan_piece(const struct reader *r, uint64_t at, size_t n, const uint8_t pattern[BLOCK_HEADER_FIXED_BYTES],
                       uint64_t *found)
{
    const uint8_t *p = r->frame, *end = r->frame + n;
    while ((p = memmem(p, (size_t)(end - p), pattern, BLOCK_HEADER_FIXED_BYTES)) != NULL) {
        *found = at + (uint64_t)(p - r->frame);
        if (is_candidate(r, *found))
            return true;
        p++;
    }
    return false;
}

bool reader_scan(struct reader *r)
{
    uint8_t pattern[BLOCK_HEADER_FIXED_BYTES];
    put_pattern(r, pattern);
    /* The flawed block itself gets a second chance when only its place was wrong. */
    uint64_t at = r->chain_known ? r->offset : r->offset + 1;
    r->chain_known = false;
    if (++r->salvage_tries > TAPE_MAX_SALVAGE_TRIES)
        return false;
    for (;;) {
        size_t got;
        if (reader_read(r, at, r->frame, PIECE_BYTES, &got, NULL) != TT_OK || got < sizeof(pattern))
            return false;
        if (scan_piece(r, at, got, pattern, &r->offset))
            return true;
        at += got - sizeof(pattern) + 1;
    }
}
