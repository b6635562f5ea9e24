/* Plays an answer on a connection: each step is one write() of its own unless
 * the script joins steps, and every wait counts from script time, not from the
 * moment the last step got through, so that delays do not add up. */
#include "conn.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define WRITES_PER_TURN 64 /* then the other connections have theirs */

struct context {
    struct conn *c;
    uint64_t words;
    double chars_per_token;
    unsigned writes;
};

static void note_write(struct conn *c, uint64_t now_ns)
{
    enum label label = c->out_label;
    if (c->write_count++ == 0)
        c->first_write_ns = now_ns;
    c->last_write_ns = now_ns;
    c->written_bytes += c->out.n;
    if (label == LABEL_REASONING && !c->first_reasoning_ns)
        c->first_reasoning_ns = now_ns;
    if (label == LABEL_CONTENT && !c->first_content_ns)
        c->first_content_ns = now_ns;
    if (label == LABEL_DONE)
        c->done_ns = now_ns;
    if (c->note_count < c->note_cap)
        c->notes[c->note_count++] = (struct write_note){now_ns, 0, (uint32_t)c->out.n, (uint32_t)label};
}

/* By then the bytes of a write over loopback are in the peer's socket: what came before is this server's delay. */
static void note_written(struct conn *c, size_t notes_before)
{
    if (c->note_count > notes_before)
        c->notes[c->note_count - 1].written_ns = mock_now_ns();
}

/* Writes what is left of the output. False: the socket takes no more now. A fault of the peer's side counts as
 * written: the event loop learns of it by itself. */
