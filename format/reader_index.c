#include "reader_parts.h"

#include "crc32c.h"
#include "frame.h"
#include "index.h"

typedef unsigned long long ull; /* for %llu */

struct seen_index {
    uint8_t head[INDEX_HEAD_BYTES], tail[INDEX_TAIL_BYTES];
    uint32_t crc; /* of all before the tail */
    uint8_t entries_hash[CHAIN_HASH_BYTES];
};

static enum load_result index_flaw(const struct reader *r, enum reader_state state, enum tt_status code,
                                   const char *what, struct load *load)
{
    load->state = state;
    tt_fail(&load->error, code, r->offset, "%s", what);
    tt_wrap(&load->error, "INDEX at byte %llu", (ull)r->offset);
    return LOAD_FLAW;
}

/* One pass over the frame in pieces of the frame buffer: CRC and hash of the entries. */
static enum tt_status read_index(struct reader *r, uint64_t frame_bytes, struct seen_index *seen, struct tt_error *err)
{
    uint64_t at = r->offset, end = r->offset + frame_bytes - INDEX_TAIL_BYTES;
    size_t got;
    enum tt_status st = reader_read(r, at, seen->head, INDEX_HEAD_BYTES, &got, err);
    if (st == TT_OK)
        st = chain_begin(r->chain, err);
    seen->crc = crc32c(seen->head, INDEX_HEAD_BYTES);
    for (at += INDEX_HEAD_BYTES; st == TT_OK && at < end; at += got) {
        uint64_t want = end - at < BLOCK_FRAME_BYTES ? end - at : BLOCK_FRAME_BYTES;
        st = reader_read(r, at, r->frame, (size_t)want, &got, err);
        if (st == TT_OK && got == 0)
            return tt_fail(err, TT_IO, at, "INDEX: the file became shorter while it was read");
        if (st == TT_OK)
            st = chain_add(r->chain, r->frame, got, err);
        seen->crc = crc32c_add(seen->crc, r->frame, got);
    }
    if (st == TT_OK)
        st = chain_end(r->chain, seen->entries_hash, err);
    if (st == TT_OK)
        st = reader_read(r, end, seen->tail, INDEX_TAIL_BYTES, &got, err);
    return st;
}

/* Says the INDEX, whose own place is `named`, the same as the blocks that were read? */
static enum load_result compare_index(struct reader *r, const struct seen_index *seen, uint64_t named,
                                      struct load *load)
{
    struct index_head h = {.blocks = r->report.blocks, .records = r->report.records};
    memcpy(h.salt, r->file.tape_id, sizeof(h.salt));
    memcpy(h.head, r->previous, sizeof(h.head));
    uint8_t head[INDEX_HEAD_BYTES];
    index_put_head(head, &h);
    if (!r->report.has_end)
        return index_flaw(r, READER_EDITED, TT_CHAIN, "END is missing before it: blocks were taken out", load);
    if (memcmp(head, seen->head, sizeof(head)) != 0)
        return index_flaw(r, READER_EDITED, TT_CHAIN, "its counts or head hash contradict the blocks", load);
    if (!r->entries_ended && chain_end(r->entries, r->entries_hash, &load->error) != TT_OK)
        return LOAD_FAILED;
    r->entries_ended = true; /* no block can follow, yet the same INDEX may be compared again */
    if (memcmp(r->entries_hash, seen->entries_hash, CHAIN_HASH_BYTES) != 0)
        return index_flaw(r, READER_EDITED, TT_CHAIN, "its entries contradict the blocks", load);
    if (named != r->offset)
        return index_flaw(r, READER_EDITED, TT_CHAIN, "it names another place as its own", load);
    return LOAD_END;
}

static enum load_result check_index(struct reader *r, uint64_t frame_bytes, struct load *load)
{
    struct seen_index seen;
    if (read_index(r, frame_bytes, &seen, &load->error) != TT_OK)
        return LOAD_FAILED;
    uint64_t named;
    if (!index_tail_holds(seen.tail, seen.crc, &named)) {
        bool torn = r->report.has_end && reader_tail_was_unwritten(r, r->offset + frame_bytes);
        return index_flaw(r, torn ? READER_TORN : READER_DAMAGED, torn ? TT_TRUNCATED : TT_CRC,
                          torn ? "the file ends in zeros" : "CRC32C or end mark differs", load);
    }
    /* Behind a gap its counts cannot agree; that it is whole is all to be asked. */
    return r->report.flaw.code == TT_OK ? compare_index(r, &seen, named, load) : LOAD_END;
}

enum load_result reader_load_index(struct reader *r, struct load *load)
{
    uint8_t head[FRAME_HEAD_BYTES];
    size_t got;
    uint64_t left = r->report.file_bytes - r->offset;
    if (reader_read(r, r->offset, head, sizeof(head), &got, &load->error) != TT_OK)
        return LOAD_FAILED;
    uint64_t expected = index_frame_bytes(r->report.blocks);
    uint64_t claimed = got < sizeof(head) ? expected : (uint64_t)tt_get_u32(head + 4) + FRAME_HEAD_BYTES;
    if (claimed < INDEX_FIXED_BYTES || claimed > TAPE_MAX_INDEX_FRAME_BYTES)
        return index_flaw(r, READER_DAMAGED, TT_LIMIT, "its length cannot be", load);
    if (left < claimed) {
        bool torn = claimed == expected && r->report.has_end;
        return index_flaw(r, torn ? READER_TORN : READER_DAMAGED, TT_TRUNCATED, "the file ends inside it", load);
    }
    enum load_result result = check_index(r, claimed, load);
    if (result != LOAD_END)
        return result;
    r->report.has_index = true;
    r->report.index_bytes = claimed;
    r->offset += claimed;
    return left == claimed ? LOAD_END : reader_load(r, load);
}
