/* Flaws, and what a block is that stands where another should. */
#include "reader_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull; /* for %llu */

static void wrap_place(const struct reader *r, struct tt_error *err)
{
    const struct reader_report *report = &r->report;
    ull at = (ull)r->offset, block = (ull)(r->chain_known ? r->next_sequence : r->block.sequence);
    err->offset = r->offset;
    if (report->has_end)
        tt_wrap(err, "behind %s at byte %llu", report->has_index ? "INDEX" : "END", at);
    else
        tt_wrap(err, "block %llu at byte %llu", block, at);
}

enum load_result reader_flaw(const struct reader *r, struct load *load, enum reader_state state, enum tt_status code,
                             const char *fmt, ...)
{
    char text[sizeof(load->error.line)];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    tt_fail(&load->error, code, r->offset, "%s", text);
    return reader_flaw_here(r, load, state);
}

enum load_result reader_flaw_here(const struct reader *r, struct load *load, enum reader_state state)
{
    load->state = state;
    wrap_place(r, &load->error);
    return LOAD_FLAW;
}

enum load_result reader_fail_here(const struct reader *r, struct load *load)
{
    wrap_place(r, &load->error);
    return LOAD_FAILED;
}

/* Goes from a header to the next; false where none of this tape follows. */
static bool next_header(const struct reader *r, uint64_t *at, struct block_header *h)
{
    uint8_t bytes[BLOCK_HEADER_BYTES];
    size_t got;
    *at += BLOCK_HEADER_BYTES + (uint64_t)h->packed_bytes;
    return reader_read(r, *at, bytes, sizeof(bytes), &got, NULL) == TT_OK && got == sizeof(bytes) &&
           block_header_decode(bytes, *at, h, NULL) == TT_OK && memcmp(h->salt, r->file.tape_id, sizeof(h->salt)) == 0;
}

/* Does the block that should stand here stand further behind? */
static bool stands_behind(const struct reader *r, const struct block_header *here)
{
    uint64_t at = r->offset;
    struct block_header h = *here;
    while (next_header(r, &at, &h))
        if (h.sequence == r->next_sequence)
            return true;
    return false;
}

/* Behind a gap: is it out of order, so that taking it would cost what follows? */
static bool is_out_of_order(const struct reader *r, const struct block_header *here)
{
    uint64_t at = r->offset;
    struct block_header next = *here;
    return here->sequence > r->next_sequence && next_header(r, &at, &next) && next.sequence < here->sequence &&
           next.sequence >= r->next_sequence;
}

static enum load_result name_sequence(const struct reader *r, const struct block_header *h, struct load *load)
{
    const ull here = (ull)h->sequence, due = (ull)r->next_sequence;
    if (here < due)
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "block %llu stands here once more", here);
    if (stands_behind(r, h))
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "block %llu stands here, before it: order was changed",
                           here);
    if (here - due == 1)
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "it is missing: block %llu stands here", here);
    return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "blocks %llu to %llu are missing: block %llu stands here", due,
                       here - 1, here);
}

enum load_result reader_check_place(const struct reader *r, const struct block_header *h, struct load *load)
{
    const bool first = r->report.blocks == 0;
    if (r->report.has_end)
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "block %llu stands there", (ull)h->sequence);
    if (memcmp(h->salt, r->file.tape_id, sizeof(h->salt)) != 0)
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "a block of another tape%s",
                           first ? ": the FILE header belongs to another one" : "");
    if (h->sequence != r->next_sequence && (r->chain_known || h->sequence < r->next_sequence || is_out_of_order(r, h)))
        return name_sequence(r, h, load);
    if (!r->chain_known || memcmp(h->previous, r->previous, sizeof(h->previous)) == 0)
        return LOAD_BLOCK;
    if (first)
        return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "its hash of the FILE header differs: one was changed");
    return reader_flaw(r, load, READER_EDITED, TT_CHAIN, "its hash of block %llu differs: one was changed",
                       (ull)h->sequence - 1);
}
