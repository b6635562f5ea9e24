#include "look.h"

#define LOOK_SHARE_OF_AGE 400u /* two waits may lie between */
#define LOOK_SELDOMEST_MS 5u

void look_begin(struct look *l, uint64_t turn_ns)
{
    l->turn++;
    l->turn_ns = turn_ns;
}

unsigned look_again_ms(uint64_t now_ns, uint64_t last_start_ns)
{
    uint64_t ms = (now_ns - last_start_ns) / LOOK_SHARE_OF_AGE / 1000000;
    return ms < 1 ? 1 : ms > LOOK_SELDOMEST_MS ? LOOK_SELDOMEST_MS : (unsigned)ms;
}

void look_end(struct look *l, uint64_t asked_ns, bool whole)
{
    if (!whole)
        return;
    l->whole_turn = l->turn;
    l->last_ns = asked_ns;
}

void look_made(const struct look *l, struct look_mark *m, uint64_t now_ns)
{
    *m = (struct look_mark){.busy_turn = l->turn, .empty_ns = l->turn_ns, .left_ns = now_ns};
}

uint64_t look_since(const struct look *l, const struct look_mark *m)
{
    return m->busy_turn < l->whole_turn ? l->last_ns : m->empty_ns;
}

void look_busy(const struct look *l, struct look_mark *m)
{
    m->empty_ns = look_since(l, m);
    m->busy_turn = l->turn;
    if (m->empty_ns <= m->left_ns)
        return;
    m->waited_ns += m->empty_ns - m->left_ns;
    m->left_ns = m->empty_ns; /* counted once */
}

void look_drained(const struct look *l, struct look_mark *m)
{
    m->empty_ns = l->turn_ns;
    m->busy_turn = l->turn;
}

void look_left(struct look_mark *m, uint64_t now_ns)
{
    m->left_ns = now_ns;
}
