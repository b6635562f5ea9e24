/* Writes a tape: blocks, chain, index, head file. One thread. No clock: every
 * call that depends on time is told the time (ns since the tape's base). */
#ifndef TAPE_WRITER_H
#define TAPE_WRITER_H

#include <sys/types.h>

#include "bytes.h"
#include "record.h"
#include "status.h"

/* The system calls the writer makes, so that tests can make the n-th one fail
 * or stall. All but free_bytes follow the conventions of the calls they are named for. */
struct writer_io {
    ssize_t (*write)(void *ctx, int fd, const void *p, size_t n);
    int (*fdatasync)(void *ctx, int fd);
    int (*fallocate)(void *ctx, int fd, int mode, off_t offset, off_t len);
    int (*ftruncate)(void *ctx, int fd, off_t len);
    int (*free_bytes)(void *ctx, int fd, uint64_t *bytes); /* of its file system, for us; -1 or NULL: not known */
    int (*close)(void *ctx, int fd);
    void *ctx;
};

struct writer_options {
    uint8_t tape_id[16];   /* random */
    uint8_t boot_hash[16]; /* hash of the boot id */
    uint64_t base_monotonic_ns, base_realtime_ns;
    uint64_t margin_bytes;      /* see writer_trouble(); 0: 2 MiB */
    const struct writer_io *io; /* NULL: the real calls */
};

struct writer;

/* Creates `path` (O_EXCL | O_NOFOLLOW, mode 0600), takes the OFD write lock,
 * writes FILE and the SCHEMA record, and prepares to append.
 * Errors: TT_EXISTS, TT_IO, TT_NOSPC, TT_NOMEM. On error *out is NULL and no
 * file is left that this call created. */
enum tt_status writer_create(struct writer **out, const char *path, const struct writer_options *options,
                             struct tt_error *err);

/* Features the file system or kernel lacks ("fallocate", "ofd_lock"), as a
 * comma-separated static string; "" when none. */
const char *writer_missing_features(const struct writer *w);

/* Appends one record to the open block; closes the block when it is full. END
 * gets a block of its own, and nothing can follow it.
 * After the first failure every further call returns that failure. Two cases are
 * milder: a record that cannot be encoded (TT_LIMIT, TT_USAGE) is refused and the
 * writer goes on. After TT_NOSPC (the open block is lost, the file ends at the
 * block before) END, LOST, EVENT and CLOCK are still taken, up to 16 KiB, and
 * writer_finish() closes the tape before it returns the failure. */
enum tt_status writer_append(struct writer *w, const struct tape_record *rec, uint64_t now_ns, struct tt_error *err);

/* Closes a block older than 500 ms and syncs when due (1 s, 8 MiB, or 100 ms
 * after writer_note_failure()). Call it at least every 50 ms. */
enum tt_status writer_tick(struct writer *w, uint64_t now_ns, struct tt_error *err);

/* A failed request's DONE was appended: sync within 100 ms. */
void writer_note_failure(struct writer *w, uint64_t now_ns);

/* Closes the open block and syncs file (and, the first time, its directory) now. */
enum tt_status writer_sync(struct writer *w, uint64_t now_ns, struct tt_error *err);

/* Closes the open block now, full or not: what then fails is known before END says how the run went. */
enum tt_status writer_close_block(struct writer *w, struct tt_error *err);

/* Should nothing new be started, though what goes on can still be written? TT_OK: no. TT_NOSPC: less than
 * `margin_bytes` (a quarter of the tape while that is less, and at least 256 KiB) could be reserved ahead, or are
 * free where nothing can be reserved. TT_IO: the file was deleted; writer_finish() will write it again. */
enum tt_status writer_trouble(const struct writer *w, struct tt_error *err);

/* Closes the block, writes INDEX, syncs, writes `<path>.head` (O_EXCL, 0600, the
 * head hash in hex and a newline) and closes the file. The END record is the
 * caller's to append first (else TT_USAGE). A file that was moved meanwhile keeps its
 * new name; one that was deleted is written again, under its name if that is free, else under
 * one ending in ".rescued"; both are failures (TT_IO). Returns the first failure, if any. */
enum tt_status writer_finish(struct writer *w, uint64_t now_ns, struct tt_error *err);

/* After writer_finish(): every record that was taken, END and the sync got to the disk, whatever else failed. */
bool writer_is_whole(const struct writer *w);

/* Where the tape is: what writer_create() was given, unless writer_finish() found it elsewhere. */
const char *writer_path(const struct writer *w);

/* Bytes in the file so far, and the SHA-256 chain head of the last closed block. */
uint64_t writer_bytes(const struct writer *w);
void writer_head(const struct writer *w, uint8_t head[32]);

/* Closes the file without INDEX if writer_finish() was not called. Accepts NULL. */
void writer_free(struct writer *w);

#endif
