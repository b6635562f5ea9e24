/* Accepts connections, reads requests, lets the answers play. One thread. */
#ifndef MOCK_SERVER_H
#define MOCK_SERVER_H

#include "heap.h"
#include "log.h"

struct server_options {
    const char *model;
    uint64_t max_model_len; /* 0: the models answer does not tell */
    uint64_t words;         /* for `repeat words` when the prompt asks for none */
    double chars_per_token;
    uint64_t read_delay_ns; /* between a request's head and the rest of its body */
    int receive_buffer;     /* SO_RCVBUF of connections, 0: the system's */
    int segment;            /* TCP_MAXSEG, 0: the system's */
    uint64_t log_writes;    /* writes noted per request */
    const char *address;    /* loopback, IPv4 or IPv6 */
    const char *unix_path;  /* NULL, or the Unix socket to listen on in place of a port */
    uint16_t port;
};

struct server {
    struct server_options options;
    struct script script, builtin;
    struct log log;
    struct heap heap;
    struct conn **by_fd; /* open connections, by descriptor */
    size_t by_fd_cap;
    int listener, epoll, timer, signals;
    uint64_t connections, ordinals;
    bool stop;
    char input[65536];
};

/* Listens and returns the port. Dies with one line when it cannot. */
uint16_t server_listen(struct server *s);
void server_run(struct server *s); /* until SIGTERM or SIGINT */
void server_free(struct server *s);

/* session.c: what happens on one connection */
void session_open(struct server *s, int fd);
void session_readable(struct server *s, struct conn *c);
void session_play(struct server *s, struct conn *c);
void session_close(struct server *s, struct conn *c, const char *by);
void session_wake(struct server *s, struct conn *c); /* its time has come */

#endif
