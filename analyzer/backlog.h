/* How long a sender may have been held back by bytes that nobody took (timing.h, 3): an account of one connection, of
 * all its streams. Reads between two moments at which the socket was seen empty are one heap. How soon it is known that
 * nothing is held any more depends on the round trip, which the tape tells behind the answer; so the account is kept
 * for several, in fixed memory. */
#ifndef ANALYZER_BACKLOG_H
#define ANALYZER_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "../format/record.h"

#define BACKLOG_PATHS                                                                                                  \
    10u /* round trips of at most 1, 2, 4 ... 256 ms; the last: of any, so nothing is known to be over */

struct backlog_path {
    uint32_t held_us; /* the sum; at its greatest it stays */
    uint32_t bytes;   /* small heaps since from_ns */
    uint64_t from_ns; /* the last read of the last large one, or the end of the last watch */
};

struct backlog {
    /* The heap in hand. last_ns: of the last read before now, TAPE_NONE without one. */
    uint64_t since_ns, last_ns, bytes, events, reads;
    struct backlog_path paths[BACKLOG_PATHS];
};

struct backlog_held {
    uint32_t us[BACKLOG_PATHS];
};

void backlog_begin(struct backlog *b);
/* The socket was seen empty then: what comes is another heap. */
void backlog_seen_empty(struct backlog *b, uint64_t since_ns);
/* A read begins, and brings bytes. */
void backlog_read(struct backlog *b, uint64_t time_ns);
/* The heap in hand is so large that the sender may have had to wait for it to be taken. */
bool backlog_may_close(const struct backlog *b);
/* What is sent now may be late by so much. */
struct backlog_held backlog_held(const struct backlog *b);
/* The path of a round trip that may take so long; TAPE_NONE: not known. */
unsigned backlog_path(uint64_t round_trip_us);

#endif
