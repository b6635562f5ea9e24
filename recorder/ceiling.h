/* The most streams that a machine bears, by a bounded search: doubled or halved until the answer is between two
 * neighbours, then halved down to an eighth. */
#ifndef RECORDER_CEILING_H
#define RECORDER_CEILING_H

#include <stdbool.h>
#include <stdint.h>

#define CEILING_TRIALS 10u

struct ceiling {
    uint32_t first, most;
    uint32_t held, missed; /* greatest that held, least that did not; 0: none */
    unsigned trials;
};

static inline void ceiling_begin(struct ceiling *c, uint32_t first, uint32_t most)
{
    *c = (struct ceiling){.first = first < most ? first : most, .most = most};
}

/* What to try next; 0: the search is over. */
uint32_t ceiling_next(const struct ceiling *c);
void ceiling_note(struct ceiling *c, uint32_t streams, bool held);

#endif
