#include "outfile_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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

const struct writer_io outfile_real_io = {real_write, real_fdatasync, real_fallocate, real_ftruncate, real_close, NULL};

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
