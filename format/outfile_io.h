/* The real system calls, and writing all of a buffer through struct writer_io.
 * Internal to format/. */
#ifndef TAPE_OUTFILE_IO_H
#define TAPE_OUTFILE_IO_H

#include "writer.h"

extern const struct writer_io outfile_real_io;

/* 0, or the errno of the write that failed (ENOSPC when the kernel takes nothing). */
int outfile_io_write_all(const struct writer_io *io, int fd, struct tt_view bytes);

/* Syncs the directory that holds `path`: 0 or an errno. Directories that cannot
 * be opened or synced on this file system count as synced. */
int outfile_io_sync_directory(const char *path);

#endif
