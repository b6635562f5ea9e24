#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_BUFFER_BYTES (64u << 10)
#define OUTPUT_LINE_BYTES 2048u

struct output {
    char *path;      /* NULL: stdout */
    char *temporary; /* name it has until it is finished; NULL: it has none */
    int fd;
    struct tt_error failure; /* the first one of output_say() */
    size_t used;
    uint8_t buffer[OUTPUT_BUFFER_BYTES];
};

static enum tt_status fail(const struct output *o, struct tt_error *err, const char *what)
{
    int cause = errno;
    return tt_fail(err, tt_status_of_errno(cause), TT_NO_OFFSET, "cannot %s %s: %s", what,
                   o->path ? o->path : "standard output", strerror(cause));
}

/* The directory of a path, as an owned string. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* A file without a name where the file system has such; else one with a name beside the place. */
static enum tt_status open_file(struct output *o, struct tt_error *err)
{
    struct stat st;
    if (lstat(o->path, &st) == 0) {
        errno = EEXIST;
        return fail(o, err, "create");
    }
    char *parent = parent_of(o->path);
    if (!parent)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    o->fd = open(parent, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(parent);
    if (o->fd >= 0)
        return TT_OK;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return fail(o, err, "create");
    size_t n = strlen(o->path) + 32;
    o->temporary = malloc(n);
    if (!o->temporary)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    snprintf(o->temporary, n, "%s.%ld.tmp", o->path, (long)getpid());
    o->fd = open(o->temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
    if (o->fd >= 0)
        return TT_OK;
    enum tt_status status = fail(o, err, "create");
    free(o->temporary); /* not ours to remove */
    o->temporary = NULL;
    return status;
}

enum tt_status output_create(struct output **out, const char *path, struct tt_error *err)
{
    struct output *o = calloc(1, sizeof *o);
    enum tt_status st = TT_OK;
    *out = NULL;
    if (!o)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    o->fd = STDOUT_FILENO;
    if (path) {
        o->fd = -1;
        o->path = strdup(path);
        st = o->path ? open_file(o, err) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    }
    if (st == TT_OK)
        *out = o;
    else
        output_free(o);
    return st;
}

static enum tt_status flush(struct output *o, struct tt_error *err)
{
    size_t at = 0;
    while (at < o->used) {
        ssize_t n = write(o->fd, o->buffer + at, o->used - at);
        if (n >= 0) {
            at += (size_t)n;
        } else if (errno == EAGAIN) { /* somebody else made the terminal or pipe non-blocking */
            struct pollfd wait = {.fd = o->fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return fail(o, err, "write");
        }
    }
    o->used = 0;
    return TT_OK;
}

enum tt_status output_write(struct output *o, struct tt_view bytes, struct tt_error *err)
{
    while (bytes.n > 0) {
        size_t room = sizeof o->buffer - o->used, n = bytes.n < room ? bytes.n : room;
        memcpy(o->buffer + o->used, bytes.p, n);
        o->used += n;
        bytes = tt_view_of(bytes.p + n, bytes.n - n);
        enum tt_status st = o->used == sizeof o->buffer ? flush(o, err) : TT_OK;
        if (st != TT_OK)
            return st;
    }
    return TT_OK;
}

enum tt_status output_vprintf(struct output *o, struct tt_error *err, const char *fmt, va_list args)
{
    char line[OUTPUT_LINE_BYTES + 1];
    size_t fmt_bytes = strlen(fmt);
    bool ends_line = fmt_bytes > 0 && fmt[fmt_bytes - 1] == '\n';
    int formatted = vsnprintf(line, OUTPUT_LINE_BYTES, fmt, args);
    if (formatted < 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot format a line");
    size_t n = strlen(line);
    bool whole = (size_t)formatted == n;
    if (ends_line && whole)
        line[--n] = '\0';
    tt_line_sanitize(line);
    if (ends_line)
        line[n++] = '\n';
    return output_write(o, tt_view_of(line, n), err);
}

enum tt_status output_printf(struct output *o, struct tt_error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    enum tt_status st = output_vprintf(o, err, fmt, args);
    va_end(args);
    return st;
}

void output_say(struct output *o, const char *fmt, ...)
{
    va_list args;
    if (o->failure.code != TT_OK)
        return;
    va_start(args, fmt);
    output_vprintf(o, &o->failure, fmt, args);
    va_end(args);
}

bool output_take(void *output, struct tt_view bytes)
{
    struct output *o = output;
    return o->failure.code == TT_OK && output_write(o, bytes, &o->failure) == TT_OK;
}

bool output_failed(const struct output *o)
{
    return o->failure.code != TT_OK;
}

enum tt_status output_json(struct output *o, struct json_out *json, struct tt_error *err)
{
    struct tt_view bytes = {NULL, 0};
    if (json) {
        json_out_newline(json);
        bytes = json_out_bytes(json);
    }
    return bytes.p ? output_write(o, bytes, err) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
}

enum tt_status output_wait(struct output *o, unsigned ms, struct tt_error *err)
{
    struct pollfd reader = {.fd = o->fd};
    if (poll(&reader, 1, (int)ms) <= 0 || !(reader.revents & (POLLERR | POLLHUP)))
        return TT_OK;
    errno = EPIPE;
    return fail(o, err, "write");
}

/* A link never replaces what stands at the name, unlike rename. */
static int give_name(const struct output *o)
{
    char self[64];
    if (o->temporary)
        return link(o->temporary, o->path);
    snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW);
}

enum tt_status output_finish(struct output *o, struct tt_error *err)
{
    if (o->failure.code != TT_OK) {
        *err = o->failure;
        return err->code;
    }
    enum tt_status st = flush(o, err);
    if (st != TT_OK || !o->path)
        return st;
    if (fsync(o->fd) != 0)
        return fail(o, err, "sync");
    return give_name(o) == 0 ? TT_OK : fail(o, err, "create");
}

void output_free(struct output *o)
{
    if (!o)
        return;
    if (o->path && o->fd >= 0)
        close(o->fd);
    if (o->temporary)
        unlink(o->temporary);
    free(o->temporary);
    free(o->path);
    free(o);
}
