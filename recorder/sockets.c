#include "sockets.h"

#include <linux/tcp.h> /* not <netinet/tcp.h>: its struct tcp_info stops before the delivery rate */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORTS 65536u

bool sockets_init(struct sockets *s)
{
    *s = (struct sockets){.stamping_fd = -1};
    s->by_port = calloc(PORTS, sizeof(*s->by_port));
    return s->by_port != NULL;
}

void sockets_clear(struct sockets *s)
{
    if (!s->by_port)
        return; /* never initialized: its 0 is no descriptor of ours */
    if (s->stamping_fd >= 0)
        close(s->stamping_fd);
    free(s->facts);
    free(s->by_port);
    *s = (struct sockets){.stamping_fd = -1};
}

static bool ask_for_stamps(int fd)
{
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) == 0;
}

bool sockets_probe_timestamps(struct sockets *s)
{
    s->stamping_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    s->timestamps = s->stamping_fd >= 0 && ask_for_stamps(s->stamping_fd);
    return s->timestamps;
}

static struct socket_facts *facts_of(const struct sockets *s, int fd)
{
    return fd >= 0 && (size_t)fd < s->count ? &s->facts[fd] : NULL;
}

static bool grow(struct sockets *s, size_t need)
{
    size_t count = s->count ? s->count : 64;
    while (count < need)
        count *= 2;
    struct socket_facts *p = realloc(s->facts, count * sizeof(*p));
    if (!p)
        return false;
    memset(p + s->count, 0, (count - s->count) * sizeof(*p));
    s->facts = p;
    s->count = count;
    return true;
}

void sockets_opened(struct sockets *s, int fd, uint64_t now_ns)
{
    size_t at = (size_t)fd;
    if (fd < 0 || (at >= s->count && !grow(s, at + 1)))
        return;
    s->facts[at] = (struct socket_facts){.connection = ++s->connections};
    look_made(&s->look, &s->facts[at].mark, now_ns);
    if (s->timestamps)
        ask_for_stamps(fd);
}

static void read_tcp_info(int fd, struct tape_tcp *out)
{
    struct tcp_info info;
    socklen_t n = sizeof(info);
    memset(&info, 0, sizeof(info));
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0)
        return;
    *out = (struct tape_tcp){.present = true,
                             .rtt_us = info.tcpi_rtt,
                             .rttvar_us = info.tcpi_rttvar,
                             .retransmits = info.tcpi_total_retrans,
                             .snd_mss = info.tcpi_snd_mss,
                             .rcv_mss = info.tcpi_rcv_mss,
                             .delivery_rate_bytes_s = info.tcpi_delivery_rate};
}

static unsigned port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } a;
    socklen_t n = sizeof(a);
    if (getsockname(fd, &a.any, &n) != 0)
        return 0;
    return a.any.sa_family == AF_INET ? ntohs(a.v4.sin_port) : a.any.sa_family == AF_INET6 ? ntohs(a.v6.sin6_port) : 0;
}

bool sockets_bind_port(struct sockets *s, int fd, unsigned port)
{
    struct socket_facts *f = facts_of(s, fd);
    if (!f || f->connection == 0 || port == 0 || port >= PORTS || port_of(fd) != port)
        return false;
    f->port = (uint16_t)port;
    s->by_port[port] = fd + 1;
    return true;
}

int sockets_by_port(const struct sockets *s, unsigned port)
{
    return port < PORTS ? s->by_port[port] - 1 : -1;
}

uint64_t sockets_own(struct sockets *s, int fd, struct socket_owner *owner)
{
    struct socket_facts *f = facts_of(s, fd);
    if (!f)
        return 0;
    f->owner = owner;
    owner->fd = fd;
    return f->connection;
}

uint64_t sockets_connection(const struct sockets *s, int fd)
{
    struct socket_facts *f = facts_of(s, fd);
    return f ? f->connection : 0;
}

struct socket_owner *sockets_owner(const struct sockets *s, int fd)
{
    struct socket_facts *f = facts_of(s, fd);
    return f ? f->owner : NULL;
}

struct look_mark *sockets_mark(struct sockets *s, int fd, uint64_t connection)
{
    struct socket_facts *f = facts_of(s, fd);
    return f && connection != 0 && f->connection == connection ? &f->mark : NULL;
}

void sockets_tell_tcp(const struct sockets *s, int fd, uint64_t connection, struct tape_tcp *out)
{
    struct socket_facts *f = facts_of(s, fd);
    if (f && connection != 0 && f->connection == connection)
        read_tcp_info(fd, out);
}

void sockets_found_ready(struct sockets *s, int fd)
{
    struct socket_facts *f = facts_of(s, fd);
    if (f)
        look_busy(&s->look, &f->mark);
}

void sockets_left(struct sockets *s, int fd, uint64_t now_ns)
{
    struct socket_facts *f = facts_of(s, fd);
    if (f)
        look_left(&f->mark, now_ns);
}

void sockets_disown(struct sockets *s, struct socket_owner *owner)
{
    struct socket_facts *f = facts_of(s, owner->fd);
    if (!f || f->owner != owner)
        return;
    read_tcp_info(owner->fd, &owner->tcp);
    owner->since_ns = look_since(&s->look, &f->mark);
    f->owner = NULL;
    owner->fd = -1;
}

void sockets_closed(struct sockets *s, int fd)
{
    struct socket_facts *f = facts_of(s, fd);
    if (!f)
        return;
    if (f->owner)
        sockets_disown(s, f->owner);
    if (f->port != 0 && s->by_port[f->port] == fd + 1)
        s->by_port[f->port] = 0;
    *f = (struct socket_facts){0};
}
