#include "block.h"

#include <stdlib.h>

#include "crc32c.h"

enum tt_status block_create(struct block *b, struct tt_error *err)
{
    *b = (struct block){.raw = malloc(TAPE_MAX_RAW_BLOCK_BYTES), .frame = malloc(BLOCK_FRAME_BYTES)};
    enum tt_status st = TT_OK;
    if (!b->raw || !b->frame)
        st = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (st == TT_OK)
        st = zframe_packer_create(&b->packer, err);
    if (st != TT_OK)
        block_free(b);
    else
        block_reset(b);
    return st;
}

void block_free(struct block *b)
{
    zframe_packer_free(b->packer);
    free(b->raw);
    free(b->frame);
    *b = (struct block){0};
}

void block_reset(struct block *b)
{
    b->raw_bytes = 0;
    b->records = 0;
    b->least_time_ns = b->greatest_time_ns = b->opened_ns = TAPE_NONE;
}

enum tt_status block_add(struct block *b, const struct tape_record *rec, struct tt_error *err)
{
    size_t n;
    enum tt_status st = record_encode(rec, b->raw + b->raw_bytes, TAPE_MAX_RAW_BLOCK_BYTES - b->raw_bytes, &n, err);
    if (st != TT_OK)
        return st;
    b->raw_bytes += n;
    b->records++;
    uint64_t time_ns = record_time(rec);
    if (time_ns == TAPE_NONE)
        return TT_OK;
    if (b->least_time_ns == TAPE_NONE || time_ns < b->least_time_ns)
        b->least_time_ns = time_ns;
    if (b->greatest_time_ns == TAPE_NONE || time_ns > b->greatest_time_ns)
        b->greatest_time_ns = time_ns;
    return TT_OK;
}

enum tt_status block_seal(struct block *b, struct block_header *h, struct tt_view *frame, struct tt_error *err)
{
    size_t n = 0;
    enum tt_status st = zframe_pack(b->packer, tt_view_of(b->raw, b->raw_bytes), b->frame + BLOCK_HEADER_BYTES,
                                    TAPE_MAX_PACKED_BLOCK_BYTES, &n, err);
    if (st != TT_OK)
        return st;
    h->packed_bytes = (uint32_t)n;
    h->raw_bytes = (uint32_t)b->raw_bytes;
    h->records = b->records;
    h->flags = 0;
    h->least_time_ns = b->least_time_ns;
    h->greatest_time_ns = b->greatest_time_ns;
    h->packed_crc = crc32c(b->frame + BLOCK_HEADER_BYTES, n);
    block_header_encode(h, b->frame);
    *frame = tt_view_of(b->frame, BLOCK_HEADER_BYTES + n);
    return TT_OK;
}
