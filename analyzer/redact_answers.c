#include "redact_answers.h"

#include <stdlib.h>
#include <string.h>

#include "redact_body.h"
#include "stream_parts.h"

struct answers {
    const struct run *run;
    struct redact_body_rules rules;
    struct redact_spool *spool;
    size_t held_bytes, held_marker_chars, count;
    struct redact_body **bodies; /* by request number */
    struct tt_error *err;
};

static enum tt_status no_memory(struct answers *a)
{
    return tt_fail(a->err, TT_NOMEM, TT_NO_OFFSET, "out of memory for the answers in flight");
}

static struct redact_body **body_of(struct answers *a, uint64_t request)
{
    return request < a->count ? &a->bodies[request] : NULL;
}

/* The analyzer's own reading of the head decides how the body is taken apart. */
static enum tt_status take_head(struct answers *a, const struct tape_record *rec)
{
    struct redact_body **body = body_of(a, rec->u.head.request);
    struct stream_options options = {.endpoint = STREAM_CHAT};
    if (!body || *body)
        return TT_OK;
    struct stream *s = stream_create(&options);
    if (!s)
        return no_memory(a);
    enum tt_status st = stream_head(s, rec->u.head.time_ns, rec->u.head.status_line, rec->u.head.headers);
    if (st == TT_OK && s->facts->head_seen) { /* an interim answer is none */
        *body = redact_body_create(&a->rules, s->framing, s->readable, s->facts->compressed);
        if (!*body)
            st = no_memory(a);
    }
    stream_free(s);
    return st;
}

static enum tt_status take_read(struct answers *a, const struct tape_record *rec)
{
    struct redact_body **body = body_of(a, rec->u.read.request);
    struct tt_view bytes = rec->u.read.bytes;
    if (!body || bytes.n > a->spool->n - a->spool->used)
        return tt_fail(a->err, TT_MALFORMED, TT_NO_OFFSET, "the tape changed while it was read");
    if (!*body) { /* without a head */
        struct dechunk framing;
        dechunk_begin(&framing, BODY_CLOSE, 0);
        *body = redact_body_create(&a->rules, framing, true, false);
    }
    if (!*body || redact_body_read(*body, bytes, a->spool->bytes + a->spool->used) != TT_OK)
        return no_memory(a);
    redact_spool_used(a->spool, bytes.n);
    return TT_OK;
}

static void end_answer(struct redact_body **body)
{
    if (!body || !*body)
        return;
    redact_body_end(*body);
    redact_body_free(*body);
    *body = NULL;
}

static enum tt_status take_record(struct answers *a, const struct tape_record *rec)
{
    if (rec->kind == TAPE_HEAD)
        return take_head(a, rec);
    if (rec->kind == TAPE_READ)
        return take_read(a, rec);
    if (rec->kind == TAPE_DONE)
        end_answer(body_of(a, rec->u.done.request));
    return TT_OK;
}

static enum tt_status take_all(struct answers *a, struct reader *reader)
{
    struct tape_record rec;
    enum tt_status st;
    while ((st = reader_next(reader, &rec, a->err)) == TT_OK)
        if ((st = take_record(a, &rec)) != TT_OK)
            return st;
    return st == TT_END ? TT_OK : st;
}

enum tt_status redact_answers(const char *path, const struct run *run, bool structure,
                              const struct reader_options *options, struct redact_spool *spool, struct tt_error *err)
{
    struct answers a = {.run = run, .spool = spool, .count = run->count + run->warmup_count, .err = err};
    struct reader *reader = NULL;
    a.rules = (struct redact_body_rules){.structure = structure,
                                         .markers = run->options.request_canaries,
                                         .code_words = run->options.response_words > 0,
                                         .held_bytes = &a.held_bytes,
                                         .held_marker_chars = &a.held_marker_chars};
    a.bodies = calloc(a.count ? a.count : 1, sizeof(struct redact_body *));
    enum tt_status st = a.bodies ? reader_open(&reader, path, options, err) : no_memory(&a);
    if (st == TT_OK)
        st = take_all(&a, reader);
    for (size_t i = 0; a.bodies && i < a.count; i++)
        end_answer(&a.bodies[i]);
    free(a.bodies);
    reader_free(reader);
    return st;
}
