#include "writer_parts.h"

#include <stdlib.h>

#define CLOSING_BYTES (64ull << 10)                    /* kept on disk for END and what goes with it */
#define CLOSING_RAW_BYTES (16u << 10)                  /* and no more than this goes there */
#define SYNC_LEAST_NS (TAPE_SYNC_AFTER_FAILURE_NS / 5) /* between two: many failures must not mean many syncs */

enum tt_status writer_repeat_failure(const struct writer *w, struct tt_error *err)
{
    if (err)
        *err = w->failure;
    return w->failure.code;
}

enum tt_status writer_keep_failure(struct writer *w, const struct tt_error *failure, struct tt_error *err)
{
    if (w->failure.code == TT_OK)
        w->failure = *failure;
    return writer_repeat_failure(w, err);
}

/* Space that must be left behind the next frame so that the tape can be closed. */
static uint64_t closing_bytes(const struct writer *w)
{
    uint64_t index = index_frame_bytes(w->blocks + 2);
    return w->ended || w->closing ? index : CLOSING_BYTES + index;
}

enum tt_status writer_seal_block(struct writer *w, struct tt_error *err)
{
    if (w->block.records == 0)
        return TT_OK;
    struct tt_error failure = {0};
    struct block_header h = {.sequence = w->blocks};
    uint8_t head[CHAIN_HASH_BYTES];
    struct tt_view frame = {0};
    memcpy(h.salt, w->salt, sizeof(h.salt));
    memcpy(h.previous, w->head, sizeof(h.previous));
    enum tt_status st = block_seal(&w->block, &h, &frame, &failure);
    if (st == TT_OK)
        st = chain_hash(w->chain, frame.p, frame.n, head, &failure);
    uint64_t at = w->file.edge_bytes;
    if (st == TT_OK)
        st = outfile_append(&w->file, frame, closing_bytes(w), &failure);
    if (st == TT_OK) {
        writer_index_add(&w->index, at, &h);
        memcpy(w->head, head, sizeof(head));
        w->blocks++;
        w->records += h.records;
        if (w->unsynced_since_ns == TAPE_NONE)
            w->unsynced_since_ns = w->block.opened_ns;
    } else {
        w->lost = true;
        w->closing = st == TT_NOSPC && !w->closing && !w->ended && !w->file.garbage_behind_edge;
    }
    block_reset(&w->block);
    return st == TT_OK ? TT_OK : writer_keep_failure(w, &failure, err);
}

/* fdatasync reports a lost page once and then forgets it: after one failure
 * nothing that is on the disk can be relied on, so it is never tried again. */
enum tt_status writer_sync_file(struct writer *w, uint64_t now_ns, struct tt_error *err)
{
    struct tt_error failure = {0};
    if (outfile_sync(&w->file, &failure) != TT_OK) {
        w->closing = false;
        return writer_keep_failure(w, &failure, err);
    }
    w->last_sync_ns = now_ns;
    w->unsynced_since_ns = w->sync_due_ns = TAPE_NONE;
    return TT_OK;
}

static enum tt_status write_file_header(struct writer *w, const struct writer_options *options, struct tt_error *err)
{
    struct file_header h = {.major = TAPE_VERSION_MAJOR,
                            .minor = TAPE_VERSION_MINOR,
                            .base_monotonic_ns = options->base_monotonic_ns,
                            .base_realtime_ns = options->base_realtime_ns};
    memcpy(h.tape_id, options->tape_id, sizeof(h.tape_id));
    memcpy(h.boot_hash, options->boot_hash, sizeof(h.boot_hash));
    memcpy(w->salt, options->tape_id, sizeof(w->salt));
    uint8_t bytes[FILE_HEADER_BYTES];
    file_header_encode(&h, bytes);
    enum tt_status st = chain_hash(w->chain, bytes, sizeof(bytes), w->head, err);
    if (st == TT_OK)
        st = outfile_append(&w->file, tt_view_of(bytes, sizeof(bytes)), closing_bytes(w), err);
    return st;
}

enum tt_status writer_create(struct writer **out, const char *path, const struct writer_options *options,
                             struct tt_error *err)
{
    *out = NULL;
    struct writer *w = calloc(1, sizeof(*w));
    if (!w)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    w->file.fd = -1;
    w->unsynced_since_ns = w->sync_due_ns = TAPE_NONE;
    enum tt_status st = block_create(&w->block, err);
    if (st == TT_OK)
        st = chain_create(&w->chain, err);
    if (st == TT_OK)
        st = outfile_create(&w->file, path, options->io, err);
    if (st == TT_OK && options->margin_bytes)
        w->file.most_margin_bytes = options->margin_bytes;
    if (st == TT_OK)
        st = write_file_header(w, options, err);
    struct tape_record schema = {.kind = TAPE_SCHEMA, .u.schema.text = tt_view_str(record_table_text)};
    if (st == TT_OK)
        st = block_add(&w->block, &schema, err);
    if (st == TT_OK) {
        *out = w;
        return TT_OK;
    }
    outfile_discard(&w->file);
    writer_free(w);
    return st;
}

