/* What a request meets, as steps, for pairs of tapes: one to which a reason applies, one to which it just does not. */
#ifndef REASON_PAIRS_H
#define REASON_PAIRS_H

#include "analyzer_tapes.h"

enum step_kind {
    STEP_END,   /* of the list */
    STEP_FAULT, /* its body could not be built; must be the first */
    STEP_START,
    STEP_CONN,
    STEP_SENT,     /* number: bytes; text: it waited for the socket, so its time is not the client's own */
    STEP_HEAD,     /* text: status line, text2: one more header as "name value", or NULL */
    STEP_TYPED,    /* as HEAD, with text2 in place of the content type; "": none at all */
    STEP_READ,     /* text */
    STEP_CHARS,    /* a content delta that makes the visible text `number` characters, the marker included */
    STEP_PIECES,   /* `number` reads of 60,000 bytes that are no whole event */
    STEP_DONE,     /* number: libcurl's code, text: reason, text2: libcurl's words */
    STEP_RESOLVED, /* as DONE, of a call whose name was resolved */
    STEP_LOST      /* number: the request that lost reads */
};

struct step {
    enum step_kind kind;
    uint64_t ms;
    const char *text, *text2;
    uint64_t number;
};

#define STEPS 12

static inline void put_step_head(struct maker *m, const struct step *s)
{
    const char *headers[8] = {NULL};
    char name[64] = "";
    size_t n = 0;
    if (s->kind == STEP_HEAD) {
        headers[n++] = "content-type";
        headers[n++] = "text/event-stream";
    }
    for (const char *text = s->text2; text && *text; text = NULL) {
        size_t at = strcspn(text, " ");
        snprintf(name, sizeof name, "%.*s", (int)at, text);
        headers[n++] = name;
        headers[n++] = text + at + 1;
    }
    put_head_with(m, 0, s->ms, s->text, headers);
}

static inline void put_step_chars(struct maker *m, const struct step *s)
{
    char *text = calloc(1, s->number + 200);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, 100, "data: {\"choices\":[{\"delta\":{\"content\":\"");
    size_t marker = (size_t)snprintf(text + n, 100, "ANVIL_REQ_0_00000 ");
    memset(text + n + marker, 'x', s->number - marker);
    snprintf(text + n + s->number, 100, "\"}}]}\n\n");
    put_read(m, 0, s->ms, text);
    free(text);
}

static inline void put_step_pieces(struct maker *m, const struct step *s)
{
    enum { PIECE = 60000 };
    char *text = calloc(1, PIECE + 1);
    assert_non_null(text);
    memset(text, 'x', PIECE);
    put_read(m, 0, s->ms, "data: ");
    for (uint64_t i = 0; i < s->number; i++)
        put_read(m, 0, s->ms, text);
    free(text);
}

static inline void put_step_done(struct maker *m, const struct step *s)
{
    struct tape_record rec = {.kind = TAPE_DONE};
    rec.u.done.time_ns = s->ms * MS;
    rec.u.done.curl_code = s->number;
    rec.u.done.reason = tt_view_str(s->text);
    rec.u.done.error = tt_view_str(s->text2);
    rec.u.done.timers.namelookup_us = s->kind == STEP_RESOLVED ? 100 : 0;
    put(m, &rec);
}

static inline void put_step(struct maker *m, const struct step *s)
{
    struct tape_record rec = {.kind = TAPE_SEND};
    switch (s->kind) {
    case STEP_START:
        put_start(m, 0, s->ms);
        break;
    case STEP_CONN:
        put_conn(m, 0, s->ms);
        break;
    case STEP_SENT:
        rec.u.send.first_ns = rec.u.send.last_ns = s->ms * MS;
        rec.u.send.bytes = s->number;
        rec.u.send.waited_us = s->text ? s->ms * 1000 : 0;
        put(m, &rec);
        break;
    case STEP_HEAD:
    case STEP_TYPED:
        put_step_head(m, s);
        break;
    case STEP_READ:
        put_read(m, 0, s->ms, s->text);
        break;
    case STEP_CHARS:
        put_step_chars(m, s);
        break;
    case STEP_PIECES:
        put_step_pieces(m, s);
        break;
    case STEP_DONE:
    case STEP_RESOLVED:
        put_step_done(m, s);
        break;
    case STEP_LOST:
        put_lost(m, s->ms, s->number);
        break;
    case STEP_FAULT:
    case STEP_END:
        break;
    }
}

/* A tape of two requests: of the first these steps, of the second nothing. */
static inline void put_steps(const char *path, const struct maker_options *options, const struct step *steps)
{
    bool fault = steps[0].kind == STEP_FAULT;
    struct maker_options o = *options;
    o.requests = 2;
    struct maker m = maker_begin(path, &o, !fault);
    if (fault) {
        struct tape_record rec = {.kind = TAPE_PLAN};
        rec.u.plan.context_tokens = 1000;
        rec.u.plan.fault = tt_view_str("the prompt is too short");
        rec.u.plan.intended_start_ns = TAPE_NONE;
        put(&m, &rec);
        put_plan(&m, 1);
        put_event(&m, 1, "run_start");
    }
    for (size_t i = 0; i < STEPS && steps[i].kind != STEP_END; i++)
        put_step(&m, &steps[i]);
    maker_finish(&m, 2000);
}

#endif
