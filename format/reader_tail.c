/* What stands at the end of a tape: foreign bytes, unwritten zeros. */
#include "reader_parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"

typedef unsigned long long ull; /* for %llu */

#define UNWRITTEN_LEAST_BYTES 64u /* so many zeros at the end do not come by chance */
#define PIECE_BYTES 4096u

enum tt_status reader_read(const struct reader *r, uint64_t offset, void *out, size_t n, size_t *got,
                           struct tt_error *err)
{
    *got = 0;
    while (*got < n && offset + *got < r->report.file_bytes) {
        uint64_t left = r->report.file_bytes - offset - *got;
        size_t want = n - *got < left ? n - *got : (size_t)left;
        ssize_t done = pread(r->fd, (uint8_t *)out + *got, want, (off_t)(offset + *got));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return tt_fail(err, TT_IO, offset, "cannot read at byte %llu: %s", (ull)offset, strerror(errno));
        if (done == 0)
            break;
        *got += (size_t)done;
    }
    return TT_OK;
}

/* Searches backwards, once per file size. */
static uint64_t find_zero_start(struct reader *r)
{
    uint64_t start = r->report.file_bytes;
    while (start > 0 && r->report.file_bytes - start < TAPE_MAX_ZERO_TAIL_BYTES) {
        uint8_t piece[PIECE_BYTES];
        size_t n = start < PIECE_BYTES ? (size_t)start : PIECE_BYTES, got;
        if (reader_read(r, start - n, piece, n, &got, NULL) != TT_OK || got < n)
            return start;
        size_t keep = n;
        while (keep > 0 && piece[keep - 1] == 0)
            keep--;
        start -= n - keep;
        if (keep)
            break;
    }
    return start;
}

static uint64_t zero_start(struct reader *r)
{
    if (r->zero_file_bytes != r->report.file_bytes) {
        r->zero_start = find_zero_start(r);
        r->zero_file_bytes = r->report.file_bytes;
    }
    return r->zero_start;
}

bool reader_tail_is_zero(struct reader *r, uint64_t from)
{
    return from < r->report.file_bytes && zero_start(r) <= from;
}

bool reader_tail_was_unwritten(struct reader *r, uint64_t end)
{
    return zero_start(r) < end && r->report.file_bytes - zero_start(r) >= UNWRITTEN_LEAST_BYTES;
}

static bool is_file_header(const struct reader *r)
{
    uint8_t bytes[TAPE_MAX_HEADER_FRAME_BYTES];
    struct file_header h;
    size_t got, used;
    struct tt_error err;
    if (reader_read(r, r->offset, bytes, sizeof(bytes), &got, &err) != TT_OK)
        return false;
    enum tt_status st = file_header_decode(tt_view_of(bytes, got), &h, &used, &err);
    return st == TT_OK || st == TT_VERSION;
}

/* Zeros that the file system put where a block was never written: all from the
 * edge on, or from inside a block whose beginning is as it should be. */
static bool is_unwritten(struct reader *r, uint64_t known_bytes)
{
    if (reader_tail_is_zero(r, r->offset))
        return true;
    if (r->report.has_end || !reader_tail_was_unwritten(r, r->offset + known_bytes))
        return false;
    struct block_header expected = {.sequence = r->next_sequence};
    memcpy(expected.salt, r->file.tape_id, sizeof(expected.salt));
    memcpy(expected.previous, r->previous, sizeof(expected.previous));
    uint64_t written = zero_start(r) - r->offset;
    return block_header_could_begin(r->frame, written < BLOCK_HEADER_BYTES ? (size_t)written : BLOCK_HEADER_BYTES,
                                    &expected);
}

enum load_result reader_name_foreign(struct reader *r, uint64_t known_bytes, struct load *load)
{
    if (is_unwritten(r, known_bytes))
        return reader_flaw(r, load, READER_TORN, TT_TRUNCATED,
                           "nothing but zeros from byte %llu to the end of the file", (ull)zero_start(r));
    if (is_file_header(r))
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "another tape begins here: two were joined");
    if (r->report.has_end)
        return reader_flaw(r, load, READER_DAMAGED, TT_MALFORMED, "what follows, up to byte %llu, is no part of a tape",
                           (ull)r->report.file_bytes);
    return reader_flaw_here(r, load, READER_DAMAGED);
}
