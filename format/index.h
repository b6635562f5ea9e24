/* The INDEX frame: where each block stands, written only after a clean close.
 * It is a hint; a reader checks it against the blocks and believes the blocks. */
#ifndef TAPE_INDEX_H
#define TAPE_INDEX_H

#include "bytes.h"
#include "header.h"
#include "status.h"

#define INDEX_HEAD_BYTES 72u /* skippable head, tag, version, salt, counts, head hash */
#define INDEX_ENTRY_BYTES 40u
#define INDEX_TAIL_BYTES 20u /* CRC32C, offset of the frame, end magic */
#define INDEX_TRAILER_BYTES 16u
#define INDEX_FIXED_BYTES (INDEX_HEAD_BYTES + INDEX_TAIL_BYTES)

struct index_head {
    uint8_t salt[HEADER_SALT_BYTES];
    uint64_t blocks, records;
    uint8_t head[CHAIN_HASH_BYTES]; /* H of the last block */
};

/* Length of the whole frame, or 0 when it would pass TAPE_MAX_INDEX_FRAME_BYTES. */
uint64_t index_frame_bytes(uint64_t blocks);

/* Whether n bytes could be the beginning of an INDEX frame (length left aside). */
bool index_could_begin(const uint8_t *p, size_t n);

void index_put_head(uint8_t out[INDEX_HEAD_BYTES], const struct index_head *h);
void index_put_entry(uint8_t out[INDEX_ENTRY_BYTES], uint64_t offset, const struct block_header *h);

/* `crc`: CRC32C of all bytes of the frame before the tail; `at`: offset of the
 * frame. The stored CRC covers everything but itself. */
void index_put_tail(uint8_t out[INDEX_TAIL_BYTES], uint32_t crc, uint64_t at);

/* Does the CRC hold? `crc` as above. *at receives the offset the tail names. */
bool index_tail_holds(const uint8_t tail[INDEX_TAIL_BYTES], uint32_t crc, uint64_t *at);

#endif
