#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile_io.h"

#define RESERVE_STEP_BYTES (8ull << 20)
#define RESERVE_LEAST_BYTES (256ull << 10)
#define RESERVE_LOW_BYTES (2ull << 20) /* reserve more when less than this lies ahead */

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
    return tt_fail(err, tt_status_of_errno(number), TT_NO_OFFSET, "cannot create %s: %s", path, strerror(number));
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

/* An open-file-description lock tells readers that the recorder is alive, and
 * goes away with it however it dies. */
static void take_lock(struct outfile *f)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    f->no_lock = fcntl(f->fd, F_OFD_SETLK, &lock) < 0;
}

enum tt_status outfile_create(struct outfile *f, const char *path, const struct writer_io *io, struct tt_error *err)
{
    *f = (struct outfile){.io = io ? io : &outfile_real_io, .fd = -1};
    enum tt_status st = refuse_old_head(path, err);
    if (st != TT_OK)
        return st;
    f->path = strdup(path);
    if (!f->path)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    /* O_APPEND: after a partial frame is cut off, the next write lands at the edge. */
    f->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
    if (f->fd < 0) {
        st = refuse_create(path, errno, err);
        free(f->path);
        f->path = NULL;
        return st;
    }
    take_lock(f);
    return TT_OK;
}

/* One fallocate: 0, ENOSPC, or ENOTSUP for whatever says that it cannot be done here. */
static int reserve(struct outfile *f, uint64_t bytes)
{
    int failed;
    do {
        failed = f->io->fallocate(f->io->ctx, f->fd, FALLOC_FL_KEEP_SIZE, (off_t)f->reserved_end, (off_t)bytes) < 0
                     ? errno
                     : 0;
    } while (failed == EINTR);
    if (!failed)
        f->reserved_end += bytes;
    return failed == 0 || tt_status_of_errno(failed) == TT_NOSPC ? failed : ENOTSUP;
}

/* Keeps space ahead of the edge. When no more can be had, says so early: what is
 * left then serves requests in flight, and `need_bytes` the closing of the tape. */
static enum tt_status reserve_ahead(struct outfile *f, uint64_t need_bytes)
{
    if (f->reserved_end < f->edge_bytes)
        f->reserved_end = f->edge_bytes;
    uint64_t step = RESERVE_STEP_BYTES;
    while (!f->no_fallocate && !f->space_is_short && f->reserved_end - f->edge_bytes < need_bytes + RESERVE_LOW_BYTES) {
        int failed = reserve(f, step);
        if (failed == ENOTSUP)
            f->no_fallocate = true;
        else if (failed && step > RESERVE_LEAST_BYTES)
            step /= 2;
        else if (failed)
            f->space_is_short = true;
    }
    uint64_t ahead = f->reserved_end - f->edge_bytes;
    if (f->no_fallocate || ahead >= need_bytes)
        return TT_OK;
    return reserve(f, need_bytes - ahead) ? TT_NOSPC : TT_OK;
}

/* Cuts a partial frame off again. Truncating also frees the space reserved
 * behind, so what closing needs is asked for anew. */
static void back_to_edge(struct outfile *f, uint64_t keep_bytes)
{
    if (f->io->ftruncate(f->io->ctx, f->fd, (off_t)f->edge_bytes) < 0) {
        f->garbage_behind_edge = true;
        return;
    }
    f->reserved_end = f->edge_bytes;
    if (!f->no_fallocate)
        reserve(f, keep_bytes);
}

enum tt_status outfile_append(struct outfile *f, struct tt_view frame, uint64_t keep_bytes, struct tt_error *err)
{
    int failed = 0;
    if (reserve_ahead(f, frame.n + keep_bytes) != TT_OK) {
        failed = ENOSPC;
    } else {
        failed = outfile_io_write_all(f->io, f->fd, frame);
        if (failed)
            back_to_edge(f, keep_bytes);
    }
    if (failed) {
        enum tt_status st = tt_status_of_errno(failed) == TT_NOSPC ? TT_NOSPC : TT_IO;
        f->space_is_short = f->space_is_short || st == TT_NOSPC;
        return tt_fail(err, st, f->edge_bytes, "cannot write %s: %s", f->path, strerror(failed));
    }
    f->edge_bytes += frame.n;
    f->unsynced_bytes += frame.n;
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
        return tt_fail(err, tt_status_of_errno(failed) == TT_NOSPC ? TT_NOSPC : TT_IO, f->edge_bytes,
                       "cannot sync %s: %s", f->path, strerror(failed));
    f->directory_synced = true;
    f->unsynced_bytes = 0;
    struct stat sb;
    if (fstat(f->fd, &sb) == 0 && sb.st_nlink == 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "%s was deleted while it was being written", f->path);
    return TT_OK;
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
        st = tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot close %s: %s", f->path, strerror(errno));
    f->fd = -1;
    free(f->path);
    f->path = NULL;
    return st;
}

void outfile_discard(struct outfile *f)
{
    if (f->path)
        unlink(f->path);
    outfile_close(f, NULL);
}

static enum tt_status write_new(const struct writer_io *io, const char *path, struct tt_view text, struct tt_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return refuse_create(path, errno, err);
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
    return tt_fail(err, tt_status_of_errno(failed) == TT_NOSPC ? TT_NOSPC : TT_IO, TT_NO_OFFSET, "cannot write %s: %s",
                   path, strerror(failed));
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
