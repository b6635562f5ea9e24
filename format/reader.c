#include "reader_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum tt_status open_file(struct reader *r, const char *path, struct tt_error *err)
{
    /* O_NONBLOCK: a FIFO must not hang us; it is refused below. */
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (r->fd < 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "%s", strerror(errno));
    r->is_locked = reader_lock_is_held(r->fd);
    struct stat sb;
    if (fstat(r->fd, &sb) < 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "%s", strerror(errno));
    if (!S_ISREG(sb.st_mode))
        return tt_fail(err, TT_FOREIGN, TT_NO_OFFSET, "not a tape: not a regular file");
    r->report.file_bytes = (uint64_t)sb.st_size;
    return TT_OK;
}

static enum tt_status read_file_header(struct reader *r, struct tt_error *err)
{
    size_t got, used;
    enum tt_status st = reader_read(r, 0, r->frame, TAPE_MAX_HEADER_FRAME_BYTES, &got, err);
    if (st == TT_OK)
        st = file_header_decode(tt_view_of(r->frame, got), &r->file, &used, err);
    if (st == TT_OK)
        st = chain_hash(r->chain, r->frame, used, r->previous, err);
    if (st != TT_OK)
        return st;
    r->offset = r->report.accepted_bytes = r->report.header_bytes = used;
    r->report.major = r->file.major;
    r->report.minor = r->file.minor;
    memcpy(r->report.tape_id, r->file.tape_id, sizeof(r->report.tape_id));
    r->report.base_monotonic_ns = r->file.base_monotonic_ns;
    r->report.base_realtime_ns = r->file.base_realtime_ns;
    memcpy(r->report.head, r->previous, sizeof(r->report.head));
    return TT_OK;
}

static enum tt_status allocate(struct reader *r, struct tt_error *err)
{
    r->frame = malloc(BLOCK_FRAME_BYTES);
    r->raw = malloc(TAPE_MAX_RAW_BLOCK_BYTES);
    if (!r->frame || !r->raw)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    enum tt_status st = chain_create(&r->chain, err);
    if (st == TT_OK)
        st = chain_create(&r->entries, err);
    if (st == TT_OK)
        st = chain_begin(r->entries, err);
    if (st == TT_OK)
        st = zframe_unpacker_create(&r->unpacker, err);
    return st;
}

enum tt_status reader_open(struct reader **out, const char *path, const struct reader_options *options,
                           struct tt_error *err)
{
    static const struct reader_options defaults = {.mode = READER_PREFIX};
    *out = NULL;
    struct reader *r = calloc(1, sizeof(*r));
    if (!r)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    options = options ? options : &defaults;
    *r = (struct reader){.fd = -1,
                         .mode = options->mode,
                         .progress = options->progress,
                         .progress_ctx = options->progress_ctx,
                         .chain_known = true};
    r->report.first_time_ns = r->report.last_time_ns = r->zero_file_bytes = TAPE_NONE;
    r->retried_offset = r->doubted_offset = TAPE_NONE;
    r->report.state = READER_TORN;
    enum tt_status st = allocate(r, err);
    if (st == TT_OK)
        st = open_file(r, path, err);
    if (st == TT_OK)
        st = read_file_header(r, err);
    if (st == TT_OK)
        st = reader_expect_head(r, path, options, err);
    if (st != TT_OK) {
        reader_free(r);
        tt_wrap(err, "cannot open %s", path);
        return st;
    }
    *out = r;
    return TT_OK;
}

static void note_flaw(struct reader *r, const struct load *load)
{
    if (r->report.flaw.code != TT_OK)
        return;
    r->report.flaw = load->error;
    r->report.state = load->state;
}

/* Loads the next block, over flaws where the mode says so. */
static enum tt_status next_block(struct reader *r, struct tt_error *err)
{
    for (;;) {
        struct load load = {.state = READER_DAMAGED};
        enum load_result result = reader_load(r, &load);
        if (result == LOAD_BLOCK)
            return TT_OK;
        if (result == LOAD_FAILED) {
            note_flaw(r, &load);
            if (err)
                *err = load.error;
            return load.error.code;
        }
        bool at_end = result == LOAD_END || load.state == READER_TORN;
        if (reader_look_again(r, at_end))
            continue;
        if (result == LOAD_FLAW)
            note_flaw(r, &load);
        bool more_to_come = at_end && r->is_locked;
        if (result == LOAD_FLAW && r->mode == READER_SALVAGE && !r->report.has_end && !more_to_come && reader_scan(r))
            continue;
        return reader_conclude(r, err);
    }
}

static void tell_progress(const struct reader *r, enum tt_status st)
{
    if (r->progress)
        r->progress(r->progress_ctx, st == TT_OK ? r->block_offset : r->report.file_bytes, r->report.file_bytes);
}

/* A tape that was being written when it ended here may go on by now. */
static void resume(struct reader *r)
{
    if (r->outcome != TT_END || r->report.state != READER_WRITING)
        return;
    r->done = false;
    r->retried_offset = r->doubted_offset = TAPE_NONE;
}

enum tt_status reader_next(struct reader *r, struct tape_record *rec, struct tt_error *err)
{
    struct tt_error local;
    err = err ? err : &local;
    if (r->done)
        resume(r);
    if (r->done) {
        *err = r->outcome_error;
        return r->outcome;
    }
    if (r->at == r->raw_bytes) {
        enum tt_status st = next_block(r, err);
        tell_progress(r, st);
        if (st != TT_OK) {
            r->done = true;
            r->outcome = st;
            r->outcome_error = st == TT_END ? (struct tt_error){.code = TT_END} : *err;
            return st;
        }
        r->position.block = r->block.sequence;
        r->position.block_offset = r->block_offset;
        r->position.record = r->report.records - r->block.records;
    } else {
        r->position.record++;
    }
    size_t used;
    enum tt_status st = record_decode(tt_view_of(r->raw + r->at, r->raw_bytes - r->at), rec, &used, err);
    assert(st == TT_OK); /* the whole block was checked before it was accepted */
    r->position.in_block = r->at;
    r->at += used;
    return st;
}

struct reader_position reader_position(const struct reader *r)
{
    return r->position;
}

const struct reader_report *reader_report(const struct reader *r)
{
    return &r->report;
}

const char *reader_state_name(enum reader_state state)
{
    static const char *const names[] = {"writing", "complete", "torn", "cut", "damaged", "edited"};
    return (unsigned)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

void reader_free(struct reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    free(r->frame);
    free(r->raw);
    free(r->head_path);
    chain_free(r->chain);
    chain_free(r->entries);
    zframe_unpacker_free(r->unpacker);
    free(r);
}
