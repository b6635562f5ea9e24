#include "backlog.h"

/* So many bytes that wait for the recorder may have closed the window of the connection (Linux begins with 64 KiB, and
 * small segments take more room than they bring). So many events may have been as many segments as a sender has under
 * way at most (ten; a few for each), which are acknowledged when they are read, or after 40 ms. */
#define MAY_CLOSE_BYTES 32768u
#define MAY_CLOSE_EVENTS 4u
/* A sender that has more than it may send sends ten segments a round trip at least, and whole ones (1,220 bytes where
 * the path takes no more than IPv6 asks for), some bytes of them not the body's. Of two that came one is acknowledged.
 */
#define FLIGHT_BYTES 10000u
#define SHORTEST_NS 1000000u

void backlog_begin(struct backlog *b)
{
    *b = (struct backlog){.last_ns = TAPE_NONE};
}

static bool may_close(const struct backlog_share *s)
{
    return s->bytes >= MAY_CLOSE_BYTES || s->events >= MAY_CLOSE_EVENTS;
}

bool backlog_may_close(const struct backlog *b)
{
    return may_close(&b->heap);
}

static uint64_t add_up_to(uint64_t sum, uint64_t more, uint64_t most)
{
    return more < most - sum ? sum + more : most;
}

/* A watch ends: it was long enough for all that was held to come, and brought less than a sender with more would send.
 */
static void end_watch(const struct backlog *b, struct backlog_path *p)
{
    if (p->bytes < FLIGHT_BYTES)
        p->held_us = 0;
    p->from_ns = b->last_ns;
    p->bytes = 0;
}

static void settle(const struct backlog *b, struct backlog_path *p, uint64_t since_ns, uint64_t round_trip_ns)
{
    if (since_ns >= b->last_ns && since_ns - b->last_ns >= round_trip_ns) {
        p->held_us = 0; /* what was held has come when nothing did for so long */
    } else if (b->held_us > 0) {
        p->held_us = (uint32_t)add_up_to(p->held_us, b->held_us, UINT32_MAX);
        p->from_ns = b->last_ns;
        p->bytes = 0;
    } else {
        p->bytes = (uint32_t)add_up_to(p->bytes, b->heap.bytes, UINT32_MAX);
        if (since_ns > p->from_ns && since_ns - p->from_ns >= 2 * round_trip_ns)
            end_watch(b, p);
    }
}

/* A turn takes what is in the socket. So much that the sender may have waited since the turn before took what was. */
static void end_turn(struct backlog *b)
{
    if (may_close(&b->in_turn) && b->last_ns > b->turn_since_ns)
        b->held_us = add_up_to(b->held_us, (b->last_ns - b->turn_since_ns) / 1000 + 1, UINT32_MAX);
    b->turn_since_ns = b->last_ns;
    b->in_turn = (struct backlog_share){0};
}

void backlog_seen_empty(struct backlog *b, uint64_t since_ns)
{
    if (since_ns <= b->since_ns + 1000) /* what says so is rounded */
        return;
    end_turn(b);
    for (unsigned i = 0; i < BACKLOG_PATHS && b->last_ns != TAPE_NONE; i++)
        settle(b, &b->paths[i], since_ns, i + 1 < BACKLOG_PATHS ? (uint64_t)SHORTEST_NS << i : UINT64_MAX / 2);
    b->since_ns = b->turn_since_ns = since_ns;
    b->reads = b->held_us = 0;
    b->heap = (struct backlog_share){0};
}

void backlog_read(struct backlog *b, uint64_t time_ns, uint64_t turn)
{
    if (turn != b->turn && b->reads > 0)
        end_turn(b);
    b->turn = turn;
    b->last_ns = time_ns;
    b->reads++;
}

void backlog_add(struct backlog *b, uint64_t bytes, uint64_t events)
{
    b->heap.bytes += bytes;
    b->heap.events += events;
    b->in_turn.bytes += bytes;
    b->in_turn.events += events;
}

struct backlog_held backlog_held(const struct backlog *b)
{
    struct backlog_held held;
    for (unsigned i = 0; i < BACKLOG_PATHS; i++)
        held.us[i] = b->paths[i].held_us;
    return held;
}

unsigned backlog_path(uint64_t round_trip_us)
{
    unsigned path = 0;
    while (path + 1 < BACKLOG_PATHS && round_trip_us > (SHORTEST_NS / 1000) << path)
        path++;
    return path;
}
