#include "reader_parts.h"

#include <stdarg.h>
#include <stdio.h>

#include "crc32c.h"
#include "frame.h"
#include "index.h"

typedef unsigned long long ull; /* for %llu */

enum load_result reader_flaw(struct load *load, enum reader_state state, enum tt_status code, uint64_t offset,
                             const char *fmt, ...)
{
    char text[sizeof(load->error.line)];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    load->state = state;
    tt_fail(&load->error, code, offset, "%s", text);
    return LOAD_FLAW;
}

/* The header that should stand at r->offset, as far as it is known beforehand. */
static struct block_header expected_header(const struct reader *r)
{
    struct block_header h = {.sequence = r->next_sequence};
    memcpy(h.salt, r->file.tape_id, sizeof(h.salt));
    memcpy(h.previous, r->previous, sizeof(h.previous));
    return h;
}

static enum load_result load_short_header(struct reader *r, size_t got, struct load *load)
{
    struct block_header expected = expected_header(r);
    if (block_header_could_begin(r->frame, got, &expected) || reader_tail_is_zero(r, r->offset))
        return reader_flaw(load, READER_TORN, TT_TRUNCATED, r->offset,
                           "block %llu at byte %llu: the file ends %zu bytes into its header", (ull)r->next_sequence,
                           (ull)r->offset, got);
    return reader_flaw(load, READER_DAMAGED, TT_MALFORMED, r->offset,
                       "block %llu at byte %llu: the last %zu bytes of the file are no block header",
                       (ull)r->next_sequence, (ull)r->offset, got);
}

/* Is this block ours, and the next one? Its CRC holds, so what is wrong here was
 * put there: an edit. */
static enum load_result check_place(const struct reader *r, const struct block_header *h, struct load *load)
{
    const uint64_t at = r->offset;
    if (memcmp(h->salt, r->file.tape_id, sizeof(h->salt)) != 0)
        return reader_flaw(load, READER_EDITED, TT_CHAIN, at, "block %llu at byte %llu: belongs to another tape",
                           (ull)r->next_sequence, (ull)at);
    if (r->report.has_end)
        return reader_flaw(load, READER_EDITED, TT_CHAIN, at, "block %llu at byte %llu: stands behind END",
                           (ull)h->sequence, (ull)at);
    if (h->sequence != r->next_sequence && (r->chain_known || h->sequence < r->next_sequence))
        return reader_flaw(load, READER_EDITED, TT_CHAIN, at, "block at byte %llu: has number %llu, expected %llu",
                           (ull)at, (ull)h->sequence, (ull)r->next_sequence);
    if (r->chain_known && memcmp(h->previous, r->previous, sizeof(h->previous)) != 0)
        return reader_flaw(load, READER_EDITED, TT_CHAIN, at,
                           "block %llu at byte %llu: hash of what stands before it differs: the block before was "
                           "changed or exchanged",
                           (ull)h->sequence, (ull)at);
    return LOAD_BLOCK;
}

static enum load_result check_lengths(const struct reader *r, const struct block_header *h, struct load *load)
{
    if (h->packed_bytes > TAPE_MAX_PACKED_BLOCK_BYTES || h->raw_bytes > TAPE_MAX_RAW_BLOCK_BYTES || !h->raw_bytes ||
        !h->records || h->records > h->raw_bytes)
        return reader_flaw(load, READER_DAMAGED, TT_LIMIT, r->offset,
                           "block %llu at byte %llu: %u compressed, %u raw bytes and %u records cannot be",
                           (ull)h->sequence, (ull)r->offset, (unsigned)h->packed_bytes, (unsigned)h->raw_bytes,
                           (unsigned)h->records);
    return LOAD_BLOCK;
}

/* The zstd frame is read behind the header that r->frame already holds. */
static enum load_result read_packed(struct reader *r, const struct block_header *h, struct load *load)
{
    size_t got;
    if (reader_read(r, r->offset + BLOCK_HEADER_BYTES, r->frame + BLOCK_HEADER_BYTES, h->packed_bytes, &got,
                    &load->error) != TT_OK)
        return LOAD_FAILED;
    const uint8_t *packed = r->frame + BLOCK_HEADER_BYTES;
    if (got < h->packed_bytes && frame_begins(packed, got, FRAME_ZSTD))
        return reader_flaw(load, READER_TORN, TT_TRUNCATED, r->offset,
                           "block %llu at byte %llu: the file ends %zu bytes into its %u compressed bytes",
                           (ull)h->sequence, (ull)r->offset, got, (unsigned)h->packed_bytes);
    uint32_t computed = crc32c(packed, got);
    if (got == h->packed_bytes && computed == h->packed_crc)
        return LOAD_BLOCK;
    tt_fail(&load->error, TT_CRC, r->offset, "block %llu at byte %llu: CRC32C differs (stored 0x%08x, computed 0x%08x)",
            (ull)h->sequence, (ull)r->offset, (unsigned)h->packed_crc, (unsigned)computed);
    struct tt_error why = load->error;
    return reader_name_foreign(r, &why, BLOCK_HEADER_BYTES + (uint64_t)h->packed_bytes, load);
}

