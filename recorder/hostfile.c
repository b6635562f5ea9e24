#include "hostfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int hostfile_open(const char *root, const char *path)
{
    char full[1024];
    int n = snprintf(full, sizeof(full), "%s%s", root, path);
    if (n < 0 || (size_t)n >= sizeof(full))
        return -1;
    return open(full, O_RDONLY | O_CLOEXEC);
}

void hostfile_read_fd(int fd, char *out, size_t cap)
{
    size_t n = 0;
    while (fd >= 0 && n + 1 < cap) {
        ssize_t got = pread(fd, out + n, cap - 1 - n, (off_t)n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    out[n] = '\0';
}

void hostfile_read(const char *root, const char *path, char *out, size_t cap)
{
    int fd = hostfile_open(root, path);
    hostfile_read_fd(fd, out, cap);
    if (fd >= 0)
        close(fd);
}

void hostfile_read_word(const char *root, const char *path, char *out, size_t cap)
{
    hostfile_read(root, path, out, cap);
    size_t n = strlen(out);
    while (n > 0 && isspace((unsigned char)out[n - 1]))
        out[--n] = '\0';
}

int hostfile_open_cgroup(const char *root, const char *name)
{
    char own[4096], path[1024];
    hostfile_read(root, "/proc/self/cgroup", own, sizeof(own));
    const char *line = strstr(own, "0::/");
    if (!line)
        return -1;
    line += 3;
    int n = (int)strcspn(line, "\n");
    if (n == 1) /* "/": the root of this name space */
        n = 0;
    int written = snprintf(path, sizeof(path), "/sys/fs/cgroup%.*s/%s", n, line, name);
    if (written < 0 || (size_t)written >= sizeof(path))
        return -1;
    return hostfile_open(root, path);
}

uint64_t hostfile_number(const char *text, const char *key, unsigned skip)
{
    const char *at = text;
    while ((at = strstr(at, key)) != NULL) {
        if (at == text || at[-1] == '\n' || at[-1] == ' ')
            break;
        at++;
    }
    if (!at)
        return TAPE_NONE;
    at += strlen(key);
    for (;; skip--) {
        while (*at == ' ' || *at == '\t')
            at++;
        if (!isdigit((unsigned char)*at))
            return TAPE_NONE;
        char *end;
        errno = 0;
        unsigned long long v = strtoull(at, &end, 10);
        if (skip == 0)
            return errno ? TAPE_NONE : v;
        at = end;
    }
}
