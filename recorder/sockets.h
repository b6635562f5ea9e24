/* What is known of each socket by its number: which connection it is, whose
 * request it carries, since when nobody has looked at it. I/O thread only. */
#ifndef RECORDER_SOCKETS_H
#define RECORDER_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../format/record.h"
#include "look.h"

/* What a request shows to the sockets; first member of struct capture. */
struct socket_owner {
    bool uploading; /* its body is not yet all with the kernel */
    bool heading;   /* its answer's body has not begun: libcurl tells of a head by whole lines only */
    int fd;         /* -1: none (any more) */
    struct tape_tcp tcp;
    uint64_t since_ns; /* look_since() of its socket when they parted */
};

struct sockets {
    struct socket_facts *facts; /* by file descriptor */
    size_t count;
    int *by_port;         /* descriptor + 1, 0: none */
    uint64_t connections; /* opened so far */
    bool timestamps;      /* the kernel stamps what it receives */
    struct look look;
    int stamping_fd; /* keeps it stamping: it begins a moment after the first socket that asks */
};

struct socket_facts {
    uint64_t connection;        /* 0: not ours */
    struct socket_owner *owner; /* NULL: idle */
    uint16_t port;              /* 0: not bound */
    struct look_mark mark;
};

bool sockets_init(struct sockets *s);  /* false: no memory */
void sockets_clear(struct sockets *s); /* of a zeroed one too */
/* True when SO_TIMESTAMPNS works here; remembered in `timestamps`. */
bool sockets_probe_timestamps(struct sockets *s);

/* libcurl made a socket: numbers the connection, asks for receive stamps. */
void sockets_opened(struct sockets *s, int fd, uint64_t now_ns);
/* Says that fd is the connection of ours with this local port; false when it is not. */
bool sockets_bind_port(struct sockets *s, int fd, unsigned port);
/* The open connection with this local port; -1: none. (An IPv4 and an IPv6 one may share a number: the later wins.) */
int sockets_by_port(const struct sockets *s, unsigned port);

/* The request `owner` is about to use fd; returns the connection's number (0: unknown). */
uint64_t sockets_own(struct sockets *s, int fd, struct socket_owner *owner);
/* The number alone, for a socket that several requests may use at a time. */
uint64_t sockets_connection(const struct sockets *s, int fd);
struct socket_owner *sockets_owner(const struct sockets *s, int fd);
/* What is known of when fd was ready; NULL when it is not (any more) the connection of that number. */
struct look_mark *sockets_mark(struct sockets *s, int fd, uint64_t connection);
/* TCP_INFO of that connection into *out, which else stays as it is. */
void sockets_tell_tcp(const struct sockets *s, int fd, uint64_t connection, struct tape_tcp *out);
/* The request is over: keeps TCP_INFO in it and parts it from its socket (which may live on). */
void sockets_disown(struct sockets *s, struct socket_owner *owner);
/* The socket is about to be closed; an owner is parted from it as above. */
void sockets_closed(struct sockets *s, int fd);

/* The loop found fd ready. */
void sockets_found_ready(struct sockets *s, int fd);
/* What was to do for it is done. */
void sockets_left(struct sockets *s, int fd, uint64_t now_ns);

#endif