static bool push(struct conn *c)
{
    while (c->out_sent < c->out.n) {
        ssize_t n = send(c->fd, c->out.p + c->out_sent, c->out.n - c->out_sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (n < 0)
            break;
        c->out_sent += (size_t)n;
    }
    c->out.n = c->out_sent = 0;
    c->out_label = LABEL_OTHER;
    return true;
}

/* One edge: stamps are filled in and the bytes go out in one write(). */
static bool flush(struct context *x)
{
    struct conn *c = x->c;
    if (c->out.n == 0)
        return true;
    uint64_t now = mock_now_ns();
    stamps_patch(&c->stamps, c->out.p, now);
    size_t notes = c->note_count;
    note_write(c, now);
    x->writes++;
    c->play.blocked = !push(c);
    note_written(c, notes);
    return !c->play.blocked;
}

static struct values values_of(const struct context *x)
{
    const struct conn *c = x->c;
    const struct play *p = &c->play;
    return (struct values){
        .i = p->depth ? p->loops[p->depth - 1].i : 0,
        .n = c->ordinal,
        .words = c->request.words ? c->request.words : x->words,
        .prompt_tokens = (uint64_t)((double)c->request.body_bytes / x->chars_per_token),
        .outputs = p->outputs,
        .marker = c->request.marker,
        .index = c->request.index,
        .auth = c->request.auth ? c->request.auth : "",
    };
}

static void render(struct context *x, const struct template *t, struct buffer *out)
{
    struct values v = values_of(x);
    template_render(t, &v, out, &x->c->stamps);
}

static void render_head(struct context *x, const struct step *s)
{
    struct conn *c = x->c;
    struct play *p = &c->play;
    struct buffer body = {0};
    render(x, &s->text, &c->out);
    p->framing = s->framing;
    p->body_length = s->length;
    if (s->framing == FRAMING_BODY) {
        render(x, &s->body, &body);
        c->stamps.n = 0; /* no stamp in a fixed body: its place is not known yet */
        p->body_length = p->body_sent = body.n;
        p->framing = FRAMING_LENGTH;
    }
    if (p->framing == FRAMING_CHUNKED)
        buffer_text(&c->out, "Transfer-Encoding: chunked\r\n");
    if (p->framing == FRAMING_LENGTH)
        buffer_format(&c->out, "Content-Length: %" PRIu64 "\r\n", p->body_length);
    if (p->framing == FRAMING_CLOSE)
        buffer_text(&c->out, "Connection: close\r\n");
    buffer_text(&c->out, "\r\n");
    buffer_append(&c->out, body.p, body.n);
    buffer_free(&body);
}

/* A piece of the body, in a chunk of its own where the head said so. The text is
 * rendered straight into the output; its size goes before it. */
static void render_chunk(struct context *x, const struct step *s)
{
    struct conn *c = x->c;
    char size[20];
    size_t at = c->out.n, first_stamp = c->stamps.n;
    render(x, &s->text, &c->out);
    size_t bytes = c->out.n - at;
    c->play.body_sent += bytes;
    if (c->play.framing != FRAMING_CHUNKED || bytes == 0)
        return;
    size_t lead = (size_t)snprintf(size, sizeof size, "%zx\r\n", bytes);
    buffer_append(&c->out, size, lead); /* room for it */
    memmove(c->out.p + at + lead, c->out.p + at, bytes);
    memcpy(c->out.p + at, size, lead);
    buffer_text(&c->out, "\r\n");
    for (size_t k = first_stamp; k < c->stamps.n; k++)
        c->stamps.at[k] += lead;
}

/* No framing; under a Content-Length it is a part of the body all the same. */
static void render_raw(struct context *x, const struct step *s)
{
    size_t before = x->c->out.n;
    render(x, &s->text, &x->c->out);
    x->c->play.body_sent += x->c->out.n - before;
}

static void render_step(struct context *x, const struct step *s)
{
    struct conn *c = x->c;
    struct play *p = &c->play;
    if (s->label == LABEL_REASONING || s->label == LABEL_CONTENT)
        p->outputs++;
    /* of joined steps the one with most to say names the write */
    if (s->label > c->out_label || c->out.n == 0)
        c->out_label = s->label;
    if (s->kind == STEP_HEAD)
        render_head(x, s);
    else if (s->kind == STEP_CHUNK)
        render_chunk(x, s);
    else if (s->kind == STEP_SEND)
        render_raw(x, s);
    else if (s->kind == STEP_FINISH && p->framing == FRAMING_CHUNKED)
        buffer_text(&c->out, "0\r\n\r\n");
    if (s->kind == STEP_FINISH || (p->framing == FRAMING_LENGTH && p->body_sent >= p->body_length))
        p->finished = true;
}

static void enter_repeat(struct context *x, const struct step *s)
{
    struct play *p = &x->c->play;
    uint64_t count = s->count_words ? values_of(x).words : s->count;
    if (count == 0) {
        p->at = s->end + 1;
        return;
    }
    p->loops[p->depth++] = (struct loop){.at = p->at, .count = count, .start_ns = p->due_ns};
    p->at++;
}

static void leave_repeat(struct play *p)
{
    struct loop *l = &p->loops[p->depth - 1];
    uint64_t every_ns = p->answer->steps[l->at].ns;
    l->i++;
    if (every_ns)
        p->due_ns = l->start_ns + l->i * every_ns;
    if (l->i < l->count) {
        p->at = l->at + 1;
        return;
    }
    p->depth--;
    p->at++;
}

/* The text in body pieces of `cut` bytes, chunk-framed where the head said so: the edges of
 * chunks and of writes have nothing to do with each other. */
static void frame_pieces(struct play *p, const struct step *s, const struct buffer *text)
{
    size_t cut = s->cut ? s->cut : text->n;
    for (size_t at = 0; at < text->n; at += cut) {
        size_t n = text->n - at < cut ? text->n - at : cut;
        if (p->framing == FRAMING_CHUNKED)
            buffer_format(&p->dripping, "%zx\r\n", n);
        buffer_append(&p->dripping, text->p + at, n);
        if (p->framing == FRAMING_CHUNKED)
            buffer_text(&p->dripping, "\r\n");
    }
    if (p->framing == FRAMING_CHUNKED)
        buffer_text(&p->dripping, "0\r\n\r\n");
    p->finished = p->framing != FRAMING_CLOSE;
}

static void start_drip(struct context *x, const struct step *s)
{
    struct play *p = &x->c->play;
    struct buffer text = {0};
    p->dripping.n = 0;
    render(x, &s->text, s->whole_body ? &text : &p->dripping);
    x->c->stamps.n = 0; /* no stamps in drips: their place is not known yet */
    if (s->whole_body)
        frame_pieces(p, s, &text);
    buffer_free(&text);
}

/* The next bytes of a drip; true when all are out. */
static bool drip_bytes(struct context *x, const struct step *s)
{
    struct conn *c = x->c;
    struct play *p = &c->play;
    if (p->dripped == 0)
        start_drip(x, s);
    size_t left = p->dripping.n - p->dripped;
    size_t n = s->count && s->count < left ? (size_t)s->count : left;
    buffer_append(&c->out, p->dripping.p + p->dripped, n);
    p->dripped += n;
    p->due_ns += s->ns;
    if (p->dripped < p->dripping.n)
        return false;
    p->dripped = 0;
    return true;
}

/* Takes one step. Waiting itself is play_run()'s: a step only moves due_ns. */
static enum play_result take_step(struct context *x, const struct step *s)
{
    struct play *p = &x->c->play;
    switch (s->kind) {
    case STEP_REPEAT:
        enter_repeat(x, s);
        return PLAY_WAIT;
    case STEP_END:
        leave_repeat(p);
        return PLAY_WAIT;
    case STEP_WAIT:
        p->due_ns += s->ns;
        break;
    case STEP_JOIN:
        p->joined = true;
        break;
    case STEP_EDGE:
        p->joined = false;
        break;
    case STEP_CLOSE:
        return PLAY_CLOSE;
    case STEP_RESET:
        return PLAY_RESET;
    case STEP_STALL:
        return PLAY_STALL;
    case STEP_DRIP:
        if (!drip_bytes(x, s))
            return PLAY_WAIT;
        break;
    default:
        render_step(x, s);
        break;
    }
    p->at++;
    return PLAY_WAIT;
}

void play_start(struct conn *c, const struct answer *a, uint64_t now_ns)
{
    struct buffer dripping = c->play.dripping;
    c->play = (struct play){.answer = a, .due_ns = now_ns, .dripping = dripping};
    c->write_count = c->first_write_ns = c->last_write_ns = c->written_bytes = 0;
    c->first_reasoning_ns = c->first_content_ns = c->done_ns = 0;
    c->note_count = 0;
}

static enum play_result end_of_answer(const struct conn *c)
{
    return c->play.finished && !c->request.close ? PLAY_END : PLAY_CLOSE;
}

enum play_result play_run(struct conn *c, uint64_t words, double chars_per_token)
{
    struct context x = {.c = c, .words = words, .chars_per_token = chars_per_token};
    struct play *p = &c->play;
    if (p->blocked && !push(c))
        return PLAY_BLOCKED;
    p->blocked = false;
    while (p->at < p->answer->n) {
        if (p->due_ns > mock_now_ns() || x.writes >= WRITES_PER_TURN) {
            c->wake_ns = p->due_ns;
            return PLAY_WAIT;
        }
        enum play_result result = take_step(&x, &p->answer->steps[p->at]);
        if (result != PLAY_WAIT)
            return result;
        if (!p->joined && !flush(&x))
            return PLAY_BLOCKED;
    }
    return end_of_answer(c);
}
