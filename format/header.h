/* The FILE and BLOCK headers, byte by byte. FORMAT.md has the same tables. */
#ifndef TAPE_HEADER_H
#define TAPE_HEADER_H

#include "bytes.h"
#include "chain.h"
#include "limits.h"
#include "status.h"

#define FILE_HEADER_BYTES 80u /* of version 1, skippable head included */
#define BLOCK_HEADER_BYTES 100u
#define BLOCK_HEADER_FIXED_BYTES 20u /* up to and with the salt: the same in every block of a tape */
#define BLOCK_FRAME_BYTES (BLOCK_HEADER_BYTES + TAPE_MAX_PACKED_BLOCK_BYTES) /* header and content, at most */
#define HEADER_SALT_BYTES 4u
#define BLOCK_VERSION 1u
#define BLOCK_INCOMPATIBLE_FLAGS 0x0000ffffu /* unknown ones among these are refused */

struct file_header {
    uint16_t major, minor;
    uint32_t compatible_flags, incompatible_flags;
    uint8_t tape_id[16], boot_hash[16];
    uint64_t base_monotonic_ns, base_realtime_ns;
};

struct block_header {
    uint8_t salt[HEADER_SALT_BYTES]; /* the first bytes of the tape id */
    uint64_t sequence;
    uint32_t packed_bytes, raw_bytes, records, flags;
    uint64_t least_time_ns, greatest_time_ns; /* TAPE_NONE: no timed record */
    uint8_t previous[CHAIN_HASH_BYTES];
    uint32_t packed_crc;
};

void file_header_encode(const struct file_header *h, uint8_t out[FILE_HEADER_BYTES]);

/* Reads the FILE frame at the start of `in`; *used receives its length, which a
 * later minor version may have grown. Errors: TT_FOREIGN, TT_TRUNCATED, TT_CRC,
 * TT_VERSION. */
enum tt_status file_header_decode(struct tt_view in, struct file_header *h, size_t *used, struct tt_error *err);

void block_header_encode(const struct block_header *h, uint8_t out[BLOCK_HEADER_BYTES]);

/* Errors, with offset `at` in the text: TT_MALFORMED (no BLOCK header here),
 * TT_CRC, TT_VERSION. */
enum tt_status block_header_decode(const uint8_t in[BLOCK_HEADER_BYTES], uint64_t at, struct block_header *h,
                                   struct tt_error *err);

/* Whether the first `n` bytes could begin the header that `expected` (salt,
 * sequence, previous) describes: tells a cut-off header from a damaged one. */
bool block_header_could_begin(const uint8_t *in, size_t n, const struct block_header *expected);

#endif
