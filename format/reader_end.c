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
    r->head_expected = n >= CHAIN_HEX_BYTES && chain_from_hex(text, r->expected_head) &&
                       (n == CHAIN_HEX_BYTES || is_space(text[CHAIN_HEX_BYTES]));
    r->head_file_is_bad = !r->head_expected;
}

/* A head file that is not there, or may not be read, is no head file. */
static void read_head_file(struct reader *r)
{
    int fd = r->head_path ? open(r->head_path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
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
    r->head_path = malloc(n + sizeof(".head"));
    if (!r->head_path)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    memcpy(r->head_path, path, n);
    memcpy(r->head_path + n, ".head", sizeof(".head"));
    read_head_file(r);
    return TT_OK;
}

/* F_OFD_GETLK asks and takes nothing: it can neither fail nor delay a recorder. */
bool reader_lock_is_held(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool reader_is_locked(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool held = reader_lock_is_held(fd);
    close(fd);
    return held;
}

/* The lock is looked at before the size: once it is gone the size is final, so a
 * tape that is closed just now is never called torn. While it is held, nothing is
 * believed that was found once: a recorder whose disk is full cuts a block off again and
 * writes END in its place, and header and content may be read from either side of that. */
bool reader_look_again(struct reader *r, bool at_end)
{
    bool was_locked = r->is_locked;
    struct stat sb;
    r->is_locked = reader_lock_is_held(r->fd);
    if (fstat(r->fd, &sb) < 0)
        return false;
    bool changed = (uint64_t)sb.st_size != r->report.file_bytes;
    r->report.file_bytes = (uint64_t)sb.st_size;
    if (!r->is_locked)
        return changed || was_locked;
    uint64_t *looked_at = at_end ? &r->retried_offset : &r->doubted_offset;
    bool tried = *looked_at == r->offset;
    *looked_at = r->offset;
    return !tried;
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
    if (!r->head_expected && !r->is_locked)
        read_head_file(r);
    if (r->head_file_is_bad && !torn)
        set_flaw(r, READER_DAMAGED, TT_MALFORMED, "the head file beside the tape holds no hash");
    r->report.head_compared = r->head_expected;
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
    report->head_known = r->head_expected;
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
