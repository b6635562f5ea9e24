#include "timeline.h"

#include <string.h>

#include "timeline_line.h"

struct timeline {
    struct timeline_writer writer;
    const struct run *run;
    const struct request *r;
    struct stream *stream;
    bool opened, ended;
};

static enum tt_status write_point(struct timeline *t, uint64_t time_ns, const char *what, struct opt_u64 bytes)
{
    struct timeline_line line = {.time_ns = time_ns, .what = what, .bytes = bytes};
    return timeline_write_line(&t->writer, &line);
}

/* START, connection and upload are told by records that may stand later in the file: in order of time here. */
static enum tt_status write_opening(struct timeline *t)
{
    const struct request *r = t->r;
    const struct opt_u64 none = {false, 0}, sent = {true, r->sent_bytes};
    enum tt_status st = write_point(t, r->start_ns, "start", none);
    t->opened = true;
    bool sent_first = r->send_last_ns != TAPE_NONE && r->conn_ns != TAPE_NONE && r->send_last_ns < r->conn_ns;
    if (st == TT_OK && sent_first)
        st = write_point(t, r->send_last_ns, "sent", sent);
    if (st == TT_OK && r->conn_ns != TAPE_NONE)
        st = write_point(t, r->conn_ns, r->conn_reused ? "connection_reused" : "connected", none);
    if (st == TT_OK && r->send_last_ns != TAPE_NONE && !sent_first)
        st = write_point(t, r->send_last_ns, "sent", sent);
    return st;
}

static void on_label(void *ctx, uint64_t time_ns, const char *label)
{
    struct timeline_line *line = ctx;
    (void)time_ns; /* the read's own, which the line has */
    timeline_count_label(line, label);
}

static enum tt_status take_head(struct timeline *t, const struct tape_record *rec)
{
    struct timeline_line line = {.time_ns = rec->u.head.time_ns, .what = "head"};
    enum tt_status st = stream_head(t->stream, rec->u.head.time_ns, rec->u.head.status_line, rec->u.head.headers);
    const struct stream_facts *f = stream_facts(t->stream);
    if (f->head_seen && f->head_ns == rec->u.head.time_ns)
        line.status = f->http_status;
    return st == TT_NOMEM ? st : timeline_write_line(&t->writer, &line);
}

static enum tt_status take_read(struct timeline *t, const struct tape_record *rec)
{
    struct timeline_line line = {.time_ns = rec->u.read.time_ns,
                                 .what = "read",
                                 .bytes = {true, rec->u.read.bytes.n},
                                 .lag_ns = rec->u.read.lag_ns,
                                 .has_lag = rec->u.read.lag_ns != TAPE_LAG_NONE};
    stream_watch(t->stream, on_label, &line);
    enum tt_status st = stream_read(t->stream, rec->u.read.time_ns, rec->u.read.bytes);
    stream_watch(t->stream, NULL, NULL);
    return st == TT_NOMEM ? st : timeline_write_line(&t->writer, &line);
}

static enum tt_status take_done(struct timeline *t, const struct tape_record *rec)
{
    struct timeline_line line = {.time_ns = rec->u.done.time_ns, .what = "end"};
    bool clean = t->r->curl_code == 0 && strcmp(t->r->done_reason, "complete") == 0;
    stream_watch(t->stream, on_label, &line);
    enum tt_status st = stream_end(t->stream, rec->u.done.time_ns, clean);
    line.reason = t->r->done_reason;
    t->ended = true;
    return st == TT_NOMEM ? st : timeline_write_line(&t->writer, &line);
}

static enum tt_status take_record(struct timeline *t, const struct tape_record *rec)
{
    uint64_t number = t->r->number;
    bool head = rec->kind == TAPE_HEAD && rec->u.head.request == number;
    bool read = rec->kind == TAPE_READ && rec->u.read.request == number;
    bool done = rec->kind == TAPE_DONE && rec->u.done.request == number;
    if ((!head && !read && !done) || t->ended)
        return TT_OK;
    enum tt_status st = t->opened ? TT_OK : write_opening(t);
    if (st != TT_OK)
        return st;
    return head ? take_head(t, rec) : read ? take_read(t, rec) : take_done(t, rec);
}

static enum tt_status read_all(struct timeline *t, struct reader *reader, bool *is_input, struct tt_error *err)
{
    struct tape_record rec;
    for (;;) {
        *is_input = true;
        enum tt_status st = reader_next(reader, &rec, err);
        if (st != TT_OK)
            return st == TT_END ? TT_OK : st;
        *is_input = false;
        if ((st = take_record(t, &rec)) == TT_NOMEM)
            return tt_fail(err, st, TT_NO_OFFSET, "out of memory");
        if (st != TT_OK)
            return st;
    }
}

enum tt_status timeline_write(const char *path, const struct reader_options *reader_options, const struct run *run,
                              const struct request *r, const struct timeline_options *options, struct output *o,
                              bool *is_input, struct tt_error *err)
{
    struct timeline t = {.run = run, .r = r};
    struct stream_options stream = {
        .endpoint = run->options.endpoint && strcmp(run->options.endpoint, "completions") == 0 ? STREAM_COMPLETIONS
                                                                                               : STREAM_CHAT};
    struct reader *reader = NULL;
    *is_input = false;
    t.stream = stream_create(&stream);
    enum tt_status st = t.stream ? timeline_begin(&t.writer, run, r, options->json, o, err)
                                 : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (st == TT_OK) {
        *is_input = true;
        st = reader_open(&reader, path, reader_options, err);
    }
    if (st == TT_OK)
        st = read_all(&t, reader, is_input, err);
    if (st == TT_OK && !t.opened && r->start_ns != TAPE_NONE) {
        *is_input = false;
        st = write_opening(&t);
    }
    timeline_end(&t.writer);
    reader_free(reader);
    stream_free(t.stream);
    return st;
}
