#include "reader_parts.h"

struct tally {
    uint32_t records;
    uint64_t least_time_ns, greatest_time_ns;
};

static void tally_record(struct reader *r, struct tally *tally, const struct tape_record *rec)
{
    tally->records++;
    r->unknown_in_block += record_kind_name(rec->kind) == NULL || rec->kind == TAPE_SIGN;
    r->end_in_block = rec->kind == TAPE_END;
    uint64_t time_ns = record_time(rec);
    if (time_ns == TAPE_NONE)
        return;
    if (tally->least_time_ns == TAPE_NONE || time_ns < tally->least_time_ns)
        tally->least_time_ns = time_ns;
    if (tally->greatest_time_ns == TAPE_NONE || time_ns > tally->greatest_time_ns)
        tally->greatest_time_ns = time_ns;
}

/* A record that cannot be read under CRCs that hold was written that way. */
static enum load_result bad_record(const struct reader *r, uint32_t ordinal, struct load *load)
{
    if (load->error.code == TT_VERSION)
        tt_wrap(&load->error, "written by tape version %u.%u", r->file.major, r->file.minor);
    tt_wrap(&load->error, "record %u", (unsigned)ordinal);
    return load->error.code == TT_VERSION ? reader_fail_here(r, load) : reader_flaw_here(r, load, READER_EDITED);
}

enum load_result reader_check_records(struct reader *r, struct load *load)
{
    const struct block_header *h = &r->block;
    struct tally tally = {0, TAPE_NONE, TAPE_NONE};
    r->unknown_in_block = 0;
    r->end_in_block = false;
    for (size_t at = 0, used; at < h->raw_bytes; at += used) {
        struct tape_record rec;
        if (r->end_in_block)
            return reader_flaw(r, load, READER_EDITED, TT_MALFORMED, "a record stands behind END");
        if (record_decode(tt_view_of(r->raw + at, h->raw_bytes - at), &rec, &used, &load->error) != TT_OK)
            return bad_record(r, tally.records, load);
        tally_record(r, &tally, &rec);
    }
    if (tally.records != h->records)
        return reader_flaw(r, load, READER_EDITED, TT_MALFORMED, "it holds %u records, its header says %u",
                           (unsigned)tally.records, (unsigned)h->records);
    if (tally.least_time_ns != h->least_time_ns || tally.greatest_time_ns != h->greatest_time_ns)
        return reader_flaw(r, load, READER_EDITED, TT_MALFORMED, "times of its records contradict its header");
    return LOAD_BLOCK;
}
