/* Reads the small text files of /proc and /sys. */
#ifndef RECORDER_HOSTFILE_H
#define RECORDER_HOSTFILE_H

#include <stddef.h>

#include "../format/record.h"

/* Opens root + path for reading; -1 when it is not there. */
int hostfile_open(const char *root, const char *path);
/* The text from the file's start, cut to cap - 1 bytes and ended by NUL; "" on failure. */
void hostfile_read_fd(int fd, char *out, size_t cap);
void hostfile_read(const char *root, const char *path, char *out, size_t cap);
/* The same with the white space at its end taken off. */
void hostfile_read_word(const char *root, const char *path, char *out, size_t cap);
/* This process's cgroup (version 2): "<root>/sys/fs/cgroup<path>/<name>" as an open file, -1 when there is none. */
int hostfile_open_cgroup(const char *root, const char *name);
/* The unsigned number that follows `key` (which stands at the start of a line or behind a
 * space) after passing over `skip` numbers; TAPE_NONE when there is none. */
uint64_t hostfile_number(const char *text, const char *key, unsigned skip);

#endif
