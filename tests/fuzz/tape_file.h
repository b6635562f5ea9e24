/* Bytes as a file that a reader can open, in memory. */
#ifndef FUZZ_TAPE_FILE_H
#define FUZZ_TAPE_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static int tape_file_fd = -1;

/* Makes the file hold data[0, n). */
static inline void tape_file_set(const uint8_t *data, size_t n)
{
    FUZZ_REQUIRE(ftruncate(tape_file_fd, 0) == 0 && pwrite(tape_file_fd, data, n, 0) == (ssize_t)n);
}

/* The name of a file that holds data[0, n), until the next call. */
static inline const char *tape_file(const uint8_t *data, size_t n)
{
    static char path[64];
    if (tape_file_fd < 0) {
        tape_file_fd = memfd_create("tape", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", tape_file_fd);
    }
    tape_file_set(data, n);
    return path;
}

/* Takes a recorder's lock on it, and gives it back. */
static inline void tape_file_lock(bool held)
{
    struct flock lock = {.l_type = held ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};
    FUZZ_REQUIRE(fcntl(tape_file_fd, F_OFD_SETLK, &lock) == 0);
}

#endif
