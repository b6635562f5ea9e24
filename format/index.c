#include "index.h"

#include "crc32c.h"
#include "frame.h"
#include "limits.h"

static const uint8_t index_tag[4] = {'T', 'I', 'D', 'X'};
static const uint8_t index_end_magic[8] = {'T', 'A', 'P', 'E', 'I', 'D', 'X', '\n'};

#define INDEX_VERSION 1u

uint64_t index_frame_bytes(uint64_t blocks)
{
    if (blocks > (TAPE_MAX_INDEX_FRAME_BYTES - INDEX_FIXED_BYTES) / INDEX_ENTRY_BYTES)
        return 0;
    return INDEX_FIXED_BYTES + blocks * INDEX_ENTRY_BYTES;
}

bool index_could_begin(const uint8_t *p, size_t n)
{
    size_t tag = n <= 8 ? 0 : n - 8;
    return frame_begins(p, n, FRAME_INDEX) &&
           memcmp(p + 8, index_tag, tag < sizeof(index_tag) ? tag : sizeof(index_tag)) == 0;
}

void index_put_head(uint8_t out[INDEX_HEAD_BYTES], const struct index_head *h)
{
    frame_put_head(out, FRAME_INDEX, (uint32_t)(index_frame_bytes(h->blocks) - FRAME_HEAD_BYTES));
    memcpy(out + 8, index_tag, sizeof(index_tag));
    tt_put_u16(out + 12, INDEX_VERSION);
    tt_put_u16(out + 14, INDEX_ENTRY_BYTES);
    memcpy(out + 16, h->salt, HEADER_SALT_BYTES);
    tt_put_u32(out + 20, 0);
    tt_put_u64(out + 24, h->blocks);
    tt_put_u64(out + 32, h->records);
    memcpy(out + 40, h->head, CHAIN_HASH_BYTES);
}

void index_put_entry(uint8_t out[INDEX_ENTRY_BYTES], uint64_t offset, const struct block_header *h)
{
    tt_put_u64(out, offset);
    tt_put_u64(out + 8, h->least_time_ns);
    tt_put_u64(out + 16, h->greatest_time_ns);
    tt_put_u32(out + 24, h->records);
    tt_put_u32(out + 28, h->packed_bytes);
    tt_put_u32(out + 32, h->raw_bytes);
    tt_put_u32(out + 36, h->flags);
}

void index_put_tail(uint8_t out[INDEX_TAIL_BYTES], uint32_t crc, uint64_t at)
{
    tt_put_u64(out + 4, at);
    memcpy(out + 12, index_end_magic, sizeof(index_end_magic));
    tt_put_u32(out, crc32c_add(crc, out + 4, INDEX_TRAILER_BYTES));
}

bool index_tail_holds(const uint8_t tail[INDEX_TAIL_BYTES], uint32_t crc, uint64_t *at)
{
    *at = tt_get_u64(tail + 4);
    return tt_get_u32(tail) == crc32c_add(crc, tail + 4, INDEX_TRAILER_BYTES) &&
           memcmp(tail + 12, index_end_magic, sizeof(index_end_magic)) == 0;
}
