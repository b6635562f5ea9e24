/* Reads a tape with pread, in order, in bounded memory, and tells what state it
 * is in. It trusts nothing: every length is checked before it is used. */
#ifndef TAPE_READER_H
#define TAPE_READER_H

#include "bytes.h"
#include "record.h"
#include "status.h"

enum reader_mode {
    READER_PREFIX, /* accept blocks up to the first flaw, then report it */
    READER_STRICT, /* any flaw is a failure of reader_next() */
    READER_SALVAGE /* go on behind a flaw at the next block that proves itself */
};

enum reader_state {
    READER_WRITING,  /* the recorder holds its lock */
    READER_COMPLETE, /* END present, nothing wrong */
    READER_TORN,     /* valid prefix, no END: the recorder was killed */
    READER_CUT,      /* valid prefix, but the head hash says there was more */
    READER_DAMAGED,  /* a CRC, frame or length does not hold */
    READER_EDITED    /* CRCs hold, but chain, salt, sequence or head does not */
};

struct reader_options {
    enum reader_mode mode;
    const uint8_t *expected_head; /* 32 bytes or NULL: then `<path>.head` is looked at, if there */
    bool ignore_head_file;
    /* Called behind each block with how far the file is read; with both equal when reading ends. May be NULL. */
    void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
    void *progress_ctx;
};

/* Where a record stands, as evidence. */
struct reader_position {
    uint64_t record;       /* ordinal in the file, from 0 */
    uint64_t block;        /* sequence of its block */
    uint64_t block_offset; /* file offset of the block header */
    uint64_t in_block;     /* byte offset in the decompressed block */
};

/* Final once reader_next() has returned TT_END or an error, unless the state is READER_WRITING. */
struct reader_report {
    enum reader_state state;
    uint16_t major, minor;
    uint8_t tape_id[16];
    uint64_t base_monotonic_ns, base_realtime_ns;
    uint64_t file_bytes, accepted_bytes; /* up to the last good block (index not counted) */
    /* What of file_bytes holds: FILE, blocks with their headers, an INDEX that agrees. */
    uint64_t header_bytes, block_bytes, index_bytes;
    uint64_t blocks, records, unknown_records, raw_bytes, compressed_bytes;
    uint64_t first_time_ns, last_time_ns; /* TAPE_NONE without a timed record */
    uint64_t gaps, gap_bytes;             /* salvage only */
    bool has_end, has_index;
    bool head_known, head_compared; /* a published head was there; and nothing stood before comparing it */
    uint8_t head[32];               /* chain head of the last accepted block, H(-1) when there is none */
    struct tt_error flaw;           /* first flaw; code TT_OK when there is none */
};

struct reader;

/* Opens a tape; options may be NULL (prefix mode). Takes under 3 MiB, whatever the
 * tape says. Errors: TT_IO, TT_FOREIGN (also for an empty file), TT_VERSION,
 * TT_TRUNCATED (shorter than FILE), TT_CRC (FILE header), TT_NOMEM. */
enum tt_status reader_open(struct reader **out, const char *path, const struct reader_options *options,
                           struct tt_error *err);

/* Next record. TT_END: no more (see the report); while that says READER_WRITING, a
 * further call looks at the file again and goes on. No lock is taken at any time, and
 * a block that is there in part is neither accepted nor a flaw as long as the recorder
 * holds its own. Views in `rec` are valid until the next call. A block is checked as a whole before its first record is
 * given. Unknown kinds >= 128 are given with only `kind` set, and counted. In strict mode a tape that is not complete
 * ends in the code of its flaw (TT_TRUNCATED while it is being written). In any mode: TT_VERSION, TT_IO, TT_NOMEM. */
enum tt_status reader_next(struct reader *r, struct tape_record *rec, struct tt_error *err);

/* Whether a recorder holds its lock on the file at `path`: then there is more to come,
 * even where there is not yet enough to open. Takes no lock, keeps nothing open. */
bool reader_is_locked(const char *path);

struct reader_position reader_position(const struct reader *r);
const struct reader_report *reader_report(const struct reader *r);
const char *reader_state_name(enum reader_state state);
void reader_free(struct reader *r); /* accepts NULL */

#endif
