#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool has_head_file(const char *path)
{
    size_t n = strlen(path) + sizeof ".head";
    char *name = malloc(n);
    if (!name)
        return false;
    snprintf(name, n, "%s.head", path);
    bool found = access(name, F_OK) == 0;
    free(name);
    return found;
}

enum tt_status verify_tape(const char *path, const struct reader_options *options, struct verify_report *out,
                           struct tt_error *err)
{
    struct reader *reader;
    *out = (struct verify_report){.head_source = VERIFY_HEAD_NONE};
    enum tt_status st = reader_open(&reader, path, options, err);
    if (st != TT_OK)
        return st;
    st = read_all(reader, out, err);
    out->tape = *reader_report(reader);
    if (options->expected_head)
        out->head_source = VERIFY_HEAD_GIVEN;
    else if (!options->ignore_head_file && has_head_file(path))
        out->head_source = VERIFY_HEAD_FILE;
    reader_free(reader);
    if (st == TT_OK && options->mode == READER_STRICT && out->tape.state != READER_COMPLETE)
        st = tt_fail(err, TT_TRUNCATED, out->tape.accepted_bytes, "the tape is %s, which strict mode refuses",
                     reader_state_name(out->tape.state));
    return st;
}

static void put_u64(struct json_out *o, const char *key, uint64_t v)
{
    json_out_key(o, key);
    if (v == TAPE_NONE)
        json_out_null(o);
    else
        json_out_u64(o, v);
}

static void put_hex(struct json_out *o, const char *key, const uint8_t *bytes, size_t n)
{
    char text[65] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    json_out_key(o, key);
    json_out_cstring(o, text);
}

static void put_text(struct json_out *o, const char *key, const char *text)
{
    json_out_key(o, key);
    json_out_cstring(o, text);
}

void verify_write_json(struct json_out *o, const struct verify_report *v)
{
    static const char *const sources[] = {
        [VERIFY_HEAD_NONE] = NULL, [VERIFY_HEAD_FILE] = "file", [VERIFY_HEAD_GIVEN] = "given"};
    const struct reader_report *t = &v->tape;
    char version[16];
    snprintf(version, sizeof version, "%u.%u", t->major, t->minor);
    json_out_object(o);
    put_u64(o, "accepted_bytes", t->accepted_bytes);
    put_u64(o, "blocks", t->blocks);
    put_text(o, "end_reason", v->end_reason[0] ? v->end_reason : NULL);
    put_u64(o, "file_bytes", t->file_bytes);
    put_text(o, "flaw", t->flaw.code == TT_OK ? NULL : t->flaw.line);
    put_u64(o, "flaw_offset", t->flaw.code == TT_OK ? TAPE_NONE : t->flaw.offset);
    put_text(o, "format_version", version);
    put_u64(o, "gap_bytes", t->gap_bytes);
    put_u64(o, "gaps", t->gaps);
    put_hex(o, "head", t->head, sizeof t->head);
    put_text(o, "head_compared_with", sources[v->head_source]);
    put_hex(o, "id", t->tape_id, sizeof t->tape_id);
    put_u64(o, "raw_bytes", t->raw_bytes);
    put_u64(o, "records", t->records);
    put_u64(o, "requests_done", v->requests);
    put_text(o, "state", reader_state_name(t->state));
    put_u64(o, "unknown_records", t->unknown_records);
    json_out_object_end(o);
    json_out_newline(o);
}
