#include "capture.h"

#include "../format/limits.h"
#include "arrival.h"

#define MAX_ERROR_BYTES 400

static uint64_t touch(struct capture *c)
{
    uint64_t now = stamp_now(&c->env->base);
    idle_touch(&c->env->active, &c->active, now);
    return now;
}

static void lose(struct capture *c, size_t n)
{
    if (c->lost_count++ == 0)
        c->lost_first_ns = c->active.since_ns;
    c->lost_bytes += n;
    c->env->lost_reads++;
}

static void put_piece(void *ctx, const struct stamp_read *at_read, bool continued, const uint8_t *bytes, size_t n)
{
    struct capture *c = ctx;
    if (c->lost_count > 0) {
        lose(c, n);
        return;
    }
    struct tape_record rec;
    rec.kind = TAPE_READ;
    rec.u.read.request = c->request;
    rec.u.read.time_ns = at_read->time_ns;
    rec.u.read.lag_ns = at_read->lag_ns;
    rec.u.read.turn = at_read->turn;
    rec.u.read.blind_us = at_read->blind_us;
    rec.u.read.flags = continued ? TAPE_READ_CONTINUED : 0;
    for (size_t at = 0; at < n; at += TAPE_MAX_READ_BYTES) {
        size_t left = n - at;
        rec.u.read.bytes = tt_view_of(bytes + at, left < TAPE_MAX_READ_BYTES ? left : TAPE_MAX_READ_BYTES);
        if (!sink_put_lossy(c->env->sink, &rec)) {
            lose(c, left);
            return;
        }
    }
}

static void put_hit(void *ctx, const char *stream, uint64_t offset, uint64_t length, const char *rule)
{
    struct capture *c = ctx;
    struct tape_record rec = {.kind = TAPE_REDACT};
    rec.u.redact.request = c->request;
    rec.u.redact.stream = tt_view_str(stream);
    rec.u.redact.offset_bytes = offset;
    rec.u.redact.length_bytes = length;
    rec.u.redact.rule = tt_view_str(rule);
    if (c->lost_count > 0 || !sink_put_lossy(c->env->sink, &rec))
        lose(c, 0);
}

static struct redact_calls calls_of(struct capture *c)
{
    return (struct redact_calls){.piece = put_piece, .hit = put_hit, .ctx = c};
}

enum tt_status capture_init(struct capture *c, struct capture_env *env, struct tt_error *err)
{
    *c = (struct capture){.env = env, .socket.fd = -1};
    if (redact_rules_empty(env->rules))
        return TT_OK;
    struct redact_calls calls = calls_of(c);
    c->redact = redact_create(env->rules, &calls);
    return c->redact ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for one more stream");
}

void capture_clear(struct capture *c)
{
    redact_free(c->redact);
    c->redact = NULL;
}

void capture_start(struct capture *c, uint64_t request)
{
    struct capture_env *env = c->env;
    struct redact *keep = c->redact;
    *c = (struct capture){.env = env, .redact = keep, .request = request};
    c->socket.fd = c->fd = -1;
    c->socket.since_ns = TAPE_NONE;
    c->socket.uploading = c->socket.heading = true;
    c->send_first_ns = c->send_last_ns = TAPE_NONE;
    donemark_begin(&c->mark);
    struct tape_record rec = {.kind = TAPE_START};
    rec.u.start.request = request;
    rec.u.start.time_ns = c->start_ns = env->last_start_ns = touch(c);
    sink_put(env->sink, &rec);
}

void capture_connected(struct capture *c, int fd, uint64_t local_port, bool reused, const char *tls, const char *http)
{
    uint64_t now = touch(c);
    struct tape_record rec = {.kind = TAPE_CONN};
    c->fd = fd;
    c->connection = c->env->shared_sockets ? sockets_connection(&c->env->sockets, fd)
                                           : sockets_own(&c->env->sockets, fd, &c->socket);
    c->alone = !c->env->shared_sockets && !tls;
    struct look_mark *mark = arrival_mark(c);
    if (reused && mark) { /* what it waited for before is not this request's */
        c->waited_before_ns = mark->waited_ns;
        look_left(mark, now);
    }
    rec.u.conn.request = c->request;
    rec.u.conn.time_ns = now;
    rec.u.conn.connection = c->connection;
    rec.u.conn.local_port = local_port;
    rec.u.conn.reused = reused;
    rec.u.conn.tls = tt_view_str(tls);
    rec.u.conn.http = tt_view_str(http);
    sink_put(c->env->sink, &rec);
    c->send_first_ns = now;
    idle_touch(&c->env->sending, &c->sending, now);
}

static void put_send(struct capture *c)
{
    const struct look_mark *mark = arrival_mark(c);
    struct tape_record rec = {.kind = TAPE_SEND};
    rec.u.send.request = c->request;
    rec.u.send.first_ns = c->send_first_ns;
    rec.u.send.last_ns = c->send_last_ns;
    rec.u.send.bytes = c->sent_bytes;
    rec.u.send.waited_us = mark ? (mark->waited_ns - c->waited_before_ns) / 1000 : TAPE_NONE;
    sink_put(c->env->sink, &rec);
    c->socket.uploading = false;
    idle_remove(&c->sending);
}

