#include <stdio.h>

#include "number.h"
#include "utc.h"
#include "verify.h"

static enum tt_status write_flaw(struct output *o, const struct tt_error *flaw, struct tt_error *err)
{
    char cause[sizeof flaw->line], at[NUMBER_BYTES];
    enum tt_status st = output_printf(o, err, "flaw     at byte %s\n", number_u64(flaw->offset, at));
    for (unsigned i = 0; i <= flaw->wraps && st == TT_OK; i++) {
        tt_cause(flaw, i, cause);
        st = output_printf(o, err, "         %s%s\n", i ? "\xe2\x86\x90 " : "", cause);
    }
    return st;
}

static enum tt_status write_blocks(struct output *o, const struct verify_report *v, struct tt_error *err)
{
    const struct reader_report *t = &v->tape;
    char blocks[NUMBER_BYTES], records[NUMBER_BYTES], unknown[NUMBER_BYTES], requests[NUMBER_BYTES];
    enum tt_status st = output_printf(o, err, "blocks   %s, holding %s records", number_u64(t->blocks, blocks),
                                      number_u64(t->records, records));
    if (st == TT_OK && t->unknown_records > 0)
        st = output_printf(o, err, " (%s of kinds not known here)", number_u64(t->unknown_records, unknown));
    if (st == TT_OK)
        st = output_printf(o, err, "; %s requests done\n", number_u64(v->requests, requests));
    return st;
}

static enum tt_status write_times(struct output *o, const struct reader_report *t, struct tt_error *err)
{
    char span[NUMBER_BYTES], start[UTC_BYTES];
    uint64_t span_ns = verify_span_ns(t);
    if (span_ns == TAPE_NONE)
        return output_printf(o, err, "time     no record has one\n");
    utc_format(t->base_realtime_ns, start);
    return output_printf(o, err, "time     %s s, from %s\n", number_double((double)span_ns / 1e9, 3, span), start);
}

/* Where all bytes of the file are; what is neither sound nor in a gap was not read. */
static enum tt_status write_bytes(struct output *o, const struct reader_report *t, struct tt_error *err)
{
    char all[NUMBER_BYTES], header[NUMBER_BYTES], blocks[NUMBER_BYTES], part[NUMBER_BYTES], gaps[NUMBER_BYTES];
    uint64_t known = verify_sound_bytes(t) + t->gap_bytes;
    enum tt_status st = output_printf(o, err, "bytes    %s: FILE %s, blocks %s", number_u64(t->file_bytes, all),
                                      number_u64(t->header_bytes, header), number_u64(t->block_bytes, blocks));
    if (st == TT_OK && t->index_bytes > 0)
        st = output_printf(o, err, ", INDEX %s", number_u64(t->index_bytes, part));
    if (st == TT_OK && t->gaps > 0)
        st = output_printf(o, err, ", %s gaps %s", number_u64(t->gaps, gaps), number_u64(t->gap_bytes, part));
    if (st == TT_OK && t->file_bytes > known)
        st = output_printf(o, err, ", not accepted %s", number_u64(t->file_bytes - known, part));
    return st == TT_OK ? output_printf(o, err, "\n") : st;
}

static enum tt_status write_compression(struct output *o, const struct reader_report *t, struct tt_error *err)
{
    char raw[NUMBER_BYTES], ratio[NUMBER_BYTES], packed[NUMBER_BYTES];
    return output_printf(o, err, "packed   %s bytes in %s: %s x\n", number_u64(t->raw_bytes, raw),
                         number_u64(t->compressed_bytes, packed), number_double(verify_compression(t), 1, ratio));
}

static enum tt_status write_head(struct output *o, const struct verify_report *v, struct tt_error *err)
{
    const struct reader_report *t = &v->tape;
    const char *source = v->head_was_given ? "the one given" : "the one in the head file";
    char head[65] = "";
    for (size_t i = 0; i < sizeof t->head; i++)
        snprintf(head + 2 * i, 3, "%02x", t->head[i]);
    enum tt_status st = output_printf(o, err, "head     %s\n", head);
    if (st != TT_OK)
        return st;
    if (!t->head_known)
        return output_printf(o, err, "         no head file and none given to compare it with\n");
    if (!t->head_compared)
        return output_printf(o, err, "         not compared with %s\n", source);
    bool equal = t->state == READER_COMPLETE || t->state == READER_TORN;
    return output_printf(o, err, "         %s %s\n", equal ? "is" : "is not", source);
}

enum tt_status verify_write_text(struct output *o, const struct verify_report *v, struct tt_error *err)
{
    const struct reader_report *t = &v->tape;
    enum tt_status st = output_printf(o, err, "%s\n", reader_state_name(t->state));
    if (st == TT_OK && t->flaw.code != TT_OK)
        st = write_flaw(o, &t->flaw, err);
    if (st == TT_OK && v->end_reason[0])
        st = output_printf(o, err, "run      ended: %s\n", v->end_reason);
    if (st == TT_OK)
        st = write_blocks(o, v, err);
    if (st == TT_OK)
        st = write_times(o, t, err);
    if (st == TT_OK)
        st = write_bytes(o, t, err);
    if (st == TT_OK && t->blocks > 0)
        st = write_compression(o, t, err);
    return st == TT_OK ? write_head(o, v, err) : st;
}
