#include "intake.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static _Thread_local struct {
    struct intake last;
    int watched_fd; /* valid while `on` */
    bool on;
} here = {.last = {.fd = -1}};

void intake_begin(int fd)
{
    here.last = (struct intake){.fd = -1};
    here.watched_fd = fd;
    here.on = true;
}

void intake_end(void)
{
    here.last = (struct intake){.fd = -1};
    here.on = false;
}

const struct intake *intake_last(void)
{
    return &here.last;
}

uint64_t intake_take_time(void)
{
    uint64_t at = here.last.kernel_realtime_ns;
    here.last.kernel_realtime_ns = 0;
    return at;
}

static uint64_t told_time(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct timespec t;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&t, CMSG_DATA(c), sizeof(t));
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
    return 0;
}

static ssize_t receive(int fd, void *out, size_t room, int flags)
{
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec part = {out, room};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(fd, &m, flags);
    if (n > 0)
        here.last = (struct intake){fd, (size_t)n < room, told_time(&m)};
    return n;
}

/* libcurl is to see the two, whatever the compiler is told of all others. */
#define SHOWN __attribute__((visibility("default")))

SHOWN ssize_t recv(int fd, void *out, size_t room, int flags)
{
    bool watched = here.on && fd == here.watched_fd && !(flags & MSG_PEEK);
    return watched ? receive(fd, out, room, flags) : recvfrom(fd, out, room, flags, NULL, NULL);
}

/* Its C name would bring the header's promise to write to `fds` alone. */
SHOWN int intake_poll(struct pollfd *fds, nfds_t n, int wait_ms) __asm__("poll");

int intake_poll(struct pollfd *fds, nfds_t n, int wait_ms)
{
    bool is_watched = here.on && n == 1 && wait_ms == 0 && fds[0].fd == here.watched_fd && !(fds[0].events & POLLOUT);
    if (is_watched && here.last.fd == here.watched_fd && here.last.emptied) {
        fds[0].revents = 0;
        return 0;
    }
    struct timespec wait = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    return ppoll(fds, n, wait_ms < 0 ? NULL : &wait, NULL);
}
