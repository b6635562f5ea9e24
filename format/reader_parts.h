/* What the files of the reader share. Internal to format/. */
#ifndef TAPE_READER_PARTS_H
#define TAPE_READER_PARTS_H

#include "chain.h"
#include "header.h"
#include "reader.h"
#include "zframe.h"

struct reader {
    void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
    void *progress_ctx;
    int fd;
    enum reader_mode mode;
    struct reader_report report;
    struct file_header file;

    uint64_t offset;        /* where the next block should stand */
    uint64_t next_sequence; /* and the least sequence it may have */
    uint8_t previous[CHAIN_HASH_BYTES];
    bool chain_known; /* false behind a gap: any later block of this tape will do */
    uint64_t salvage_tries;

    uint8_t *frame; /* BLOCK_FRAME_BYTES: header and zstd frame */
    uint8_t *raw;   /* TAPE_MAX_RAW_BLOCK_BYTES: the records of the current block */
    size_t raw_bytes, at;
    struct block_header block; /* the current block */
    uint64_t block_offset, unknown_in_block;
    bool end_in_block;
    struct reader_position position;

    struct chain *chain;   /* for one hash at a time */
    struct chain *entries; /* goes on over the INDEX entries the blocks seen should have ... */
    bool entries_ended;    /* ... until an INDEX was compared */
    uint8_t entries_hash[CHAIN_HASH_BYTES];
    struct zframe_unpacker *unpacker;

    bool head_expected, head_was_passed; /* passed: an earlier block had this very hash */
    bool head_file_is_bad;
    uint8_t expected_head[CHAIN_HASH_BYTES];
    char *head_path; /* NULL: not to be looked at */

    bool is_locked;           /* as of the last look */
    uint64_t retried_offset;  /* where a live file was already looked at twice */
    uint64_t doubted_offset;  /* and where what looked like damage was */
    uint64_t zero_start;      /* where the zeros at the file's end begin ... */
    uint64_t zero_file_bytes; /* ... when it had this many bytes */

    bool done;
    enum tt_status outcome; /* of every further reader_next() */
    struct tt_error outcome_error;
};

/* What was found at r->offset. */
enum load_result {
    LOAD_BLOCK, /* a block, accepted and unpacked */
    LOAD_END,   /* the file ends here, or an INDEX that holds was passed */
    LOAD_FLAW,  /* something that makes the tape `state` */
    LOAD_FAILED /* I/O, memory, version: nothing more can be said */
};

struct load {
    enum reader_state state; /* with LOAD_FLAW */
    struct tt_error error;   /* with LOAD_FLAW and LOAD_FAILED */
};

/* Fills `load` with a reason, wrapped into the place r->offset, and returns LOAD_FLAW. */
enum load_result reader_flaw(const struct reader *r, struct load *load, enum reader_state state, enum tt_status code,
                             const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a reason that load->error has already; LOAD_FLAW and LOAD_FAILED. */
enum load_result reader_flaw_here(const struct reader *r, struct load *load, enum reader_state state);
enum load_result reader_fail_here(const struct reader *r, struct load *load);

/* Is this block ours, and the next one? Its header's CRC holds, so what is wrong was
 * put there: an edit. LOAD_BLOCK or LOAD_FLAW. */
enum load_result reader_check_place(const struct reader *r, const struct block_header *h, struct load *load);

enum load_result reader_load(struct reader *r, struct load *load);
enum load_result reader_load_index(struct reader *r, struct load *load);

/* The records of r->raw against the block header. */
enum load_result reader_check_records(struct reader *r, struct load *load);

/* What the bytes at r->offset are when they are no block: names a FILE header, a
 * zero-filled tail, else damage for the reason in load->error (before END).
 * `known_bytes`: how far a genuine block would reach. */
enum load_result reader_name_foreign(struct reader *r, uint64_t known_bytes, struct load *load);

/* Reads up to n bytes at `offset`; *got may be less at the end of the file. */
enum tt_status reader_read(const struct reader *r, uint64_t offset, void *out, size_t n, size_t *got,
                           struct tt_error *err);

/* Whether everything from `from` to the end of the file is zero. */
bool reader_tail_is_zero(struct reader *r, uint64_t from);

/* Whether the file ends in a run of zeros, long enough to be unwritten space,
 * that begins before `end`. */
bool reader_tail_was_unwritten(struct reader *r, uint64_t end);

/* Takes the head hash to expect from the options or from `<path>.head`. The latter
 * is written last: it is looked at again when a tape ends that was being written. */
enum tt_status reader_expect_head(struct reader *r, const char *path, const struct reader_options *options,
                                  struct tt_error *err);

bool reader_lock_is_held(int fd);

/* Looks at lock and size anew; true when it is worth to try again. `at_end`: what was
 * found is that the file ends, perhaps inside a block; else something looks damaged. */
bool reader_look_again(struct reader *r, bool at_end);

/* The end of reading: settles state and flaw, gives the outcome. */
enum tt_status reader_conclude(struct reader *r, struct tt_error *err);

/* Salvage: moves r->offset to the next header that could go on. */
bool reader_scan(struct reader *r);

#endif
