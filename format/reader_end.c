/* How a tape ends: is it still being written, and what does the head hash say? */
#include "reader_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_FILE_BYTES 128u /* 64 digits and a newline; more is not looked at */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* An empty head file says nothing (the recorder died while it wrote it); one with
 * other content than a hash is a flaw. */
static void take_head_text(struct reader *r, const char *text, size_t n)
{
    if (n == 0)
        return;
    if (n >= CHAIN_HEX_BYTES && chain_from_hex(text, r->expected_head) &&
        (n == CHAIN_HEX_BYTES || is_space(text[CHAIN_HEX_BYTES])))
        r->head_expected = true;
    else
        r->head_file_is_bad = true;
}

/* A head file that is not there, or may not be read, is no head file. */
static void read_head_file(struct reader *r, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat sb;
    char text[HEAD_FILE_BYTES];
    if (fd < 0)
        return;
    if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode)) {
        ssize_t n = read(fd, text, sizeof(text));
        if (n >= 0)
            take_head_text(r, text, (size_t)n);
    }
    close(fd);
}

enum tt_status reader_expect_head(struct reader *r, const char *path, const struct reader_options *options,
                                  struct tt_error *err)
{
    if (options->expected_head) {
        memcpy(r->expected_head, options->expected_head, sizeof(r->expected_head));
        r->head_expected = true;
        return TT_OK;
    }
    if (options->ignore_head_file)
        return TT_OK;
    size_t n = strlen(path);
    char *beside = malloc(n + sizeof(".head"));
    if (!beside)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    memcpy(beside, path, n);
    memcpy(beside + n, ".head", sizeof(".head"));
    read_head_file(r, beside);
    free(beside);
    return TT_OK;
}

static bool lock_is_held(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* The lock is looked at before the size: once it is gone the size is final, so a
 * tape that is closed just now is never called torn. */
bool reader_look_again(struct reader *r)
{
    r->is_locked = lock_is_held(r->fd);
    struct stat sb;
    if (fstat(r->fd, &sb) < 0)
        return false;
    bool changed = (uint64_t)sb.st_size != r->report.file_bytes;
    bool tried = r->retried_offset == r->offset;
    r->report.file_bytes = (uint64_t)sb.st_size;
    r->retried_offset = r->offset;
    return changed ? !r->is_locked || !tried : r->is_locked && !tried;
}

static void set_flaw(struct reader *r, enum reader_state state, enum tt_status code, const char *text)
{
    r->report.state = state;
    if (r->report.flaw.code == TT_OK)
        tt_fail(&r->report.flaw, code, r->report.accepted_bytes, "%s", text);
    else
        tt_wrap(&r->report.flaw, "%s", text);
    r->report.flaw.code = code;
}

/* Only for a prefix without other flaw than that it may be torn. */
static void compare_head(struct reader *r)
{
    bool torn = r->report.state == READER_TORN;
    if (r->head_file_is_bad && !torn)
        set_flaw(r, READER_DAMAGED, TT_MALFORMED, "the head file beside the tape holds no hash");
    if (!r->head_expected || memcmp(r->expected_head, r->report.head, CHAIN_HASH_BYTES) == 0)
        return;
    if (r->head_was_passed)
        set_flaw(r, READER_EDITED, TT_CHAIN, "blocks stand behind the published head");
    else if (torn)
        set_flaw(r, READER_CUT, TT_CHAIN, "the published head is not reached: more was recorded");
    else
        set_flaw(r, READER_EDITED, TT_CHAIN, "its head is not the published one");
}

static void settle_state(struct reader *r)
{
    struct reader_report *report = &r->report;
    bool flawed = report->flaw.code != TT_OK;
    if (!flawed)
        report->state = report->has_end ? READER_COMPLETE : READER_TORN;
    bool open_end = report->state == READER_TORN || (report->state == READER_COMPLETE && !report->has_index);
    if (r->is_locked && open_end) {
        report->state = READER_WRITING;
        report->flaw = (struct tt_error){0};
        return;
    }
    if (!flawed && !report->has_end)
        set_flaw(r, READER_TORN, TT_TRUNCATED, "no END record: the recording was not closed");
    if (report->state == READER_TORN || report->state == READER_COMPLETE)
        compare_head(r);
}

static void count_last_gap(struct reader *r)
{
    struct reader_report *report = &r->report;
    bool broken = report->state == READER_DAMAGED || report->state == READER_EDITED;
    if (r->mode != READER_SALVAGE || !broken || report->has_index || report->file_bytes <= report->accepted_bytes)
        return;
    report->gaps++;
    report->gap_bytes += report->file_bytes - report->accepted_bytes;
}

enum tt_status reader_conclude(struct reader *r, struct tt_error *err)
{
    settle_state(r);
    count_last_gap(r);
    if (r->mode != READER_STRICT || r->report.state == READER_COMPLETE)
        return TT_END;
    if (r->report.state == READER_WRITING)
        return tt_fail(err, TT_TRUNCATED, r->report.accepted_bytes, "the tape is still being written");
    if (err)
        *err = r->report.flaw;
    return r->report.flaw.code;
}
