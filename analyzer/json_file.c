/* Reads a JSON file whole, with a bound. */
#include "json_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads until the end of the file; one byte more than the bound tells that it is passed. */
static enum tt_status read_whole(int fd, size_t max_bytes, uint8_t **bytes, size_t *n, struct tt_error *err)
{
    size_t room = 0;
    for (;;) {
        if (*n == room) {
            room = room ? room * 2 : 64 << 10;
            if (room > max_bytes + 1)
                room = max_bytes + 1;
            uint8_t *grown = realloc(*bytes, room);
            if (!grown)
                return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu bytes", room);
            *bytes = grown;
        }
        ssize_t got = read(fd, *bytes + *n, room - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return TT_OK;
        *n += (size_t)got;
        if (*n > max_bytes)
            return tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "is longer than %zu bytes", max_bytes);
    }
}

enum tt_status json_tree_load(struct json_tree **out, const char *path, size_t max_bytes, struct tt_error *err)
{
    enum tt_status status;
    uint8_t *bytes = NULL;
    size_t n = 0;
    *out = NULL;
    if (max_bytes > JSON_TREE_MAX_BYTES)
        max_bytes = JSON_TREE_MAX_BYTES;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        status = tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
        goto out;
    }
    status = read_whole(fd, max_bytes, &bytes, &n, err);
    if (status == TT_OK)
        status = json_tree_parse(out, tt_view_of(bytes, n), err);
out:
    if (status != TT_OK)
        tt_wrap(err, "%s", path);
    if (fd >= 0)
        close(fd);
    free(bytes);
    return status;
}
