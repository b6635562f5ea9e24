/* Since when nobody has looked: how long the bytes of a read can have waited for the recorder. Bytes that a
 * socket brings in this turn were not there when the loop last looked at all sockets and did not find this one ready.
 * That needs no stamp of the kernel, so it holds for TLS, HTTP/2 and Unix sockets too. No clock, no system call. */
#ifndef RECORDER_LOOK_H
#define RECORDER_LOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Of the loop. Times in ns since the base. */
struct look {
    uint64_t turn, turn_ns;       /* this turn, and when epoll had returned */
    uint64_t whole_turn, last_ns; /* the last turn that told of every ready socket, and when it began to ask */
};

/* Of one socket; zeroed when it is new, then look_made(). */
struct look_mark {
    uint64_t busy_turn;          /* the last turn in which it was ready, or read from */
    uint64_t empty_ns;           /* nothing that was not read since was in it then */
    uint64_t left_ns, waited_ns; /* when work on it ended; for how long it was seen to have nothing for us */
};

/* A turn begins: epoll has returned. */
void look_begin(struct look *l, uint64_t turn_ns);
/* How long epoll may wait at most, in ms: bytes that arrive unseen between two looks have then waited for half a per
 * cent of their request's age at most, and the bound on its times stays below the 1 % that is asked of it. A wait of
 * 1 ms is all that a loop can be asked to do for a young request; one of 5 ms costs next to nothing. */
unsigned look_again_ms(uint64_t now_ns, uint64_t last_start_ns);

/* All that was ready has been handled. asked_ns: before epoll was called. whole: epoll told of every ready socket
 * (it did not fail, and was not full). */
void look_end(struct look *l, uint64_t asked_ns, bool whole);

/* The socket was made just now, or is about to carry another request. */
void look_made(const struct look *l, struct look_mark *m, uint64_t now_ns);
/* It is ready in this turn, or bytes of it came in this turn all the same. */
void look_busy(const struct look *l, struct look_mark *m);
/* A read in this turn took all there was. */
void look_drained(const struct look *l, struct look_mark *m);
/* Work on it is done until it is ready again. */
void look_left(struct look_mark *m, uint64_t now_ns);
/* When it had nothing yet of what is or may be in it now. */
uint64_t look_since(const struct look *l, const struct look_mark *m);

#endif