void capture_sent(struct capture *c, uint64_t sent, uint64_t total)
{
    if (!c->socket.uploading || c->send_first_ns == TAPE_NONE || sent == c->sent_bytes)
        return;
    c->sent_bytes = sent;
    c->send_last_ns = touch(c);
    if (sent >= total)
        put_send(c);
}

static void put_head(struct capture *c)
{
    struct redact_calls calls = calls_of(c);
    if (c->redact)
        head_redact(&c->head, c->env->rules, &calls);
    head_pack(&c->head, &c->env->scratch);
    struct tape_record rec = {.kind = TAPE_HEAD};
    rec.u.head.request = c->request;
    rec.u.head.time_ns = c->active.since_ns;
    rec.u.head.status_line = tt_view_of(c->head.status_line, c->head.status_bytes);
    rec.u.head.headers = tt_view_of(c->env->scratch.bytes, c->env->scratch.len);
    if (c->lost_count > 0 || c->env->scratch.failed || !sink_put_lossy(c->env->sink, &rec))
        lose(c, 0);
}

void capture_stirred(struct socket_owner *owner)
{
    struct capture *c = (struct capture *)(void *)owner; /* its first member */
    touch(c);
    arrival_of_head(c);
}

void capture_head_line(struct capture *c, const uint8_t *line, size_t n)
{
    touch(c);
    if (c->body_begun) /* a trailer of HTTP/2; those of HTTP/1.1 are in the body */
        return;
    if (!head_line(&c->head, line, n) || c->head.status == 0)
        return;
    put_head(c);
}

/* Of a socket that nobody owns; it may be closed before the request is told to be over. */
static void note_shared_tcp(struct capture *c)
{
    if (c->env->shared_sockets)
        sockets_tell_tcp(&c->env->sockets, c->fd, c->connection, &c->socket.tcp);
}

static void begin_body(struct capture *c)
{
    note_shared_tcp(c);
    c->body_begun = true;
    c->socket.heading = false;
    if (c->redact)
        redact_begin(c->redact, c->head.chunked, c->head.compressed);
}

void capture_read(struct capture *c, const uint8_t *bytes, size_t n)
{
    struct capture_env *env = c->env;
    uint64_t now = touch(c);
    struct stamp_read at = arrival_of_read(c, now);
    c->reads++;
    c->body_bytes += n;
    env->reads++;
    env->read_bytes += n;
    if (!c->body_begun)
        begin_body(c);
    if (c->lost_count > 0)
        lose(c, n);
    else if (c->redact)
        redact_read(c->redact, &at, bytes, n);
    else
        put_piece(c, &at, false, bytes, n);
    if (!c->closing.after && donemark_feed(&c->mark, bytes, n))
        idle_touch(&env->closing, &c->closing, now);
}

static void put_lost(struct capture *c)
{
    struct pack *list = &c->env->scratch;
    pack_reset(list);
    pack_array(list, 1);
    pack_uint(list, c->request);
    struct tape_record rec = {.kind = TAPE_LOST};
    rec.u.lost.time_ns = c->lost_first_ns;
    rec.u.lost.count = c->lost_count;
    rec.u.lost.bytes = c->lost_bytes;
    rec.u.lost.reason = tt_view_str("ring_full");
    rec.u.lost.requests = tt_view_of(list->bytes, list->len);
    sink_put(c->env->sink, &rec);
}

static struct tt_view masked_error(struct capture *c, char *error)
{
    if (!error || !error[0])
        return tt_view_of(NULL, 0);
    size_t n = strnlen(error, MAX_ERROR_BYTES);
    struct redact_calls calls = calls_of(c);
    if (c->redact)
        redact_text(c->env->rules, (uint8_t *)error, strlen(error), "error", &calls);
    return tt_view_of(error, n);
}

void capture_done(struct capture *c, const struct capture_end *end)
{
    struct capture_env *env = c->env;
    uint64_t now = stamp_now(&env->base);
    sockets_disown(&env->sockets, &c->socket);
    note_shared_tcp(c);
    idle_remove(&c->active);
    idle_remove(&c->closing);
    idle_remove(&c->sending);
    if (c->body_begun && c->redact)
        redact_finish(c->redact);
    if (c->socket.uploading && c->send_last_ns != TAPE_NONE)
        put_send(c);
    struct tape_record rec = {.kind = TAPE_DONE};
    rec.u.done.error = masked_error(c, end->error);
    if (c->lost_count > 0)
        put_lost(c);
    rec.u.done.request = c->request;
    rec.u.done.time_ns = now;
    rec.u.done.curl_code = end->curl_code;
    rec.u.done.http_status = end->http_status;
    rec.u.done.reason = tt_view_str(end->reason);
    rec.u.done.body_bytes = c->body_bytes;
    rec.u.done.reads = c->reads;
    rec.u.done.timers = end->timers;
    rec.u.done.tcp = c->socket.tcp;
    rec.u.done.blind_us = arrival_blind_at_end(c, now);
    sink_put(env->sink, &rec);
    sink_release_room(env->sink);
}
