/* Bytes as a file that a reader can open, in memory. */
#ifndef FUZZ_TAPE_FILE_H
#define FUZZ_TAPE_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* The name of a file that holds data[0, n), until the next call. */
static inline const char *tape_file(const uint8_t *data, size_t n)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("tape", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_REQUIRE(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, n, 0) == (ssize_t)n);
    return path;
}

#endif
