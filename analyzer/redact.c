#include "redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../format/chain.h"
#include "../format/pack.h"
#include "../format/writer.h"
#include "redact_answers.h"
#include "redact_place.h"

struct copying {
    const struct run *run;
    enum redact_level level;
    struct redact_spool spool;
    struct reader *reader;
    struct writer *writer;
    struct pack scratch; /* headers in the making */
    uint8_t *text[2];    /* blurred copies: of one record at most two at a time */
    size_t room[2];
    char rules[96];
    struct redact_report *report;
    bool *input;
    struct tt_error *err;
};

const char *redact_level_name(enum redact_level level)
{
    static const char *const names[] = {
        [REDACT_TIMING] = "timing", [REDACT_STRUCTURE] = "structure", [REDACT_ALL_BUT_PROMPTS] = "all-but-prompts"};
    return names[level];
}

static enum tt_status no_memory(struct copying *c)
{
    return tt_fail(c->err, TT_NOMEM, TT_NO_OFFSET, "out of memory for a record");
}

/* A copy of *v that is blurred from a byte on, valid until the slot is used again. */
static enum tt_status blur_from(struct copying *c, int slot, struct tt_view *v, size_t from)
{
    if (!v->p || v->n == 0)
        return TT_OK;
    if (v->n > c->room[slot]) {
        uint8_t *grown = realloc(c->text[slot], v->n);
        if (!grown)
            return no_memory(c);
        c->text[slot] = grown;
        c->room[slot] = v->n;
    }
    for (size_t i = 0; i < v->n; i++)
        c->text[slot][i] = i < from ? v->p[i] : redact_blur_byte(v->p[i]);
    *v = tt_view_of(c->text[slot], v->n);
    return TT_OK;
}

static enum tt_status blur(struct copying *c, int slot, struct tt_view *v)
{
    return blur_from(c, slot, v, 0);
}

/* Of "HTTP/1.1 404 No model of that name": the reason is the server's own text. */
static enum tt_status blur_reason(struct copying *c, struct tt_view *status_line)
{
    size_t from = 0;
    for (unsigned words = 0; words < 2 && from < status_line->n; from++)
        words += status_line->p[from] == ' ';
    return blur_from(c, 1, status_line, from);
}

/* A media type frames the body, its parameters do not. */
static size_t framing_length(struct tt_view value)
{
    const uint8_t *parameters = value.n ? memchr(value.p, ';', value.n) : NULL;
    return parameters ? (size_t)(parameters - value.p) : value.n;
}

static bool frames_the_body(struct tt_view name)
{
    static const char *const framing[] = {"content-type", "content-length", "content-encoding", "transfer-encoding",
                                          "retry-after"};
    for (size_t i = 0; i < sizeof framing / sizeof *framing; i++)
        if (name.n == strlen(framing[i]) && strncasecmp((const char *)name.p, framing[i], name.n) == 0)
            return true;
    return false;
}

static enum tt_status count_scalars(struct copying *c, struct tt_view packed, uint32_t *n)
{
    struct tape_scalar value;
    size_t cursor = 0;
    enum tt_status st;
    for (*n = 0; (st = tape_array_next(packed, &cursor, &value, c->err)) == TT_OK; ++*n)
        ;
    return st == TT_END ? TT_OK : st;
}

static enum tt_status blur_headers(struct copying *c, struct tt_view *headers)
{
    struct tape_scalar item;
    struct tt_view name = tt_view_of(NULL, 0);
    size_t cursor = 0;
    uint32_t n;
    enum tt_status st = count_scalars(c, *headers, &n);
    if (st != TT_OK)
        return st;
    pack_reset(&c->scratch);
    pack_array(&c->scratch, n);
    for (uint32_t i = 0; i < n; i++) {
        st = tape_array_next(*headers, &cursor, &item, c->err);
        if (st == TT_OK && i % 2 == 0)
            name = item.text;
        else if (st == TT_OK)
            st = blur_from(c, 0, &item.text, frames_the_body(name) ? framing_length(item.text) : 0);
        if (st != TT_OK)
            return st;
        pack_str(&c->scratch, item.text);
    }
    *headers = tt_view_of(c->scratch.bytes, c->scratch.len);
    return c->scratch.failed ? no_memory(c) : TT_OK;
}

static enum tt_status redact_read(struct copying *c, struct tt_view *bytes)
{
    if (bytes->n > c->spool.n - c->spool.used)
        return tt_fail(c->err, TT_MALFORMED, TT_NO_OFFSET, "the tape changed while it was read");
    *bytes = tt_view_of(bytes->n ? c->spool.bytes + c->spool.used : bytes->p, bytes->n);
    redact_spool_used(&c->spool, bytes->n);
    return TT_OK;
}

/* What texts the level takes out of one record. */
static enum tt_status redact_record(struct copying *c, struct tape_record *rec)
{
    bool answers = c->level != REDACT_ALL_BUT_PROMPTS;
    enum tt_status st = TT_OK;
    switch (rec->kind) {
    case TAPE_READ:
        return answers ? redact_read(c, &rec->u.read.bytes) : TT_OK;
    case TAPE_HEAD:
        if (c->level != REDACT_TIMING)
            return TT_OK;
        st = blur_reason(c, &rec->u.head.status_line);
        return st == TT_OK ? blur_headers(c, &rec->u.head.headers) : st;
    case TAPE_DONE:
        return answers ? blur(c, 0, &rec->u.done.error) : TT_OK;
    case TAPE_BLOB:
        rec->u.blob.bytes = tt_view_of(NULL, 0);
        return TT_OK;
    case TAPE_SAMPLE:
        if (answers)
            st = blur(c, 0, &rec->u.sample.bytes);
        return answers && st == TT_OK ? blur(c, 1, &rec->u.sample.error) : st;
    default:
        return TT_OK;
    }
}

