#include <string.h>

#include "load_parts.h"

/* The stream of a request, made at the first byte of its answer: thousands may wait at once. */
static enum tt_status stream_of(struct loader *l, struct request *r, struct stream **out)
{
    struct stream **s = &l->streams[r->number];
    const struct run_options *o = &l->run->options;
    if (!*s) {
        struct backlog *shared;
        if (load_backlog_take(l, r, &shared) != TT_OK)
            return tt_fail(l->err, TT_NOMEM, TT_NO_OFFSET, "out of memory for a connection");
        struct stream_options options = {
            .endpoint = o->endpoint && strcmp(o->endpoint, "completions") == 0 ? STREAM_COMPLETIONS : STREAM_CHAT,
            .observe = {.marker = tt_view_str(r->marker),
                        .response_words = o->response_words,
                        .strict = o->controlled_output_policy && strcmp(o->controlled_output_policy, "strict") == 0},
            .facts = &r->facts,
            .pool = &l->pool,
            .backlog = shared,
            .text_left = &l->text_left,
        };
        if (!(*s = stream_create(&options)))
            load_backlog_give(l, shared);
    }
    *out = *s;
    return *s ? TT_OK : tt_fail(l->err, TT_NOMEM, TT_NO_OFFSET, "out of memory for the stream of a request");
}

/* What a stream cannot read is a fact about the request, except that memory ran out. */
static enum tt_status note_stream_status(struct loader *l, struct request *r, enum tt_status st)
{
    if (st == TT_NOMEM)
        return tt_fail(l->err, TT_NOMEM, TT_NO_OFFSET, "out of memory while reading request %llu",
                       (unsigned long long)r->number);
    if (st != TT_OK && r->stream_status == TT_OK)
        r->stream_status = st;
    return TT_OK;
}

bool load_stream_is_readable(const struct request *r)
{
    return r->lost_reads == 0 && r->stream_status == TT_OK && !r->behind_gap;
}

enum tt_status load_stream_head(struct loader *l, const struct tape_record *rec, struct request *r)
{
    struct stream *s;
    if (!load_stream_is_readable(r))
        return TT_OK;
    enum tt_status st = stream_of(l, r, &s);
    if (st != TT_OK)
        return st;
    return note_stream_status(l, r, stream_head(s, rec->u.head.time_ns, rec->u.head.status_line, rec->u.head.headers));
}

enum tt_status load_stream_read(struct loader *l, const struct tape_record *rec, struct request *r)
{
    struct stream *s;
    l->run->reads++;
    l->run->read_bytes += rec->u.read.bytes.n;
    r->body_bytes_received += rec->u.read.bytes.n;
    if (!r->warmup && rec->u.read.time_ns != r->read_ns)
        timing_tally_read(&l->run->timing, rec->u.read.lag_ns, rec->u.read.turn);
    r->read_ns = rec->u.read.time_ns;
    if (!load_stream_is_readable(r))
        return TT_OK;
    enum tt_status st = stream_of(l, r, &s);
    if (st != TT_OK)
        return st;
    uint64_t before = r->facts.events;
    /* Under TLS a read is a record, and may leave others in the socket whose segments were merged with its own. */
    int64_t lag_ns = r->conn_tls ? TAPE_LAG_NONE : rec->u.read.lag_ns;
    stream_arrives(
        s, (struct stream_arrival){.lag_ns = lag_ns, .blind_us = rec->u.read.blind_us, .turn = rec->u.read.turn});
    st = stream_read(s, rec->u.read.time_ns, rec->u.read.bytes);
    l->run->events += r->facts.events - before;
    return note_stream_status(l, r, st);
}

enum tt_status load_stream_end(struct loader *l, struct request *r, uint64_t time_ns, uint64_t blind_us, bool clean)
{
    struct stream *s;
    enum tt_status st = stream_of(l, r, &s);
    if (st != TT_OK)
        return st;
    uint64_t before = r->facts.events;
    stream_arrives(s, (struct stream_arrival){.lag_ns = TAPE_LAG_NONE, .blind_us = blind_us});
    st = note_stream_status(l, r, stream_end(s, time_ns, clean));
    if (st != TT_OK)
        return st;
    r->has_facts = true;
    l->run->events += r->facts.events - before; /* the last one may lack its blank line */
    l->run->events_sharing_a_read += r->facts.events_sharing_a_read;
    l->run->payloads_not_json += r->facts.payloads_not_json;
    load_backlog_give(l, stream_backlog(s));
    stream_free(s);
    l->streams[r->number] = NULL;
    return TT_OK;
}

enum tt_status load_end_open_requests(struct loader *l)
{
    for (size_t i = 0; i < loader_total(l); i++) {
        struct request *r = loader_request(l, i);
        enum tt_status st = TT_OK;
        if (l->streams[i])
            st = load_stream_end(l, r, l->run->last_time_ns, TAPE_NONE, false);
        if (st != TT_OK)
            return st;
    }
    return TT_OK;
}
