#include "deadlines.h"

void deadlines_end_idle(struct capture_env *c, const struct deadlines *limits, uint64_t now_ns)
{
    struct idle_node *node;
    while ((node = idle_oldest(&c->closing)) != NULL && now_ns >= node->since_ns + limits->grace_ns)
        request_abort(request_of_closing(node), "done_grace");
    while ((node = idle_oldest(&c->active)) != NULL && now_ns >= node->since_ns + limits->timeout_ns)
        request_abort(request_of_active(node), request_saw_done(request_of_active(node)) ? "done_grace" : "timeout");
}

uint64_t deadlines_next(struct capture_env *c, const struct deadlines *limits)
{
    struct idle_node *active = idle_oldest(&c->active), *closing = idle_oldest(&c->closing);
    uint64_t at = active ? active->since_ns + limits->timeout_ns : LOOP_NEVER;
    if (closing && closing->since_ns + limits->grace_ns < at)
        at = closing->since_ns + limits->grace_ns;
    return at;
}

void deadlines_cancel_all(struct capture_env *c)
{
    struct idle_node *node;
    while ((node = idle_oldest(&c->active)) != NULL)
        request_abort(request_of_active(node), "cancelled");
}
