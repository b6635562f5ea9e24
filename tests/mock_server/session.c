/* What happens on one connection: a request is read, an answer chosen and
 * played, and so on until one side closes. */
#include "server.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define UNREAD_MAX (1u << 20) /* pipelined bytes; beyond it the connection is closed */

void session_open(struct server *s, int fd)
{
    int one = 1;
    struct conn *c = mock_grow(NULL, sizeof *c);
    *c = (struct conn){.fd = fd, .number = s->connections++, .accept_ns = mock_now_ns()};
    request_reset(&c->request);
    c->note_cap = s->log.file ? s->options.log_writes : 0;
    c->notes = c->note_cap ? mock_grow(NULL, c->note_cap * sizeof *c->notes) : NULL;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if ((size_t)fd >= s->by_fd_cap) {
        size_t cap = 2 * (size_t)fd + 64;
        s->by_fd = mock_grow(s->by_fd, cap * sizeof(struct conn *));
        memset(s->by_fd + s->by_fd_cap, 0, (cap - s->by_fd_cap) * sizeof(struct conn *));
        s->by_fd_cap = cap;
    }
    s->by_fd[fd] = c;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.fd = fd};
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        mock_die("epoll_ctl: %s", strerror(errno));
}

void session_close(struct server *s, struct conn *c, const char *by)
{
    if (c->request.first_byte_ns)
        log_request(&s->log, c, by);
    log_close(&s->log, c, by, mock_now_ns());
    heap_remove(&s->heap, c);
    if (strcmp(by, "reset") == 0) {
        struct linger hard = {.l_onoff = 1};
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    s->by_fd[c->fd] = NULL;
    close(c->fd);
    request_free(&c->request);
    buffer_free(&c->unread);
    buffer_free(&c->out);
    buffer_free(&c->play.dripping);
    free(c->stamps.at);
    free(c->notes);
    free(c);
}

static const struct answer *choose(struct server *s, struct conn *c)
{
    const struct request *r = &c->request;
    const struct answer *a = script_select(&s->script, r->method, r->path, c->ordinal, r->index_number);
    return a ? a : script_select(&s->builtin, r->method, r->path, c->ordinal, r->index_number);
}

static void answer(struct server *s, struct conn *c)
{
    bool counted = strcmp(c->request.method, "POST") == 0;
    c->ordinal = counted ? s->ordinals++ : UINT64_MAX; /* logged as -1 */
    c->requests++;
    play_start(c, choose(s, c), c->request.body_ns);
    session_play(s, c);
}

static void say_continue(struct conn *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    c->request.expect_continue = false;
    if (send(c->fd, text, sizeof text - 1, MSG_NOSIGNAL) < 0)
        return; /* the event loop learns of it */
}

/* Feeds what came to the request; what is behind its end waits until it is answered. */
static void take_input(struct server *s, struct conn *c, const char *p, size_t n)
{
    struct request *r = &c->request;
    size_t used = c->play.answer ? 0 : request_feed(r, p, n, mock_now_ns());
    buffer_append(&c->unread, p + used, n - used);
    if (r->state == REQUEST_BODY && r->expect_continue)
        say_continue(c);
    if (r->state == REQUEST_BAD || c->unread.n > UNREAD_MAX)
        session_close(s, c, "bad request");
    else if (r->state == REQUEST_COMPLETE && !c->play.answer)
        answer(s, c);
}

/* True while the rest of a body is to stay in the socket. */
static bool delay_reading(struct server *s, struct conn *c)
{
    if (c->reading_paused)
        return true;
    if (s->options.read_delay_ns == 0 || c->request.state != REQUEST_BODY || c->paused_once)
        return false;
    c->reading_paused = true;
    c->wake_ns = c->request.head_ns + s->options.read_delay_ns;
    heap_set(&s->heap, c);
    return true;
}

void session_readable(struct server *s, struct conn *c)
{
    int fd = c->fd;
    while (s->by_fd[fd] == c && !delay_reading(s, c)) {
        ssize_t n = read(fd, s->input, sizeof s->input);
        if (n > 0) {
            take_input(s, c, s->input, (size_t)n);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        session_close(s, c, n == 0 ? "client" : "client reset");
        return;
    }
}

static void finish_answer(struct server *s, struct conn *c)
{
    log_request(&s->log, c, "answered");
    c->play.answer = NULL;
    c->paused_once = false;
    request_reset(&c->request);
    if (c->unread.n == 0)
        return;
    struct buffer unread = c->unread;
    c->unread = (struct buffer){0};
    take_input(s, c, unread.p, unread.n);
    buffer_free(&unread);
}

void session_play(struct server *s, struct conn *c)
{
    switch (play_run(c, s->options.words, s->options.chars_per_token)) {
    case PLAY_WAIT:
        heap_set(&s->heap, c);
        break;
    case PLAY_BLOCKED:
        break; /* EPOLLOUT goes on with it */
    case PLAY_STALL:
        c->play.stalled = true;
        break;
    case PLAY_END:
        finish_answer(s, c);
        break;
    case PLAY_CLOSE:
        session_close(s, c, "server");
        break;
    case PLAY_RESET:
        session_close(s, c, "reset");
        break;
    }
}

void session_wake(struct server *s, struct conn *c)
{
    if (c->reading_paused) {
        c->reading_paused = false;
        c->paused_once = true;
        session_readable(s, c);
    } else if (c->play.answer && !c->play.stalled) {
        session_play(s, c);
    }
}
