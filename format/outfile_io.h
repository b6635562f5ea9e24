/* The real system calls, writing all of a buffer through struct writer_io, and what is
 * said when one fails. Internal to format/. */
#ifndef TAPE_OUTFILE_IO_H
#define TAPE_OUTFILE_IO_H

#include "writer.h"

extern const struct writer_io outfile_real_io;

/* Creates a file exclusively, mode 0600, to append to: its descriptor, or -1 and errno. */
int outfile_io_create(const char *path);

/* 0, or the errno of the write that failed (ENOSPC when the kernel takes nothing). */
int outfile_io_write_all(const struct writer_io *io, int fd, struct tt_view bytes);

/* Syncs the directory that holds `path`: 0 or an errno. Directories that cannot
 * be opened or synced on this file system count as synced. */
int outfile_io_sync_directory(const char *path);

/* "cannot <verb> <path>: <reason> (<remedy>)"; returns TT_NOSPC or TT_IO, as `number` says. */
enum tt_status outfile_io_fail(const char *verb, const char *path, int number, uint64_t offset, struct tt_error *err);

/* What a person can do about it: " (...)", or "" when there is nothing to say. Static. */
const char *outfile_io_remedy(int number);

#endif
