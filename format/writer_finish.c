#include "writer_parts.h"

/* INDEX is a hint: a tape without it is whole, so a full disk may do without. */
static enum tt_status write_index(struct writer *w, struct tt_error *failure)
{
    struct index_head h = {.blocks = w->blocks, .records = w->records};
    memcpy(h.salt, w->salt, sizeof(h.salt));
    memcpy(h.head, w->head, sizeof(h.head));
    struct tt_view frame = writer_index_frame(&w->index, &h, w->file.edge_bytes);
    return frame.p ? outfile_append(&w->file, frame, 0, failure) : TT_OK;
}

static enum tt_status write_head(struct writer *w, struct tt_error *failure)
{
    char hex[CHAIN_HEX_BYTES + 2];
    chain_hex(w->head, hex);
    hex[CHAIN_HEX_BYTES] = '\n';
    return outfile_write_beside(&w->file, ".head", tt_view_of(hex, CHAIN_HEX_BYTES + 1), failure);
}

/* From the sealed END to the last sync. A failed INDEX for want of space is noted
 * and passed over; anything else ends it. */
static enum tt_status finish_file(struct writer *w, uint64_t now_ns)
{
    struct tt_error failure = {0};
    enum tt_status st = write_index(w, &failure);
    if (st != TT_OK)
        writer_keep_failure(w, &failure, NULL);
    if (st != TT_OK && (st != TT_NOSPC || w->file.garbage_behind_edge))
        return st;
    outfile_trim(&w->file);
    st = writer_sync_file(w, now_ns, NULL);
    w->synced = st == TT_OK;
    return st;
}

/* Wherever the file went, and however it ended: the head file stands beside it, where it has one. */
static void leave_file(struct writer *w, bool with_head)
{
    struct tt_error failure = {0};
    if (outfile_settle(&w->file, &failure) != TT_OK)
        writer_keep_failure(w, &failure, NULL);
    if (with_head && write_head(w, &failure) != TT_OK)
        writer_keep_failure(w, &failure, NULL);
    if (outfile_close(&w->file, &failure) != TT_OK)
        writer_keep_failure(w, &failure, NULL);
}

enum tt_status writer_finish(struct writer *w, uint64_t now_ns, struct tt_error *err)
{
    bool failed = w->failure.code != TT_OK;
    if (w->finished && failed)
        return writer_repeat_failure(w, err);
    if (w->finished || (!w->ended && !failed))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, w->finished ? "finished already" : "END was not appended");
    w->finished = true;
    bool may_end = w->ended && (!failed || w->closing);
    bool ended = may_end && writer_seal_block(w, NULL) == TT_OK && finish_file(w, now_ns) == TT_OK;
    leave_file(w, ended);
    return writer_repeat_failure(w, err);
}
