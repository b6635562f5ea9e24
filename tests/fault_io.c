/* Preloaded into the recorder: makes its n-th system call on the tape, the head file or their folder fail, come short
 * or take its time. Every call it watches is noted, so that a test knows what is on the disk.
 *
 *   FAULT_IO="CALL FILE NTH ACTION"   CALL  open write fdatasync fallocate ftruncate fsync close
 *                                     FILE  tape head folder
 *                                     NTH   from 0; with a + also every one behind it
 *                                     ACTION  a number: this errno; sNUMBER: half of the bytes, then this errno;
 *                                             dNUMBER: that many ms late
 *   FAULT_IO_NO_FALLOCATE=1           a file system that cannot reserve space
 *   FAULT_IO_LOG=PATH                 a line a call: CALL FILE K RESULT ERRNO WANTED (the bytes of a write)
 *
 * Files are known by how they are opened: created and named *.tape or *.head, or as a directory. */
#undef _FILE_OFFSET_BITS /* or open() here would itself be open64() */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_FD 4096

enum file { FILE_OTHER, FILE_TAPE, FILE_HEAD, FILE_FOLDER, FILES };
enum call { CALL_OPEN, CALL_WRITE, CALL_FDATASYNC, CALL_FALLOCATE, CALL_FTRUNCATE, CALL_FSYNC, CALL_CLOSE, CALLS };

static const char *const file_names[FILES] = {"", "tape", "head", "folder"};
static const char *const call_names[CALLS] = {"open", "write", "fdatasync", "fallocate", "ftruncate", "fsync", "close"};

static atomic_uchar kind_of[MOST_FD];
static atomic_uint seen[CALLS][FILES];

static struct {
    char call[16], file[16], nth[16], action[16];
    int log;
    bool no_fallocate;
} plan = {.log = -1};

__attribute__((constructor)) static void read_plan(void)
{
    const char *fault = getenv("FAULT_IO"), *log = getenv("FAULT_IO_LOG");
    if (fault && sscanf(fault, "%15s %15s %15s %15s", plan.call, plan.file, plan.nth, plan.action) != 4)
        _exit(99);
    plan.no_fallocate = getenv("FAULT_IO_NO_FALLOCATE") != NULL;
    if (log)
        plan.log = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static enum file file_of(int fd)
{
    return fd >= 0 && fd < MOST_FD ? (enum file)atomic_load(&kind_of[fd]) : FILE_OTHER;
}

static void note(enum call call, enum file file, unsigned k, long result, size_t wanted)
{
    char line[96];
    int number = errno;
    int n = snprintf(line, sizeof(line), "%s %s %u %ld %d %zu\n", call_names[call], file_names[file], k, result,
                     result < 0 ? number : 0, wanted);
    if (plan.log >= 0 && syscall(SYS_write, plan.log, line, (size_t)n) != n)
        _exit(98);
    errno = number;
}

/* Is this the call? Then its action, else NULL. */
static const char *action_for(enum call call, enum file file, unsigned *k)
{
    if (file == FILE_OTHER)
        return NULL;
    *k = atomic_fetch_add(&seen[call][file], 1);
    unsigned nth = (unsigned)strtoul(plan.nth, NULL, 10);
    bool hit = strcmp(plan.call, call_names[call]) == 0 && strcmp(plan.file, file_names[file]) == 0 &&
               (*k == nth || (*k > nth && strchr(plan.nth, '+')));
    return hit ? plan.action : NULL;
}

/* Waits, if that is the action; true when the call is to fail, errno set. */
static bool struck(const char *action)
{
    if (!action)
        return false;
    if (action[0] == 'd') {
        poll(NULL, 0, (int)strtol(action + 1, NULL, 10));
        return false;
    }
    errno = (int)strtol(action + (action[0] == 's'), NULL, 10);
    return true;
}

static enum file file_named(const char *path, int flags)
{
    size_t n = strlen(path);
    if (flags & O_DIRECTORY)
        return FILE_FOLDER;
    if (!(flags & O_CREAT) || n < 5)
        return FILE_OTHER;
    return strcmp(path + n - 5, ".tape") == 0 ? FILE_TAPE : strcmp(path + n - 5, ".head") == 0 ? FILE_HEAD : FILE_OTHER;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
    va_end(args);
    enum file file = file_named(path, flags);
    unsigned k = 0;
    bool fails = struck(action_for(CALL_OPEN, file, &k));
    int fd = fails ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file == FILE_OTHER)
        return fd;
    if (fd >= 0 && fd < MOST_FD)
        atomic_store(&kind_of[fd], (unsigned char)file);
    note(CALL_OPEN, file, k, fd, 0);
    return fd;
}

ssize_t write(int fd, const void *p, size_t n)
{
    enum file file = file_of(fd);
    unsigned k = 0;
    const char *action = action_for(CALL_WRITE, file, &k);
    ssize_t done;
    if (struck(action)) {
        int number = errno;
        done = action[0] == 's' ? syscall(SYS_write, fd, p, n / 2) : 0;
        if (done > 0)
            note(CALL_WRITE, file, k, done, n);
        errno = number;
        done = -1;
    } else {
        done = syscall(SYS_write, fd, p, n);
    }
    if (file != FILE_OTHER)
        note(CALL_WRITE, file, k, done, n);
    return done;
}

/* The calls that only do or fail. */
#define PLAIN(call, fd, real)                                                                                          \
    do {                                                                                                               \
        enum file file = file_of(fd);                                                                                  \
        unsigned k = 0;                                                                                                \
        bool fails = struck(action_for(call, file, &k));                                                               \
        long done = fails ? -1 : (real);                                                                               \
        if (file != FILE_OTHER)                                                                                        \
            note(call, file, k, done, 0);                                                                              \
        return (int)done;                                                                                              \
    } while (0)

int fdatasync(int fd)
{
    PLAIN(CALL_FDATASYNC, fd, syscall(SYS_fdatasync, fd));
}

int fsync(int fd)
{
    PLAIN(CALL_FSYNC, fd, syscall(SYS_fsync, fd));
}

int ftruncate(int fd, off_t length)
{
    PLAIN(CALL_FTRUNCATE, fd, syscall(SYS_ftruncate, fd, length));
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
    if (plan.no_fallocate) {
        errno = EOPNOTSUPP;
        return -1;
    }
    PLAIN(CALL_FALLOCATE, fd, syscall(SYS_fallocate, fd, mode, offset, length));
}

/* A close that fails has closed all the same, as in Linux. */
int close(int fd)
{
    enum file file = file_of(fd);
    unsigned k = 0;
    bool fails = struck(action_for(CALL_CLOSE, file, &k));
    int number = errno;
    if (file != FILE_OTHER)
        atomic_store(&kind_of[fd], FILE_OTHER);
    long done = syscall(SYS_close, fd);
    if (fails) {
        errno = number;
        done = -1;
    }
    if (file != FILE_OTHER)
        note(CALL_CLOSE, file, k, done, 0);
    return (int)done;
}

/* The names by which a program with 64-bit offsets, as the recorder is, calls the same. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int ftruncate64(int fd, off64_t length) __attribute__((alias("ftruncate")));
int fallocate64(int fd, int mode, off64_t offset, off64_t length) __attribute__((alias("fallocate")));