const char *writer_missing_features(const struct writer *w)
{
    static const char *const names[] = {"", "fallocate", "ofd_lock", "fallocate,ofd_lock"};
    return names[(w->file.no_fallocate ? 1 : 0) + (w->file.no_lock ? 2 : 0)];
}

static bool closes_a_tape(uint32_t kind)
{
    return kind == TAPE_LOST || kind == TAPE_EVENT || kind == TAPE_CLOCK;
}

static bool has_age(uint64_t now_ns, uint64_t since_ns, uint64_t age_ns)
{
    return since_ns != TAPE_NONE && now_ns >= since_ns && now_ns - since_ns >= age_ns;
}

static bool block_is_full(const struct writer *w, uint64_t now_ns)
{
    return w->block.raw_bytes >= TAPE_CLOSE_RAW_BLOCK_BYTES ||
           has_age(now_ns, w->block.opened_ns, TAPE_CLOSE_BLOCK_AGE_NS);
}

/* END gets a block of its own, so that it is not lost with records that do not
 * fit any more. */
static enum tt_status make_room_for_end(struct writer *w, struct tt_error *err)
{
    if (w->closing)
        return TT_OK;
    enum tt_status st = writer_seal_block(w, err);
    return w->closing ? TT_OK : st;
}

enum tt_status writer_append(struct writer *w, const struct tape_record *rec, uint64_t now_ns, struct tt_error *err)
{
    bool may_close =
        w->closing && (rec->kind == TAPE_END || (closes_a_tape(rec->kind) && w->block.raw_bytes < CLOSING_RAW_BYTES));
    if (w->failure.code != TT_OK && !may_close)
        return writer_repeat_failure(w, err);
    if (w->ended)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "nothing can follow END");
    enum tt_status st = rec->kind == TAPE_END ? make_room_for_end(w, err) : TT_OK;
    if (st == TT_OK)
        st = block_add(&w->block, rec, err);
    if (st != TT_OK)
        return st;
    if (w->block.opened_ns == TAPE_NONE)
        w->block.opened_ns = now_ns;
    w->ended = rec->kind == TAPE_END;
    return !w->closing && block_is_full(w, now_ns) ? writer_seal_block(w, err) : TT_OK;
}

enum tt_status writer_tick(struct writer *w, uint64_t now_ns, struct tt_error *err)
{
    if (w->failure.code != TT_OK || w->finished)
        return writer_repeat_failure(w, err);
    if (has_age(now_ns, w->sync_due_ns, 0))
        return writer_sync(w, now_ns, err);
    if (block_is_full(w, now_ns)) {
        enum tt_status st = writer_seal_block(w, err);
        if (st != TT_OK)
            return st;
    }
    if (has_age(now_ns, w->unsynced_since_ns, TAPE_SYNC_AGE_NS) || w->file.unsynced_bytes >= TAPE_SYNC_BYTES)
        return writer_sync_file(w, now_ns, err);
    return TT_OK;
}

void writer_note_failure(struct writer *w, uint64_t now_ns)
{
    uint64_t earliest = w->last_sync_ns + SYNC_LEAST_NS;
    if (w->sync_due_ns == TAPE_NONE)
        w->sync_due_ns = now_ns > earliest ? now_ns : earliest;
}

enum tt_status writer_sync(struct writer *w, uint64_t now_ns, struct tt_error *err)
{
    if (w->failure.code != TT_OK || w->finished)
        return writer_repeat_failure(w, err);
    enum tt_status st = writer_seal_block(w, err);
    return st == TT_OK ? writer_sync_file(w, now_ns, err) : st;
}

enum tt_status writer_close_block(struct writer *w, struct tt_error *err)
{
    if (w->failure.code != TT_OK || w->finished)
        return writer_repeat_failure(w, err);
    return writer_seal_block(w, err);
}

enum tt_status writer_trouble(const struct writer *w, struct tt_error *err)
{
    *err = w->file.trouble;
    return w->file.trouble.code;
}

bool writer_is_whole(const struct writer *w)
{
    return w->synced && !w->lost;
}

const char *writer_path(const struct writer *w)
{
    return w->file.path;
}

uint64_t writer_bytes(const struct writer *w)
{
    return w->file.edge_bytes;
}

void writer_head(const struct writer *w, uint8_t head[32])
{
    memcpy(head, w->head, CHAIN_HASH_BYTES);
}

void writer_free(struct writer *w)
{
    if (!w)
        return;
    outfile_free(&w->file);
    block_free(&w->block);
    chain_free(w->chain);
    writer_index_free(&w->index);
    free(w);
}
