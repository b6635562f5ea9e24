/* The null endpoint's side of the wire. No allocation, no lock, no stdio in here: see null_endpoint.h. */
#include "null_endpoint.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "null_event.h"

#define MOST_EVENTS 256
#define MOST_DUE 256 /* events sent before the sockets are looked at again */
#define REQUEST_BYTES 16384
#define GATHER_NS 10000000u        /* from the last request to the first event */
#define PATIENCE_NS 10000000000ull /* for streams that never come */
#define LISTENER UINT32_MAX
#define TIMER (UINT32_MAX - 1)

static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
static const char tail[] =
    "4f\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\n"
    "\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";

struct stream {
    int fd;        /* -1: not there (any more) */
    bool asked;    /* its request is whole */
    bool blocked;  /* the kernel takes no more for now */
    uint32_t sent; /* pieces: its events, then the tail */
    uint32_t due;
    uint32_t at; /* bytes of the piece in hand that are gone */
    uint64_t stamp;
};

struct server {
    const struct null_plan *plan;
    volatile struct null_facts *facts;
    struct stream *streams, **order; /* as they connected; as they asked */
    uint32_t accepted, asked, closed;
    int epoll, listener, timer;
    bool begun;
    uint64_t start_ns, last_asked_ns;
    uint64_t next; /* event of the whole schedule */
    char event[NULL_EVENT_BYTES];
};

size_t null_server_bytes(const struct null_plan *plan)
{
    return plan->streams * (sizeof(struct stream) + sizeof(struct stream *));
}

static void end_stream(struct server *s, struct stream *t)
{
    if (t->fd < 0)
        return;
    close(t->fd);
    t->fd = -1;
    s->closed++;
}

/* The piece that is to be sent next, from its first byte that has not gone. */
static const char *piece_of(struct server *s, struct stream *t, size_t *n)
{
    if (t->sent == s->plan->events) {
        *n = sizeof(tail) - 1 - t->at;
        return tail + t->at;
    }
    if (t->at == 0)
        t->stamp = stamp_monotonic();
    null_stamp_write(s->event + NULL_STAMP_AT, t->stamp);
    *n = sizeof(s->event) - t->at;
    return s->event + t->at;
}

static void note_sent(struct server *s, struct stream *t)
{
    t->at = 0;
    if (t->sent++ == s->plan->events)
        return;
    if (s->facts->sent++ == 0)
        s->facts->first_ns = t->stamp;
    s->facts->last_ns = t->stamp;
    if (t->sent == s->plan->events)
        t->due++; /* the tail goes with the last event */
}

