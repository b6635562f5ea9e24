#include "rate.h"

#define LEAST_SPAN_NS 100000000ull

/* Goes on to a later slot: those between are empty. */
static void move_on(struct rate *r, uint64_t slot)
{
    if (slot >= r->newest + RATE_SLOTS)
        r->newest = slot - RATE_SLOTS;
    while (r->newest < slot)
        r->slots[++r->newest % RATE_SLOTS] = (struct traffic){0};
}

void rate_add(struct rate *r, uint64_t time_ns, const struct traffic *more)
{
    uint64_t slot = time_ns / RATE_SLOT_NS;
    if (!r->begun || time_ns < r->first_ns)
        r->first_ns = time_ns;
    r->begun = true;
    move_on(r, slot);
    if (slot + RATE_SLOTS <= r->newest)
        return;
    struct traffic *t = &r->slots[slot % RATE_SLOTS];
    t->reads += more->reads;
    t->bytes += more->bytes;
    t->events += more->events;
}

bool rate_sum(struct rate *r, uint64_t to_ns, struct traffic *sum, uint64_t *span_ns)
{
    move_on(r, to_ns / RATE_SLOT_NS);
    uint64_t oldest = r->newest >= RATE_SLOTS ? r->newest - RATE_SLOTS + 1 : 0;
    uint64_t begin = oldest * RATE_SLOT_NS > r->first_ns ? oldest * RATE_SLOT_NS : r->first_ns;
    *sum = (struct traffic){0};
    for (unsigned i = 0; i < RATE_SLOTS; i++) {
        sum->reads += r->slots[i].reads;
        sum->bytes += r->slots[i].bytes;
        sum->events += r->slots[i].events;
    }
    *span_ns = r->begun && to_ns > begin ? to_ns - begin : 0;
    return *span_ns >= LEAST_SPAN_NS;
}
