#include "verify.h"

#include <stdio.h>

#include "json_put.h"

static enum tt_status read_all(struct reader *reader, struct verify_report *out, struct tt_error *err)
{
    struct tape_record rec;
    enum tt_status st;
    while ((st = reader_next(reader, &rec, err)) == TT_OK) {
        out->requests += rec.kind == TAPE_DONE;
        if (rec.kind == TAPE_END && rec.u.end.reason.p)
            snprintf(out->end_reason, sizeof out->end_reason, "%.*s",
                     (int)(rec.u.end.reason.n < 24 ? rec.u.end.reason.n : 23), (const char *)rec.u.end.reason.p);
    }
    return st == TT_END ? TT_OK : st;
}

enum tt_status verify_tape(const char *path, const struct reader_options *options, struct verify_report *out,
                           struct tt_error *err)
{
    struct reader *reader;
    *out = (struct verify_report){.head_was_given = options->expected_head != NULL};
    enum tt_status st = reader_open(&reader, path, options, err);
    if (st != TT_OK)
        return st;
    st = read_all(reader, out, err);
    out->tape = *reader_report(reader);
    reader_free(reader);
    if (st == TT_OK && options->mode == READER_STRICT && out->tape.state != READER_COMPLETE)
        st = tt_fail(err, TT_TRUNCATED, out->tape.accepted_bytes, "the tape is %s, which strict mode refuses",
                     reader_state_name(out->tape.state));
    return st;
}

uint64_t verify_sound_bytes(const struct reader_report *t)
{
    return t->header_bytes + t->block_bytes + t->index_bytes;
}

double verify_compression(const struct reader_report *t)
{
    return t->compressed_bytes ? (double)t->raw_bytes / (double)t->compressed_bytes : 0;
}

uint64_t verify_span_ns(const struct reader_report *t)
{
    return t->first_time_ns == TAPE_NONE ? TAPE_NONE : t->last_time_ns - t->first_time_ns;
}

static void put_u64(struct json_out *o, const char *key, uint64_t v)
{
    json_put_opt_u64(o, key, (struct opt_u64){v != TAPE_NONE, v});
}

static void put_hex(struct json_out *o, const char *key, const uint8_t *bytes, size_t n)
{
    char text[65] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    json_put_text(o, key, text);
}

static void put_flaw(struct json_out *o, const struct tt_error *flaw)
{
    char cause[sizeof flaw->line];
    json_out_key(o, "flaw");
    if (flaw->code == TT_OK) {
        json_out_null(o);
        return;
    }
    json_out_object(o);
    json_out_key(o, "causes");
    json_out_array(o);
    for (unsigned i = 0; i <= flaw->wraps; i++) {
        tt_cause(flaw, i, cause);
        json_out_cstring(o, cause);
    }
    json_out_array_end(o);
    json_put_text(o, "code", tt_status_name(flaw->code));
    json_put_text(o, "line", flaw->line);
    put_u64(o, "offset", flaw->offset);
    json_out_object_end(o);
}

static void put_head(struct json_out *o, const struct verify_report *v)
{
    const struct reader_report *t = &v->tape;
    put_hex(o, "head", t->head, sizeof t->head);
    json_put_bool(o, "head_compared", t->head_compared);
    json_put_text(o, "head_source", v->head_was_given ? "given" : t->head_known ? "file" : NULL);
}

void verify_write_json(struct json_out *o, const struct verify_report *v)
{
    const struct reader_report *t = &v->tape;
    char version[16];
    snprintf(version, sizeof version, "%u.%u", t->major, t->minor);
    json_out_object(o);
    put_u64(o, "accepted_bytes", t->accepted_bytes);
    put_u64(o, "base_unix_ns", t->base_realtime_ns);
    put_u64(o, "block_bytes", t->block_bytes);
    put_u64(o, "blocks", t->blocks);
    put_u64(o, "compressed_bytes", t->compressed_bytes);
    json_put_opt_double(o, "compression", (struct opt_double){t->compressed_bytes > 0, verify_compression(t)});
    json_put_text(o, "end_reason", v->end_reason[0] ? v->end_reason : NULL);
    put_u64(o, "file_bytes", t->file_bytes);
    put_u64(o, "first_time_ns", t->first_time_ns);
    put_flaw(o, &t->flaw);
    json_put_text(o, "format_version", version);
    put_u64(o, "gap_bytes", t->gap_bytes);
    put_u64(o, "gaps", t->gaps);
    put_head(o, v);
    put_u64(o, "header_bytes", t->header_bytes);
    put_hex(o, "id", t->tape_id, sizeof t->tape_id);
    put_u64(o, "index_bytes", t->index_bytes);
    put_u64(o, "last_time_ns", t->last_time_ns);
    put_u64(o, "raw_bytes", t->raw_bytes);
    put_u64(o, "records", t->records);
    put_u64(o, "requests_done", v->requests);
    put_u64(o, "span_ns", verify_span_ns(t));
    json_put_text(o, "state", reader_state_name(t->state));
    put_u64(o, "unknown_records", t->unknown_records);
    json_out_object_end(o);
    json_out_newline(o);
}