/* What is due of a stream, as far as the kernel takes it. */
static void push(struct server *s, struct stream *t)
{
    while (t->fd >= 0 && !t->blocked && t->sent < t->due) {
        size_t n;
        const char *piece = piece_of(s, t, &n);
        ssize_t done = send(t->fd, piece, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (done < 0 && errno != EAGAIN && errno != EINTR)
            end_stream(s, t);
        else if (done >= 0 && (size_t)done == n)
            note_sent(s, t);
        else if (done >= 0 || errno == EAGAIN)
            t->blocked = true;
        if (done > 0 && (size_t)done < n)
            t->at += (uint32_t)done;
    }
}

static bool watch(struct server *s, int fd, uint32_t mask, uint32_t what)
{
    struct epoll_event e = {.events = mask, .data.u32 = what};
    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void arm(struct server *s, uint64_t at_ns)
{
    struct itimerspec when = {.it_value = {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)}};
    timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void take_connections(struct server *s)
{
    int fd, on = 1;
    while ((fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (s->accepted == s->plan->streams) { /* none of ours */
            close(fd);
            continue;
        }
        struct stream *t = &s->streams[s->accepted];
        *t = (struct stream){.fd = fd};
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        watch(s, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, s->accepted++);
    }
}

/* Length of the whole request that begins here; 0: it is not all there. */
static size_t request_length(const char *bytes, size_t n)
{
    static const char name[] = "\r\nContent-Length: ";
    const char *end = memmem(bytes, n, "\r\n\r\n", 4), *length = memmem(bytes, n, name, sizeof(name) - 1);
    if (!end || !length || length > end || memmem(bytes, n, "\r\nAuthorization:", 16))
        return 0; /* a credential has no business here: that calibration is not to succeed */
    size_t body = 0;
    for (const char *p = length + sizeof(name) - 1; *p >= '0' && *p <= '9' && body < REQUEST_BYTES; p++)
        body = body * 10 + (size_t)(*p - '0');
    size_t all = (size_t)(end + 4 - bytes) + body;
    return all <= n ? all : 0;
}

static void take_request(struct server *s, struct stream *t)
{
    char bytes[REQUEST_BYTES + 1];
    ssize_t n = recv(t->fd, bytes, REQUEST_BYTES, MSG_PEEK | MSG_DONTWAIT);
    if (n <= 0 || t->asked) {
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            end_stream(s, t);
        return;
    }
    bytes[n] = '\0';
    size_t whole = request_length(bytes, (size_t)n);
    if (whole == 0 || recv(t->fd, bytes, whole, MSG_DONTWAIT) != (ssize_t)whole)
        return;
    t->asked = true;
    s->order[s->asked++] = t;
    send(t->fd, head, sizeof(head) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    s->last_asked_ns = stamp_monotonic();
    if (!s->begun)
        arm(s, s->last_asked_ns + (s->asked == s->plan->streams ? GATHER_NS : PATIENCE_NS));
}

static uint64_t due_at(const struct server *s, uint64_t event)
{
    const struct null_plan *p = s->plan;
    uint64_t round = event / p->streams, place = event % p->streams;
    return s->start_ns + round * p->interval_ns + (p->step ? 0 : place * p->interval_ns / p->streams);
}

/* Sends what is due by now; true when more is due already. */
static bool keep_pace(struct server *s)
{
    uint64_t all = (uint64_t)s->plan->streams * s->plan->events, now = stamp_monotonic();
    for (unsigned k = 0; k < MOST_DUE && s->next < all; k++, s->next++) {
        if (due_at(s, s->next) > now && due_at(s, s->next) > (now = stamp_monotonic())) {
            arm(s, due_at(s, s->next));
            return false;
        }
        uint32_t place = (uint32_t)(s->next % s->plan->streams);
        if (place >= s->asked)
            continue; /* it never came */
        s->order[place]->due++;
        push(s, s->order[place]);
    }
    return s->next < all;
}

static void begin(struct server *s)
{
    uint64_t now = stamp_monotonic();
    if (s->begun || s->asked == 0 || (s->asked < s->plan->streams && now < s->last_asked_ns + PATIENCE_NS))
        return;
    s->begun = true;
    s->start_ns = now;
    s->facts->cpu_ns = stamp_process_cpu();
}

static void handle(struct server *s, const struct epoll_event *e)
{
    uint64_t ticks;
    if (e->data.u32 == LISTENER) {
        take_connections(s);
    } else if (e->data.u32 == TIMER) {
        if (read(s->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
            begin(s);
    } else {
        struct stream *t = &s->streams[e->data.u32];
        if (t->fd >= 0 && (e->events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)))
            take_request(s, t);
        if (t->fd >= 0 && (e->events & EPOLLOUT)) {
            t->blocked = false;
            push(s, t);
        }
    }
}

static bool is_over(const struct server *s)
{
    return s->begun && s->closed == s->accepted;
}

void null_server_run(int listener, const struct null_plan *plan, void *streams, volatile struct null_facts *facts)
{
    struct server s = {.plan = plan, .facts = facts, .streams = streams, .listener = listener};
    struct epoll_event events[MOST_EVENTS];
    bool more = false;
    s.order = (struct stream **)(void *)(s.streams + plan->streams);
    memcpy(s.event, NULL_EVENT_TEXT, sizeof(s.event));
    s.epoll = epoll_create1(EPOLL_CLOEXEC);
    s.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (s.epoll < 0 || s.timer < 0 || !watch(&s, listener, EPOLLIN, LISTENER) || !watch(&s, s.timer, EPOLLIN, TIMER))
        return;
    while (!is_over(&s)) {
        int n = epoll_wait(s.epoll, events, MOST_EVENTS, more ? 0 : -1);
        for (int i = 0; i < n; i++)
            handle(&s, &events[i]);
        more = s.begun && keep_pace(&s);
    }
}
