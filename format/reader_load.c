#include "reader_parts.h"

#include <string.h>

#include "crc32c.h"
#include "frame.h"
#include "index.h"

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
        return reader_flaw(r, load, READER_TORN, TT_TRUNCATED, "the file ends %zu bytes into its header", got);
    return reader_flaw(r, load, READER_DAMAGED, TT_MALFORMED, "the last %zu bytes of the file are no BLOCK header",
                       got);
}

static enum load_result check_lengths(const struct reader *r, const struct block_header *h, struct load *load)
{
    if (h->packed_bytes > TAPE_MAX_PACKED_BLOCK_BYTES || h->raw_bytes > TAPE_MAX_RAW_BLOCK_BYTES || !h->raw_bytes ||
        !h->records || h->records > h->raw_bytes)
        return reader_flaw(r, load, READER_DAMAGED, TT_LIMIT,
                           "%u compressed bytes, %u raw bytes and %u records cannot be", (unsigned)h->packed_bytes,
                           (unsigned)h->raw_bytes, (unsigned)h->records);
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
        return reader_flaw(r, load, READER_TORN, TT_TRUNCATED, "the file ends %zu bytes into its %u compressed bytes",
                           got, (unsigned)h->packed_bytes);
    uint32_t computed = crc32c(packed, got);
    if (got == h->packed_bytes && computed == h->packed_crc)
        return LOAD_BLOCK;
    tt_fail(&load->error, TT_CRC, r->offset, "CRC32C differs (stored 0x%08x, computed 0x%08x)", (unsigned)h->packed_crc,
            (unsigned)computed);
    return reader_name_foreign(r, BLOCK_HEADER_BYTES + (uint64_t)h->packed_bytes, load);
}

static enum load_result unpack(struct reader *r, const struct block_header *h, struct load *load)
{
    if (zframe_unpack(r->unpacker, tt_view_of(r->frame + BLOCK_HEADER_BYTES, h->packed_bytes), h->raw_bytes, r->raw,
                      TAPE_MAX_RAW_BLOCK_BYTES, &load->error) == TT_OK)
        return LOAD_BLOCK;
    return reader_flaw_here(r, load, READER_DAMAGED);
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
    report->block_bytes += BLOCK_HEADER_BYTES + (uint64_t)h->packed_bytes;
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
        tt_wrap(&load->error, "written by tape version %u.%u", r->file.major, r->file.minor);
        return reader_fail_here(r, load);
    }
    if (st != TT_OK)
        return reader_name_foreign(r, BLOCK_HEADER_BYTES, load);
    enum load_result result = reader_check_place(r, h, load);
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
    if (got == BLOCK_HEADER_BYTES)
        return load_block(r, load);
    return r->report.has_end ? reader_name_foreign(r, got, load) : load_short_header(r, got, load);
}
