#include "ceiling.h"

uint32_t ceiling_next(const struct ceiling *c)
{
    if (c->trials == CEILING_TRIALS)
        return 0;
    if (c->trials == 0)
        return c->first;
    if (c->missed == 0)
        return c->held == c->most ? 0 : c->held > c->most / 2 ? c->most : c->held * 2;
    if (c->held == 0)
        return c->missed / 2;
    return c->missed - c->held <= c->held / 8 + 1 ? 0 : c->held + (c->missed - c->held) / 2;
}

void ceiling_note(struct ceiling *c, uint32_t streams, bool held)
{
    c->trials++;
    if (held && streams > c->held)
        c->held = streams;
    if (!held && (c->missed == 0 || streams < c->missed))
        c->missed = streams;
}
