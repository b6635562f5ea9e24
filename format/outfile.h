/* The file behind a writer: whole frames are appended to it or nothing is.
 * Lock, space reserved ahead (outfile_space.c), sync, what to do when the disk says no, and
 * when the file is taken away (outfile_settle.c). One thread. Internal to format/. */
#ifndef TAPE_OUTFILE_H
#define TAPE_OUTFILE_H

#include "writer.h"

struct outfile {
    const struct writer_io *io;
    char *path;
    int fd;                /* -1: closed */
    uint64_t edge_bytes;   /* end of the last whole frame; the file ends here between calls */
    uint64_t reserved_end; /* disk space is ours up to here */
    uint64_t unsynced_bytes;
    uint64_t most_margin_bytes;
    bool no_fallocate, no_lock; /* features that are missing */
    bool free_not_told;         /* nor does the file system say what is free */
    bool garbage_behind_edge;   /* a partial frame could not be cut off */
    bool directory_synced;
    struct tt_error trouble; /* see writer_trouble(); code TT_OK: none */
};

/* Creates the file exclusively and locks it. On error nothing is left behind. */
enum tt_status outfile_create(struct outfile *f, const char *path, const struct writer_io *io, struct tt_error *err);

/* An open-file-description lock tells readers that the recorder is alive, and goes away with it however it dies. */
void outfile_lock(struct outfile *f);

/* Appends one frame. `keep_bytes` must stay available behind it for what is
 * needed to close the tape. Errors: TT_NOSPC, TT_IO; the file then ends at its
 * former edge unless garbage_behind_edge is set. */
enum tt_status outfile_append(struct outfile *f, struct tt_view frame, uint64_t keep_bytes, struct tt_error *err);

/* Has space for `need_bytes` behind the edge, or (TT_NOSPC) cannot get it; asks for more than
 * that, and notes the trouble when it cannot be had. */
enum tt_status outfile_reserve(struct outfile *f, uint64_t need_bytes);
/* The file was cut back to its edge, which freed what was reserved: asks for `keep_bytes` anew. */
void outfile_reserve_again(struct outfile *f, uint64_t keep_bytes);

/* fdatasync, and once the directory. Never to be called again after a failure. Notes the trouble when the file was
 * deleted; TT_IO when another program changed it. */
enum tt_status outfile_sync(struct outfile *f, struct tt_error *err);

/* Before closing: is the file still where it was? Moved: takes its new name. Deleted: writes it again. Both are
 * TT_IO with a line that says so. TT_OK: it never left. */
enum tt_status outfile_settle(struct outfile *f, struct tt_error *err);

/* Gives unused reserved space back. */
void outfile_trim(struct outfile *f);

enum tt_status outfile_close(struct outfile *f, struct tt_error *err);
void outfile_free(struct outfile *f); /* closes it first when need be */

/* Removes the file again: only for a create that failed later on. */
void outfile_discard(struct outfile *f);

/* Writes a small new file `path` + `suffix`, synced, mode 0600. On error none is left. */
enum tt_status outfile_write_beside(const struct outfile *f, const char *suffix, struct tt_view text,
                                    struct tt_error *err);

/* path + suffix in new memory, or NULL. */
char *outfile_path_beside(const char *path, const char *suffix);

#endif
