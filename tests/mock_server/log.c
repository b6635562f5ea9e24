#include "log.h"

#include <inttypes.h>

void log_open(struct log *l, const char *path)
{
    FILE *emptied = path ? fopen(path, "we") : NULL;
    if (emptied)
        fclose(emptied);
    l->file = path ? fopen(path, "ae") : NULL; /* who reads it may empty it */
    if (path && !l->file)
        mock_die("cannot write log %s", path);
}

static void number(struct buffer *b, const char *name, uint64_t value)
{
    buffer_format(b, ",\"%s\":%" PRIu64, name, value);
}

static void text(struct buffer *b, const char *name, const char *value)
{
    buffer_format(b, ",\"%s\":", name);
    buffer_json(b, value);
}

/* 0 means that it did not happen */
static void stamp(struct buffer *b, const char *name, uint64_t ns)
{
    if (ns)
        number(b, name, ns);
    else
        buffer_format(b, ",\"%s\":null", name);
}

static void writes(struct buffer *b, const struct conn *c)
{
    static const char *const names[] = {"other", "head", "reasoning", "content", "usage", "done"};
    buffer_text(b, ",\"writes\":[");
    for (size_t k = 0; k < c->note_count; k++)
        buffer_format(b, "%s[%" PRIu64 ",%" PRIu32 ",\"%s\",%" PRIu64 "]", k ? "," : "", c->notes[k].stamp_ns,
                      c->notes[k].bytes, names[c->notes[k].label], c->notes[k].written_ns);
    buffer_text(b, "]");
}

static void finish_line(struct log *l)
{
    buffer_text(&l->line, "}\n");
    fwrite(l->line.p, 1, l->line.n, l->file);
    fflush(l->file);
}

void log_request(struct log *l, const struct conn *c, const char *end)
{
    const struct request *r = &c->request;
    struct buffer *b = &l->line;
    if (!l->file)
        return;
    b->n = 0;
    buffer_format(b, "{\"ordinal\":%" PRId64, (int64_t)c->ordinal);
    number(b, "connection", c->number);
    buffer_text(b, c->requests > 1 ? ",\"reused\":true" : ",\"reused\":false");
    text(b, "method", r->method);
    text(b, "path", r->path);
    text(b, "query", r->query);
    if (l->heads)
        text(b, "request_head", r->head.p);
    text(b, "marker", r->marker);
    text(b, "answer", c->play.answer ? c->play.answer->name : "");
    text(b, "end", end);
    number(b, "words", r->words);
    stamp(b, "accept_ns", c->accept_ns);
    stamp(b, "first_byte_ns", r->first_byte_ns);
    stamp(b, "head_ns", r->head_ns);
    stamp(b, "body_ns", r->body_ns);
    number(b, "body_bytes", r->body_bytes);
    stamp(b, "first_write_ns", c->first_write_ns);
    stamp(b, "first_reasoning_ns", c->first_reasoning_ns);
    stamp(b, "first_content_ns", c->first_content_ns);
    stamp(b, "done_ns", c->done_ns);
    stamp(b, "last_write_ns", c->last_write_ns);
    number(b, "write_count", c->write_count);
    number(b, "written_bytes", c->written_bytes);
    number(b, "outputs", c->play.outputs);
    writes(b, c);
    finish_line(l);
}

void log_close(struct log *l, const struct conn *c, const char *by, uint64_t now_ns)
{
    if (!l->file)
        return;
    l->line.n = 0;
    buffer_format(&l->line, "{\"closed\":%" PRIu64, c->number);
    text(&l->line, "by", by);
    number(&l->line, "requests", c->requests);
    stamp(&l->line, "close_ns", now_ns);
    finish_line(l);
}

void log_free(struct log *l)
{
    if (l->file)
        fclose(l->file);
    buffer_free(&l->line);
}
