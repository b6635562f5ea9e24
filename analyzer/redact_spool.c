#include "redact_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IN_MEMORY_BYTES ((size_t)8 << 20)

/* A file that never had a name, or whose name is gone at once where the file system
 * knows no such thing. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    static const char last[] = "./.redact-XXXXXX";
    char *name = malloc(n + sizeof last);
    if (!name)
        return -1;
    memcpy(name, path, n);
    memcpy(name + n, ".", 2);
    int fd = open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        memcpy(name + n, last, sizeof last);
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0)
            unlink(name);
    }
    free(name);
    return fd;
}

enum tt_status redact_spool_open(struct redact_spool *s, const char *path, uint64_t n, struct tt_error *err)
{
    *s = (struct redact_spool){NULL, 0, 0, 0};
    if (n == 0)
        return TT_OK;
    int fd = open_nameless(path);
    if (fd < 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "no room for working beside %.300s: %s", path, strerror(errno));
    /* reserved: a full disk is an error here, and not a SIGBUS later */
    int failed = n > SIZE_MAX / 2 ? EFBIG : posix_fallocate(fd, 0, (off_t)n);
    void *p = failed ? MAP_FAILED : mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!failed && p == MAP_FAILED)
        failed = errno;
    close(fd);
    if (failed)
        return tt_fail(err, failed == ENOSPC ? TT_NOSPC : TT_IO, TT_NO_OFFSET,
                       "no room for %llu bytes to work with beside %.300s: %s", (unsigned long long)n, path,
                       strerror(failed));
    *s = (struct redact_spool){p, (size_t)n, 0, 0};
    return TT_OK;
}

void redact_spool_used(struct redact_spool *s, size_t n)
{
    s->used += n;
    s->in_memory += n;
    if (s->in_memory < IN_MEMORY_BYTES)
        return;
    madvise(s->bytes, s->n, MADV_DONTNEED); /* a mapping of a file: what was written stays there */
    s->in_memory = 0;
}

void redact_spool_rewind(struct redact_spool *s)
{
    s->used = 0;
}

void redact_spool_close(struct redact_spool *s)
{
    if (s->bytes)
        munmap(s->bytes, s->n);
    *s = (struct redact_spool){NULL, 0, 0, 0};
}
