/* The event loop: one listener, one timer, many connections. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#define EVENTS 256
#define ACCEPTS_PER_TURN 64

static void watch(struct server *s, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        mock_die("epoll_ctl: %s", strerror(errno));
}

static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un path;
};

static socklen_t loopback_address(const struct server_options *o, union address *at)
{
    *at = (union address){.v4 = {.sin_family = AF_INET, .sin_port = htons(o->port)}};
    if (inet_pton(AF_INET, o->address, &at->v4.sin_addr) == 1 && (ntohl(at->v4.sin_addr.s_addr) >> 24) == 127)
        return sizeof at->v4;
    *at = (union address){.v6 = {.sin6_family = AF_INET6, .sin6_port = htons(o->port)}};
    if (inet_pton(AF_INET6, o->address, &at->v6.sin6_addr) == 1 && IN6_IS_ADDR_LOOPBACK(&at->v6.sin6_addr))
        return sizeof at->v6;
    mock_die("%s is no loopback address", o->address);
}

static socklen_t unix_address(const char *path, union address *at)
{
    *at = (union address){.path = {.sun_family = AF_UNIX}};
    if (strlen(path) >= sizeof at->path.sun_path)
        mock_die("%s is too long for a socket", path);
    memcpy(at->path.sun_path, path, strlen(path));
    return sizeof at->path;
}

/* Returns the port, 0 on a Unix socket. */
static uint16_t bind_loopback(struct server *s)
{
    int one = 1;
    union address at;
    const struct server_options *o = &s->options;
    socklen_t n = o->unix_path ? unix_address(o->unix_path, &at) : loopback_address(o, &at);
    s->listener = socket(at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listener < 0)
        mock_die("socket: %s", strerror(errno));
    setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (o->receive_buffer)
        setsockopt(s->listener, SOL_SOCKET, SO_RCVBUF, &o->receive_buffer, sizeof o->receive_buffer);
    if (o->segment)
        setsockopt(s->listener, IPPROTO_TCP, TCP_MAXSEG, &o->segment, sizeof o->segment);
    if (bind(s->listener, &at.any, n) != 0 || listen(s->listener, 4096) != 0 ||
        getsockname(s->listener, &at.any, &n) != 0)
        mock_die("cannot listen on %s:%u: %s", o->unix_path ? o->unix_path : o->address, o->port, strerror(errno));
    return o->unix_path ? 0 : ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
}

uint16_t server_listen(struct server *s)
{
    sigset_t set;
    raise_descriptors();
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    uint16_t port = bind_loopback(s);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (s->epoll < 0 || s->timer < 0 || s->signals < 0)
        mock_die("cannot make the event loop: %s", strerror(errno));
    watch(s, s->listener);
    watch(s, s->timer);
    watch(s, s->signals);
    return port;
}

static void accept_some(struct server *s)
{
    for (int k = 0; k < ACCEPTS_PER_TURN; k++) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        session_open(s, fd);
    }
}

/* Wakes everyone whose time has come. A connection that asks again for the same time gets its turn in the
 * next round, so that one flood does not keep the others waiting. */
static void wake_due(struct server *s)
{
    uint64_t now = mock_now_ns();
    size_t most = s->heap.n + 1;
    for (size_t k = 0; k < most; k++) {
        struct conn *c = heap_first(&s->heap);
        if (!c || c->wake_ns > now)
            return;
        heap_remove(&s->heap, c);
        session_wake(s, c);
    }
}

/* Arms the timer for the next connection; true when one is due already. */
static bool arm(struct server *s)
{
    struct conn *c = heap_first(&s->heap);
    struct itimerspec at = {0};
    if (!c)
        return false;
    if (c->wake_ns <= mock_now_ns())
        return true;
    at.it_value.tv_sec = (time_t)(c->wake_ns / 1000000000u);
    at.it_value.tv_nsec = (long)(c->wake_ns % 1000000000u);
    timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &at, NULL);
    return false;
}

static void on_connection(struct server *s, int fd, uint32_t events)
{
    struct conn *c = (size_t)fd < s->by_fd_cap ? s->by_fd[fd] : NULL;
    if (c && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
        session_readable(s, c);
    c = (size_t)fd < s->by_fd_cap ? s->by_fd[fd] : NULL;
    if (c && (events & EPOLLOUT) && c->play.answer && c->play.blocked)
        session_play(s, c);
}

void server_run(struct server *s)
{
    struct epoll_event events[EVENTS];
    while (!s->stop) {
        int n = epoll_wait(s->epoll, events, EVENTS, arm(s) ? 0 : -1);
        if (n < 0 && errno != EINTR)
            mock_die("epoll_wait: %s", strerror(errno));
        for (int k = 0; k < n; k++) {
            int fd = events[k].data.fd;
            uint64_t ticks;
            if (fd == s->listener)
                accept_some(s);
            else if (fd == s->signals)
                s->stop = true;
            else if (fd == s->timer)
                (void)!read(s->timer, &ticks, sizeof ticks);
            else
                on_connection(s, fd, events[k].events);
        }
        wake_due(s);
    }
}

void server_free(struct server *s)
{
    for (size_t fd = 0; fd < s->by_fd_cap; fd++)
        if (s->by_fd[fd])
            session_close(s, s->by_fd[fd], "stop");
    close(s->listener);
    close(s->epoll);
    close(s->timer);
    close(s->signals);
    heap_free(&s->heap);
    log_free(&s->log);
    script_free(&s->script);
    script_free(&s->builtin);
    free(s->by_fd);
}
