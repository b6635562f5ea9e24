#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct loop {
    int epoll, timer, signals;
    uint64_t base_ns, armed_ns;
    uint8_t *watched; /* by fd: the epoll mask in force, 0: not watched */
    size_t watched_count;
    struct epoll_event raw[LOOP_MAX_EVENTS];
};

static uint64_t tag(enum loop_what what, int fd)
{
    return (uint64_t)what << 32 | (uint32_t)fd;
}

static int add(struct loop *l, int fd, enum loop_what what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = tag(what, fd)};
    return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e);
}

static int take_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGCONT); /* goes on all the same, and is told of it */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGHUP, &ignore, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGTTOU, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* a file size limit is then a write error like any other */
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum tt_status loop_create(struct loop **out, uint64_t base_ns, struct tt_error *err)
{
    struct loop *l = calloc(1, sizeof(*l));
    *out = NULL;
    if (!l)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the event loop");
    l->base_ns = base_ns;
    l->armed_ns = LOOP_NEVER;
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    l->signals = take_signals();
    if (l->epoll < 0 || l->timer < 0 || l->signals < 0 || add(l, l->timer, LOOP_TIMER) != 0 ||
        add(l, l->signals, LOOP_SIGNAL) != 0) {
        enum tt_status code = tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot set up the event loop: %s", strerror(errno));
        loop_free(l);
        return code;
    }
    *out = l;
    return TT_OK;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    int fds[] = {l->epoll, l->timer, l->signals};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(l->watched);
    free(l);
}

static bool grow(struct loop *l, size_t need)
{
    size_t count = l->watched_count ? l->watched_count : 64;
    while (count < need)
        count *= 2;
    uint8_t *p = realloc(l->watched, count);
    if (!p)
        return false;
    memset(p + l->watched_count, 0, count - l->watched_count);
    l->watched = p;
    l->watched_count = count;
    return true;
}

void loop_watch(struct loop *l, int fd, bool readable, bool writable)
{
    size_t at = (size_t)fd;
    /* Without memory the socket stays unwatched and its request ends by its inactivity timeout. */
    if (at >= l->watched_count && !grow(l, at + 1))
        return;
    uint8_t mask = (uint8_t)((readable ? EPOLLIN : 0) | (writable ? EPOLLOUT : 0));
    if (mask == l->watched[at])
        return;
    int op = !mask ? EPOLL_CTL_DEL : l->watched[at] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    struct epoll_event e = {.events = mask, .data.u64 = tag(LOOP_SOCKET, fd)};
    if (epoll_ctl(l->epoll, op, fd, &e) != 0 && op == EPOLL_CTL_MOD)
        epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e);
    l->watched[at] = mask;
}

enum tt_status loop_watch_wake(struct loop *l, int fd, struct tt_error *err)
{
    if (add(l, fd, LOOP_WAKE) != 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "cannot watch the writer: %s", strerror(errno));
    return TT_OK;
}

void loop_arm(struct loop *l, uint64_t at_ns)
{
    if (at_ns >= l->armed_ns)
        return;
    l->armed_ns = at_ns;
    uint64_t at = l->base_ns + at_ns;
    struct itimerspec when = {.it_value = {(time_t)(at / 1000000000u), (long)(at % 1000000000u)}};
    timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void decode(struct loop *l, const struct epoll_event *raw, struct loop_event *e)
{
    *e = (struct loop_event){.what = (enum loop_what)(raw->data.u64 >> 32), .fd = (int)(uint32_t)raw->data.u64};
    e->readable = raw->events & EPOLLIN;
    e->writable = raw->events & EPOLLOUT;
    e->error = raw->events & (EPOLLERR | EPOLLHUP);
    uint64_t ticks;
    struct signalfd_siginfo info;
    if (e->what == LOOP_TIMER) {
        l->armed_ns = LOOP_NEVER;
        if (read(l->timer, &ticks, sizeof(ticks)) < 0)
            return;
    } else if (e->what == LOOP_SIGNAL && read(l->signals, &info, sizeof(info)) == sizeof(info)) {
        e->signal = (int)info.ssi_signo;
    }
}

int loop_wait(struct loop *l, struct loop_event *events, unsigned most_ms, bool *whole)
{
    int n = epoll_wait(l->epoll, l->raw, LOOP_MAX_EVENTS, (int)most_ms);
    *whole = n >= 0 && n < LOOP_MAX_EVENTS; /* a stopped process that goes on gets EINTR, and was told nothing */
    for (int i = 0; i < n; i++)
        decode(l, &l->raw[i], &events[i]);
    return n < 0 ? 0 : n;
}
