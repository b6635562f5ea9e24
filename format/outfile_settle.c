/* A file that was moved or deleted under its writer. Nothing is lost by it while the descriptor is open. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "outfile_io.h"

#define RESCUED ".rescued"
#define COPY_BYTES (64u << 10)

static bool is_at(const char *path, const struct stat *file)
{
    struct stat sb;
    return lstat(path, &sb) == 0 && sb.st_dev == file->st_dev && sb.st_ino == file->st_ino;
}

/* The name the kernel now has for it, in new memory; NULL: none. A network file system that only hides a deleted file
 * until it is closed gives it a name of its own, which must not be trusted. */
static char *new_name(int fd, const struct stat *file)
{
    char link[64], name[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof(name) - 1);
    if (n <= 0)
        return NULL;
    name[n] = '\0';
    const char *last = strrchr(name, '/');
    return last && strncmp(last, "/.nfs", 5) != 0 && is_at(name, file) ? strdup(name) : NULL;
}

static int copy_bytes(const struct outfile *f, int to)
{
    uint8_t *buffer = malloc(COPY_BYTES);
    int failed = buffer ? 0 : ENOMEM;
    for (uint64_t at = 0; !failed && at < f->edge_bytes;) {
        uint64_t left = f->edge_bytes - at;
        ssize_t n = pread(f->fd, buffer, left < COPY_BYTES ? (size_t)left : COPY_BYTES, (off_t)at);
        if (n <= 0)
            failed = n < 0 ? errno : EIO;
        else
            failed = outfile_io_write_all(f->io, to, tt_view_of(buffer, (size_t)n));
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(buffer);
    if (!failed && f->io->fdatasync(f->io->ctx, to) < 0)
        failed = errno;
    return failed;
}

/* Takes `path`, in new memory, as the file's new place. 0, or why not. */
static int write_again(struct outfile *f, char *take_path)
{
    int fd = take_path ? outfile_io_create(take_path) : -1;
    int failed = fd >= 0 ? copy_bytes(f, fd) : take_path ? errno : ENOMEM;
    if (!failed)
        failed = outfile_io_sync_directory(take_path);
    if (failed) {
        if (fd >= 0) {
            close(fd);
            unlink(take_path);
        }
        free(take_path);
        return failed;
    }
    close(f->fd);
    free(f->path);
    f->fd = fd;
    f->path = take_path;
    f->reserved_end = f->edge_bytes;
    outfile_lock(f);
    return 0;
}

/* Under its name, beside it when that is taken, or in the working directory when its own is gone. */
static enum tt_status bring_back(struct outfile *f, struct tt_error *err)
{
    const char *slash = strrchr(f->path, '/');
    enum tt_status st = TT_IO;
    char *was = strdup(f->path);
    int failed = write_again(f, strdup(f->path));
    if (failed)
        failed = write_again(f, outfile_path_beside(f->path, RESCUED));
    if (failed && slash)
        failed = write_again(f, outfile_path_beside(slash + 1, RESCUED));
    const char *name = was ? was : "the tape";
    if (failed)
        tt_fail(err, st, TT_NO_OFFSET, "%s was deleted while it was being written, and is lost: writing it again: %s%s",
                name, strerror(failed), outfile_io_remedy(failed));
    else
        tt_fail(err, st, TT_NO_OFFSET, "%s was deleted while it was being written: it was written again as %s", name,
                f->path);
    free(was);
    return st;
}

enum tt_status outfile_settle(struct outfile *f, struct tt_error *err)
{
    struct stat file;
    if (f->fd < 0 || fstat(f->fd, &file) < 0 || is_at(f->path, &file))
        return TT_OK;
    char *moved = new_name(f->fd, &file);
    if (!moved)
        return bring_back(f, err);
    tt_fail(err, TT_IO, TT_NO_OFFSET, "%s was moved while it was being written: it is now %s", f->path, moved);
    free(f->path);
    f->path = moved;
    return TT_IO;
}
