/* The open block of a writer: records are packed into it one after another,
 * then it is sealed into a BLOCK header and a zstd frame. One thread. Internal
 * to format/. */
#ifndef TAPE_BLOCK_H
#define TAPE_BLOCK_H

#include "header.h"
#include "limits.h"
#include "record.h"
#include "zframe.h"

struct block {
    uint8_t *raw;   /* TAPE_MAX_RAW_BLOCK_BYTES */
    uint8_t *frame; /* BLOCK_FRAME_BYTES: the sealed block */
    size_t raw_bytes;
    uint32_t records;
    uint64_t least_time_ns, greatest_time_ns; /* TAPE_NONE: no timed record yet */
    uint64_t opened_ns;                       /* TAPE_NONE: not known yet */
    struct zframe_packer *packer;
};

enum tt_status block_create(struct block *b, struct tt_error *err);
void block_free(struct block *b);

/* Errors: TT_LIMIT, TT_USAGE as record_encode(); the block is then unchanged. */
enum tt_status block_add(struct block *b, const struct tape_record *rec, struct tt_error *err);

/* Fills b->frame. The caller gives salt, sequence and previous in *h; the rest of
 * *h is set here. *frame borrows from the block until it is used again. */
enum tt_status block_seal(struct block *b, struct block_header *h, struct tt_view *frame, struct tt_error *err);

/* Empties it for the next records. */
void block_reset(struct block *b);

#endif