static enum load_result unpack(struct reader *r, const struct block_header *h, struct load *load)
{
    load->state = READER_DAMAGED;
    if (zframe_unpack(r->unpacker, tt_view_of(r->frame + BLOCK_HEADER_BYTES, h->packed_bytes), h->raw_bytes, r->raw,
                      TAPE_MAX_RAW_BLOCK_BYTES, &load->error) == TT_OK)
        return LOAD_BLOCK;
    load->error.offset = r->offset;
    tt_wrap(&load->error, "block %llu at byte %llu", (ull)h->sequence, (ull)r->offset);
    return LOAD_FLAW;
}

static void widen_times(struct reader_report *report, const struct block_header *h)
{
    if (h->least_time_ns == TAPE_NONE)
        return;
    if (report->first_time_ns == TAPE_NONE || h->least_time_ns < report->first_time_ns)
        report->first_time_ns = h->least_time_ns;
    if (report->last_time_ns == TAPE_NONE || h->greatest_time_ns > report->last_time_ns)
        report->last_time_ns = h->greatest_time_ns;
}

static void count_block(struct reader *r, const struct block_header *h)
{
    struct reader_report *report = &r->report;
    if (!r->chain_known) {
        report->gaps++;
        report->gap_bytes += r->offset - report->accepted_bytes;
        if (report->state == READER_TORN)
            report->state = READER_DAMAGED; /* it goes on, so it was not torn here */
    }
    report->blocks++;
    report->records += h->records;
    report->unknown_records += r->unknown_in_block;
    report->raw_bytes += h->raw_bytes;
    report->compressed_bytes += h->packed_bytes;
    report->has_end = r->end_in_block;
    widen_times(report, h);
}

static enum load_result accept(struct reader *r, const struct block_header *h, struct load *load)
{
    size_t n = BLOCK_HEADER_BYTES + (size_t)h->packed_bytes;
    uint8_t entry[INDEX_ENTRY_BYTES];
    index_put_entry(entry, r->offset, h);
    if (r->head_expected && memcmp(r->previous, r->expected_head, CHAIN_HASH_BYTES) == 0)
        r->head_was_passed = true;
    if (chain_add(r->entries, entry, sizeof(entry), &load->error) != TT_OK ||
        chain_hash(r->chain, r->frame, n, r->previous, &load->error) != TT_OK)
        return LOAD_FAILED;
    count_block(r, h);
    memcpy(r->report.head, r->previous, CHAIN_HASH_BYTES);
    r->block_offset = r->offset;
    r->offset += n;
    r->report.accepted_bytes = r->offset;
    r->next_sequence = h->sequence + 1;
    r->chain_known = true;
    r->raw_bytes = h->raw_bytes;
    r->at = 0;
    return LOAD_BLOCK;
}

static enum load_result load_block(struct reader *r, struct load *load)
{
    struct block_header *h = &r->block;
    enum tt_status st = block_header_decode(r->frame, r->offset, h, &load->error);
    if (st == TT_VERSION) {
        tt_wrap(&load->error, "block %llu at byte %llu, written by version %u.%u", (ull)r->next_sequence,
                (ull)r->offset, r->file.major, r->file.minor);
        return LOAD_FAILED;
    }
    if (st != TT_OK) {
        struct tt_error why = load->error;
        tt_wrap(&why, "block %llu at byte %llu", (ull)r->next_sequence, (ull)r->offset);
        return reader_name_foreign(r, &why, BLOCK_HEADER_BYTES, load);
    }
    enum load_result result = check_place(r, h, load);
    if (result == LOAD_BLOCK)
        result = check_lengths(r, h, load);
    if (result == LOAD_BLOCK)
        result = read_packed(r, h, load);
    if (result == LOAD_BLOCK)
        result = unpack(r, h, load);
    if (result == LOAD_BLOCK)
        result = reader_check_records(r, load);
    return result == LOAD_BLOCK ? accept(r, h, load) : result;
}

enum load_result reader_load(struct reader *r, struct load *load)
{
    size_t got;
    if (reader_read(r, r->offset, r->frame, BLOCK_HEADER_BYTES, &got, &load->error) != TT_OK)
        return LOAD_FAILED;
    if (got == 0)
        return LOAD_END;
    if (index_could_begin(r->frame, got) && r->report.has_index == false)
        return reader_load_index(r, load);
    if (got < BLOCK_HEADER_BYTES && !r->report.has_end)
        return load_short_header(r, got, load);
    if (got == BLOCK_HEADER_BYTES)
        return load_block(r, load);
    struct tt_error why;
    tt_fail(&why, TT_MALFORMED, r->offset, "byte %llu: %zu bytes stand behind the end of the tape", (ull)r->offset,
            got);
    return reader_name_foreign(r, &why, got, load);
}
