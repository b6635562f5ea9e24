/* Every bound of the tape format, in one place. A reader checks a length
 * against these before it allocates or reads anything for it. */
#ifndef TAPE_LIMITS_H
#define TAPE_LIMITS_H

#include <stdint.h>

#define TAPE_VERSION_MAJOR 1
#define TAPE_VERSION_MINOR 1

#define TAPE_MAX_RAW_BLOCK_BYTES (1u << 20)                   /* decompressed block */
#define TAPE_MAX_PACKED_BLOCK_BYTES ((1u << 20) + (1u << 12)) /* ZSTD_COMPRESSBOUND of the above */
#define TAPE_CLOSE_RAW_BLOCK_BYTES (256u << 10)               /* a block closes here ... */
#define TAPE_CLOSE_BLOCK_AGE_NS 500000000ull                  /* ... or at this age */
#define TAPE_SYNC_AGE_NS 1000000000ull                        /* fdatasync at least this often */
#define TAPE_SYNC_BYTES (8u << 20)
#define TAPE_SYNC_AFTER_FAILURE_NS 100000000ull
#define TAPE_MAX_HEADER_FRAME_BYTES 4096u /* FILE and BLOCK skippable frames */
#define TAPE_MAX_INDEX_FRAME_BYTES (64u << 20)
#define TAPE_MAX_SALVAGE_TRIES (1u << 14)    /* false block starts, then salvage gives up */
#define TAPE_MAX_ZERO_TAIL_BYTES (64u << 20) /* unwritten space behind a crash; more zeros are damage */
#define TAPE_ZSTD_LEVEL 3
#define TAPE_ZSTD_WINDOW_LOG 20
#define TAPE_MAX_NESTING 4
#define TAPE_MAX_REQUESTS (1u << 20)
#define TAPE_MAX_RECORD_BYTES (512u << 10) /* one packed record; well under a raw block */
#define TAPE_MAX_BLOB_PIECE_BYTES (64u << 10)
#define TAPE_MAX_READ_BYTES (64u << 10)   /* payload of one READ */
#define TAPE_MAX_STRING_BYTES (64u << 10) /* any str field */
#define TAPE_MAX_MAP_ENTRIES 1024u
#define TAPE_MAX_READER_BYTES (3u << 20) /* all that a reader allocates, whatever the tape says */
/* Resident at most in a command of the analyzer, its program and libraries counted in. */
#define TAPE_MAX_SHOW_BYTES (32u << 20)      /* one that keeps no run, for any tape */
#define TAPE_MAX_RUN_BYTES (104u << 20)      /* one that does: unfinished events, markers, finish reasons, ... */
#define TAPE_RUN_BYTES_PER_REQUEST 2048u     /* ... and so much for each request that RUN announces ... */
#define TAPE_MAX_ANALYZER_BYTES (256u << 20) /* ... which makes this at most */
#define TAPE_CHECK_BYTES_PER_REQUEST 6144u   /* so much more for each to compute a result and compare it */
#define TAPE_FIRST_OPTIONAL_KIND 128u        /* unknown kinds from here on are skipped */

#endif
