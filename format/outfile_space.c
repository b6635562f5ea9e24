/* Space ahead of the writer. What a run still needs when the disk is nearly full - its requests in flight, END, INDEX -
 * must have been reserved before others take it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "outfile.h"
#include "outfile_io.h"

#define STEP_BYTES (8ull << 20)
#define LEAST_STEP_BYTES (64ull << 10)    /* a disk is used to its end in such steps */
#define LEAST_MARGIN_BYTES (256ull << 10) /* as much as an open block may hold */

/* For what is in flight when no more can be had: what a run has in flight grows with what it has written, up to a
 * point, and a small disk should not be given up while it is half empty. */
static uint64_t margin_bytes(const struct outfile *f)
{
    uint64_t margin = f->edge_bytes / 4;
    if (margin > f->most_margin_bytes)
        margin = f->most_margin_bytes;
    return margin > LEAST_MARGIN_BYTES ? margin : LEAST_MARGIN_BYTES;
}

static void note_shortage(struct outfile *f, int number)
{
    if (f->trouble.code != TT_NOSPC)
        tt_fail(&f->trouble, TT_NOSPC, f->edge_bytes, "no room for %s to grow: %s%s", f->path, strerror(number),
                outfile_io_remedy(number));
}

/* One fallocate: 0, the errno of a full disk, or ENOTSUP for whatever says that it cannot be done here. */
static int reserve(struct outfile *f, uint64_t bytes)
{
    int failed;
    do {
        failed = f->io->fallocate(f->io->ctx, f->fd, FALLOC_FL_KEEP_SIZE, (off_t)f->reserved_end, (off_t)bytes) < 0
                     ? errno
                     : 0;
    } while (failed == EINTR);
    if (!failed)
        f->reserved_end += bytes;
    return failed == 0 || tt_status_of_errno(failed) == TT_NOSPC ? failed : ENOTSUP;
}

/* Where nothing can be reserved, what the file system says is free has to do; if it says that not even a tape could be
 * begun, it is not believed. */
static enum tt_status look_at_free_space(struct outfile *f, uint64_t need_bytes)
{
    uint64_t bytes;
    if (f->free_not_told || !f->io->free_bytes || f->io->free_bytes(f->io->ctx, f->fd, &bytes) < 0)
        return TT_OK;
    if (bytes < need_bytes && f->edge_bytes == 0)
        f->free_not_told = true;
    else if (bytes < need_bytes + margin_bytes(f))
        note_shortage(f, ENOSPC);
    return f->free_not_told || bytes >= need_bytes ? TT_OK : TT_NOSPC;
}

enum tt_status outfile_reserve(struct outfile *f, uint64_t need_bytes)
{
    if (f->reserved_end < f->edge_bytes)
        f->reserved_end = f->edge_bytes;
    uint64_t step = STEP_BYTES;
    while (!f->no_fallocate && f->trouble.code != TT_NOSPC &&
           f->reserved_end - f->edge_bytes < need_bytes + margin_bytes(f)) {
        int failed = reserve(f, step);
        if (failed == ENOTSUP)
            f->no_fallocate = true;
        else if (failed && step > LEAST_STEP_BYTES)
            step /= 2;
        else if (failed)
            note_shortage(f, failed);
    }
    if (f->no_fallocate)
        return look_at_free_space(f, need_bytes);
    uint64_t ahead = f->reserved_end - f->edge_bytes;
    return ahead >= need_bytes || reserve(f, need_bytes - ahead) == 0 ? TT_OK : TT_NOSPC;
}

void outfile_reserve_again(struct outfile *f, uint64_t keep_bytes)
{
    f->reserved_end = f->edge_bytes;
    if (!f->no_fallocate)
        reserve(f, keep_bytes);
}
