/* What the files of the writer share. Internal to format/. */
#ifndef TAPE_WRITER_PARTS_H
#define TAPE_WRITER_PARTS_H

#include "block.h"
#include "chain.h"
#include "outfile.h"
#include "writer.h"
#include "writer_index.h"

struct writer {
    struct outfile file;
    struct block block;
    struct chain *chain;
    struct writer_index index;
    uint8_t salt[HEADER_SALT_BYTES];
    uint8_t head[CHAIN_HASH_BYTES];
    uint64_t blocks, records;
    uint64_t last_sync_ns, unsynced_since_ns, sync_due_ns; /* the latter two: TAPE_NONE when nothing is due */
    struct tt_error failure;                               /* the first one; code TT_OK until then */
    bool closing;  /* the disk is full: END may still be written, nothing else */
    bool lost;     /* a block could not be written */
    bool ended;    /* END was appended */
    bool finished; /* closed for good */
    bool synced;   /* ... and the disk has confirmed everything up to END */
};

/* What the first failure was; TT_OK when there was none. */
enum tt_status writer_repeat_failure(const struct writer *w, struct tt_error *err);

/* Remembers the first failure and returns it. */
enum tt_status writer_keep_failure(struct writer *w, const struct tt_error *failure, struct tt_error *err);

/* Writes the open block. When the disk is full the block is lost as a whole, and
 * only what closes the tape is taken from then on. */
enum tt_status writer_seal_block(struct writer *w, struct tt_error *err);

enum tt_status writer_sync_file(struct writer *w, uint64_t now_ns, struct tt_error *err);

#endif
