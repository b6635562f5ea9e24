/* What one request leaves on the tape: from its START to its DONE. Knows records,
 * times and masking; nothing of libcurl. I/O thread only; in the read path no
 * allocation, no lock, no system call. */
#ifndef RECORDER_CAPTURE_H
#define RECORDER_CAPTURE_H

#include "donemark.h"
#include "head.h"
#include "idle.h"
#include "sink.h"
#include "sockets.h"

/* Shared by all requests of a run. */
struct capture_env {
    struct sink *sink;
    struct stamp_base base;
    struct stamp_offset offset;
    struct sockets sockets;
    const struct redact_rules *rules;
    uint64_t last_start_ns;
    bool shared_sockets;      /* HTTP/2: a socket may carry several requests, so it says nothing of one */
    struct idle_list active;  /* every request in flight, by its last byte in either direction */
    struct idle_list closing; /* those that have seen `data: [DONE]`, by when */
    struct idle_list sending; /* those whose body is not yet all with the kernel */
    struct pack scratch;
    uint64_t reads, read_bytes, lost_reads; /* of all requests */
};

struct capture {
    struct socket_owner socket; /* first: the sockets know a request by this */
    struct capture_env *env;
    struct redact *redact; /* NULL: there is nothing to mask */
    struct idle_node active, closing, sending;
    struct donemark mark;
    uint64_t request, start_ns;
    int fd; /* of the connection it uses or used; -1: not known */
    uint64_t connection;
    bool alone; /* and a short read of it empties the socket: no TLS, no other request */
    uint64_t waited_before_ns;
    uint64_t body_bytes, reads;
    uint64_t send_first_ns, send_last_ns, sent_bytes;
    uint64_t lost_count, lost_bytes, lost_first_ns; /* nothing more is recorded once lost_count > 0 */
    bool body_begun;
    struct head head;
};

/* Once for each slot. `rules` of env may be empty. TT_NOMEM. */
enum tt_status capture_init(struct capture *c, struct capture_env *env, struct tt_error *err);
void capture_clear(struct capture *c);

/* Clock zero. Room in the sink has been claimed. */
void capture_start(struct capture *c, uint64_t request);
/* A connection is there and the request is about to be sent on `fd`. */
void capture_connected(struct capture *c, int fd, uint64_t local_port, bool reused, const char *tls, const char *http);
/* The kernel has `sent` bytes of the body by now; `total` ends the upload. */
void capture_sent(struct capture *c, uint64_t sent, uint64_t total);
/* Bytes of the head of its answer came, though perhaps no whole line. */
void capture_stirred(struct socket_owner *owner);
void capture_head_line(struct capture *c, const uint8_t *line, size_t n);
void capture_read(struct capture *c, const uint8_t *bytes, size_t n);

struct capture_end {
    uint64_t curl_code, http_status;
    const char *reason; /* a word of RECORDS.md, static */
    char *error;        /* masked in place; NULL or "": none */
    struct tape_timers timers;
};

/* The request is over: what is held back, SEND if it never came to an end, LOST, DONE. Gives the room back. */
void capture_done(struct capture *c, const struct capture_end *end);

#endif