/* The writer writes SCHEMA itself. Of a prompt in pieces one is left, without bytes. */
static bool is_left_out(struct copying *c, const struct tape_record *rec)
{
    bool unknown = rec->kind >= 128;
    c->report->unknown_records += unknown;
    return unknown || rec->kind == TAPE_SCHEMA || (rec->kind == TAPE_BLOB && rec->u.blob.offset_bytes > 0);
}

static enum tt_status append(struct copying *c, const struct tape_record *rec)
{
    *c->input = false;
    enum tt_status st = writer_append(c->writer, rec, 0, c->err);
    *c->input = st == TT_OK;
    c->report->records += st == TT_OK;
    return st;
}

/* Behind RUN, which comes first, that of the copied tape; an ORIGIN that the tape had itself stays, further on. */
static enum tt_status append_origin(struct copying *c)
{
    struct tape_record rec = {.kind = TAPE_ORIGIN};
    rec.u.origin.head_sha256 = tt_view_of(c->run->tape.head, sizeof c->run->tape.head);
    rec.u.origin.rules = tt_view_str(c->rules);
    return append(c, &rec);
}

static enum tt_status copy_all(struct copying *c)
{
    struct tape_record rec;
    enum tt_status st;
    *c->input = true;
    while ((st = reader_next(c->reader, &rec, c->err)) == TT_OK) {
        if (is_left_out(c, &rec))
            continue;
        st = redact_record(c, &rec);
        if (st == TT_OK)
            st = append(c, &rec);
        if (st == TT_OK && rec.kind == TAPE_RUN)
            st = append_origin(c);
        if (st != TT_OK)
            return st;
    }
    return st == TT_END ? TT_OK : st;
}

/* A tape that was not closed gives a copy that was not closed either. */
static enum tt_status close_copy(struct copying *c)
{
    *c->input = false;
    bool closed = reader_report(c->reader)->has_end;
    enum tt_status st = closed ? writer_finish(c->writer, 0, c->err) : writer_sync(c->writer, 0, c->err);
    c->report->bytes = writer_bytes(c->writer);
    if (closed)
        writer_head(c->writer, c->report->head);
    return st;
}

/* From the original's head and the rules alone, so that a second copy is the same. */
static enum tt_status choose_id(struct copying *c, uint8_t id[16])
{
    uint8_t hash[CHAIN_HASH_BYTES];
    struct chain *chain = NULL;
    enum tt_status st = chain_create(&chain, c->err);
    if (st == TT_OK)
        st = chain_begin(chain, c->err);
    if (st == TT_OK)
        st = chain_add(chain, c->run->tape.head, sizeof c->run->tape.head, c->err);
    if (st == TT_OK)
        st = chain_add(chain, c->rules, strlen(c->rules), c->err);
    if (st == TT_OK)
        st = chain_end(chain, hash, c->err);
    if (st == TT_OK)
        memcpy(id, hash, 16);
    chain_free(chain);
    return st;
}

static enum tt_status create_copy(struct copying *c, const char *to)
{
    struct writer_options options = {.base_monotonic_ns = c->run->tape.base_monotonic_ns,
                                     .base_realtime_ns = c->run->tape.base_realtime_ns};
    enum tt_status st = choose_id(c, options.tape_id);
    return st == TT_OK ? writer_create(&c->writer, to, &options, c->err) : st;
}

static enum tt_status redact_spooled(struct copying *c, const char *path, const char *to,
                                     const struct reader_options *options)
{
    enum tt_status st = TT_OK;
    if (c->level != REDACT_ALL_BUT_PROMPTS) {
        st = redact_spool_open(&c->spool, to, c->run->read_bytes, c->err);
        *c->input = st == TT_OK;
        if (st == TT_OK)
            st = redact_answers(path, c->run, c->level == REDACT_STRUCTURE, options, &c->spool, c->err);
        redact_spool_rewind(&c->spool);
    }
    if (st == TT_OK)
        st = reader_open(&c->reader, path, options, c->err);
    if (st == TT_OK)
        st = copy_all(c);
    return st == TT_OK ? close_copy(c) : st;
}

enum tt_status redact_tape(const char *path, const struct run *run, enum redact_level level, const char *to,
                           const struct reader_options *options, struct redact_report *report, bool *input,
                           struct tt_error *err)
{
    struct copying c = {.run = run, .level = level, .report = report, .input = input, .err = err};
    *report = (struct redact_report){.records = 0};
    *input = false;
    snprintf(c.rules, sizeof c.rules, "tokentape-analyze %s redact --keep %s", TOKENTAPE_VERSION,
             redact_level_name(level));
    enum tt_status st = create_copy(&c, to); /* first: a name that is taken costs no reading */
    bool created = st == TT_OK;
    if (created)
        st = redact_spooled(&c, path, to, options);
    writer_free(c.writer);
    reader_free(c.reader);
    redact_spool_close(&c.spool);
    pack_free(&c.scratch);
    free(c.text[0]);
    free(c.text[1]);
    if (created && st != TT_OK)
        unlink(to);
    return st;
}
