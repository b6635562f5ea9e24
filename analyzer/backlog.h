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

/* What came, in a heap or in one turn of the recorder's loop. */
struct backlog_share {
    uint64_t bytes, events;
};

struct backlog {
    /* The heap in hand. last_ns: of the last read before now, TAPE_NONE without one. held_us: in its turns but the
     * last. */
    uint64_t since_ns, last_ns, reads, held_us;
    struct backlog_share heap;
    /* The turn in hand, and the last read before it, or since_ns. */
    uint64_t turn, turn_since_ns;
    struct backlog_share in_turn;
    struct backlog_path paths[BACKLOG_PATHS];
};

struct backlog_held {
    uint32_t us[BACKLOG_PATHS];
};

void backlog_begin(struct backlog *b);
/* The socket was seen empty then: what comes is another heap. */
void backlog_seen_empty(struct backlog *b, uint64_t since_ns);
/* A read begins, and brings bytes and events. */
void backlog_read(struct backlog *b, uint64_t time_ns, uint64_t turn);
void backlog_add(struct backlog *b, uint64_t bytes, uint64_t events);
/* The heap in hand is so large that the sender may have had to wait for it to be taken. */
bool backlog_may_close(const struct backlog *b);
/* What is sent now may be late by so much. */
struct backlog_held backlog_held(const struct backlog *b);
/* The path of a round trip that may take so long; TAPE_NONE: not known. */
unsigned backlog_path(uint64_t round_trip_us);

#endif
