#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile_io.h"

#define MOST_MARGIN_BYTES (2ull << 20)

char *outfile_path_beside(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    char *beside = malloc(n + m + 1);
    if (beside) {
        memcpy(beside, path, n);
        memcpy(beside + n, suffix, m + 1);
    }
    return beside;
}

static enum tt_status refuse_create(const char *path, int number, struct tt_error *err)
{
    if (number == EEXIST)
        return tt_fail(err, TT_EXISTS, TT_NO_OFFSET,
                       "cannot create %s: it exists already; a tape is never overwritten, choose another name", path);
    if (number == ENOENT)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot create %s: its directory does not exist, create it first",
                       path);
    return outfile_io_fail("create", path, number, TT_NO_OFFSET, err);
}

/* A head file from another run would contradict this tape's. */
static enum tt_status refuse_old_head(const char *path, struct tt_error *err)
{
    char *head = outfile_path_beside(path, ".head");
    if (!head)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    struct stat sb;
    enum tt_status st = TT_OK;
    if (lstat(head, &sb) == 0)
        st = tt_fail(err, TT_EXISTS, TT_NO_OFFSET,
                     "cannot create %s: %s exists already and belongs to another run, move it away", path, head);
    free(head);
    return st;
}

void outfile_lock(struct outfile *f)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    f->no_lock = fcntl(f->fd, F_OFD_SETLK, &lock) < 0;
}

enum tt_status outfile_create(struct outfile *f, const char *path, const struct writer_io *io, struct tt_error *err)
{
    *f = (struct outfile){.io = io ? io : &outfile_real_io, .fd = -1, .most_margin_bytes = MOST_MARGIN_BYTES};
    enum tt_status st = refuse_old_head(path, err);
    if (st != TT_OK)
        return st;
    f->path = strdup(path);
    if (!f->path)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    f->fd = outfile_io_create(path);
    if (f->fd < 0) {
        st = refuse_create(path, errno, err);
        free(f->path);
        f->path = NULL;
        return st;
    }
    outfile_lock(f);
    return TT_OK;
}

/* Cuts a partial frame off again. */
static void back_to_edge(struct outfile *f, uint64_t keep_bytes)
{
    if (f->io->ftruncate(f->io->ctx, f->fd, (off_t)f->edge_bytes) < 0)
        f->garbage_behind_edge = true;
    else
        outfile_reserve_again(f, keep_bytes);
}

enum tt_status outfile_append(struct outfile *f, struct tt_view frame, uint64_t keep_bytes, struct tt_error *err)
{
    int failed = 0;
    if (outfile_reserve(f, frame.n + keep_bytes) != TT_OK) {
        failed = ENOSPC;
    } else {
        failed = outfile_io_write_all(f->io, f->fd, frame);
        if (failed)
            back_to_edge(f, keep_bytes);
    }
    if (failed)
        return outfile_io_fail("write", f->path, failed, f->edge_bytes, err);
    f->edge_bytes += frame.n;
    f->unsynced_bytes += frame.n;
    return TT_OK;
}

/* Has somebody else been at it? */
static enum tt_status look_at_file(struct outfile *f, struct tt_error *err)
{
    struct stat sb;
    if (fstat(f->fd, &sb) < 0)
        return TT_OK;
    if ((uint64_t)sb.st_size != f->edge_bytes && !f->garbage_behind_edge)
        return tt_fail(err, TT_IO, f->edge_bytes, "%s was changed by another program while it was being written",
                       f->path);
    if (sb.st_nlink == 0 && f->trouble.code == TT_OK)
        tt_fail(&f->trouble, TT_IO, TT_NO_OFFSET, "%s was deleted (it will be written again at the end)", f->path);
    return TT_OK;
}

enum tt_status outfile_sync(struct outfile *f, struct tt_error *err)
{
    int failed;
    do {
        failed = f->io->fdatasync(f->io->ctx, f->fd) < 0 ? errno : 0;
    } while (failed == EINTR);
    if (!failed && !f->directory_synced)
        failed = outfile_io_sync_directory(f->path);
    if (failed)
        return outfile_io_fail("sync", f->path, failed, f->edge_bytes, err);
    f->directory_synced = true;
    f->unsynced_bytes = 0;
    return look_at_file(f, err);
}

void outfile_trim(struct outfile *f)
{
    /* The size stays as it is, so a failure costs nothing but space. */
    if (f->reserved_end > f->edge_bytes && f->io->ftruncate(f->io->ctx, f->fd, (off_t)f->edge_bytes) == 0)
        f->reserved_end = f->edge_bytes;
}

enum tt_status outfile_close(struct outfile *f, struct tt_error *err)
{
    enum tt_status st = TT_OK;
    if (f->fd >= 0 && f->io->close(f->io->ctx, f->fd) < 0)
        st = outfile_io_fail("close", f->path, errno, TT_NO_OFFSET, err);
    f->fd = -1;
    return st;
}

void outfile_free(struct outfile *f)
{
    outfile_close(f, NULL);
    free(f->path);
    f->path = NULL;
}

void outfile_discard(struct outfile *f)
{
    if (f->path)
        unlink(f->path);
    outfile_free(f);
}

static enum tt_status write_new(const struct writer_io *io, const char *path, struct tt_view text, struct tt_error *err)
{
    int fd = outfile_io_create(path);
    if (fd < 0)
        return outfile_io_fail("create", path, errno, TT_NO_OFFSET, err);
    int failed = outfile_io_write_all(io, fd, text);
    if (!failed && io->fdatasync(io->ctx, fd) < 0)
        failed = errno;
    if (io->close(io->ctx, fd) < 0 && !failed)
        failed = errno;
    if (!failed)
        failed = outfile_io_sync_directory(path);
    if (!failed)
        return TT_OK;
    unlink(path);
    return outfile_io_fail("write", path, failed, TT_NO_OFFSET, err);
}

enum tt_status outfile_write_beside(const struct outfile *f, const char *suffix, struct tt_view text,
                                    struct tt_error *err)
{
    char *path = outfile_path_beside(f->path, suffix);
    if (!path)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    enum tt_status st = write_new(f->io, path, text, err);
    free(path);
    return st;
}
