#include "outfile_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static ssize_t real_write(void *ctx, int fd, const void *p, size_t n)
{
    (void)ctx;
    return write(fd, p, n);
}

static int real_fdatasync(void *ctx, int fd)
{
    (void)ctx;
    return fdatasync(fd);
}

static int real_fallocate(void *ctx, int fd, int mode, off_t offset, off_t len)
{
    (void)ctx;
    return fallocate(fd, mode, offset, len);
}

static int real_ftruncate(void *ctx, int fd, off_t len)
{
    (void)ctx;
    return ftruncate(fd, len);
}

static int real_close(void *ctx, int fd)
{
    (void)ctx;
    return close(fd);
}

/* Some file systems tell nothing (0 blocks in all). */
static int real_free_bytes(void *ctx, int fd, uint64_t *bytes)
{
    (void)ctx;
    struct statvfs sv;
    if (fstatvfs(fd, &sv) < 0 || sv.f_blocks == 0)
        return -1;
    *bytes = (uint64_t)sv.f_bavail * sv.f_frsize;
    return 0;
}

const struct writer_io outfile_real_io = {
    real_write, real_fdatasync, real_fallocate, real_ftruncate, real_free_bytes, real_close, NULL};

int outfile_io_create(const char *path)
{
    /* O_APPEND: after a partial frame is cut off, the next write lands at the edge. */
    return open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
}

int outfile_io_write_all(const struct writer_io *io, int fd, struct tt_view bytes)
{
    while (bytes.n) {
        ssize_t n = io->write(io->ctx, fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            return ENOSPC;
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return 0;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int outfile_io_sync_directory(const char *path)
{
    char *directory = directory_of(path);
    if (!directory)
        return ENOMEM;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (fd < 0)
        return 0; /* writable but not readable: nothing more can be done */
    int failed = fsync(fd) < 0 ? errno : 0;
    close(fd);
    return failed == EINVAL || failed == ENOTSUP ? 0 : failed;
}

const char *outfile_io_remedy(int number)
{
    switch (number) {
    case ENOSPC:
        return " (free some space, or put the tape on another disk)";
    case EDQUOT:
        return " (raise the quota, or put the tape on another disk)";
    case EFBIG:
        return " (raise the limit of file sizes: ulimit -f, or put the tape on another disk)";
    case EIO:
        return " (the disk fails: look at dmesg, and put the tape on another one)";
    case EROFS:
        return " (the disk was made read-only: look at dmesg, and put the tape on another one)";
    case ESTALE:
        return " (the server of this file system let go of the file: put the tape on a local disk)";
    case EACCES:
    case EPERM:
        return " (change its permissions, or put the tape elsewhere)";
    case EMFILE:
    case ENFILE:
        return " (raise the limit of open files: ulimit -n)";
    default:
        return "";
    }
}

enum tt_status outfile_io_fail(const char *verb, const char *path, int number, uint64_t offset, struct tt_error *err)
{
    enum tt_status st = tt_status_of_errno(number) == TT_NOSPC ? TT_NOSPC : TT_IO;
    return tt_fail(err, st, offset, "cannot %s %s: %s%s", verb, path, strerror(number), outfile_io_remedy(number));
}
