#include "arrival.h"

#include "intake.h"

struct look_mark *arrival_mark(struct capture *c)
{
    return sockets_mark(&c->env->sockets, c->fd, c->connection);
}

static uint64_t blind_us(const struct capture *c, uint64_t now_ns, uint64_t since_ns)
{
    uint64_t ns = now_ns - (since_ns > c->start_ns ? since_ns : c->start_ns); /* no answer before the question */
    return ns / 1000 + (ns % 1000 != 0);
}

/* All that was in the socket has been handed over: it is its recv() that was seen, not another's. Under TLS or HTTP/2
 * libcurl may keep some of what it took. */
static bool emptied_socket(const struct capture *c)
{
    return c->alone && intake_last()->fd == c->fd && intake_last()->emptied;
}

/* When the kernel received the last bytes of the read. One that filled libcurl's buffer may have left some of a
 * segment: merged with what came later it bears the time of that. (Under TLS libcurl reads record by record, so what it
 * leaves is not known: a time then, but nothing that a bound can rest on.) */
static uint64_t kernel_time(const struct capture *c)
{
    bool known = intake_last()->fd == c->socket.fd && (!c->alone || intake_last()->emptied);
    uint64_t at = intake_take_time();
    return known ? at : 0;
}

void arrival_of_head(struct capture *c)
{
    struct look_mark *mark = arrival_mark(c);
    if (mark && emptied_socket(c))
        look_drained(&c->env->sockets.look, mark);
}

struct stamp_read arrival_of_read(struct capture *c, uint64_t now)
{
    struct capture_env *env = c->env;
    struct look *look = &env->sockets.look;
    struct look_mark *mark = arrival_mark(c);
    uint64_t kernel_ns = kernel_time(c);
    struct stamp_read at = {.time_ns = now, .turn = look->turn, .lag_ns = TAPE_LAG_NONE, .blind_us = TAPE_NONE};
    if (kernel_ns) {
        stamp_offset_check(&env->offset, &env->base, now);
        at.lag_ns = stamp_lag(&env->offset, &env->base, now, kernel_ns);
    }
    if (mark) {
        look_busy(look, mark);
        at.blind_us = blind_us(c, now, mark->empty_ns);
        if (emptied_socket(c))
            look_drained(look, mark);
    }
    return at;
}

uint64_t arrival_blind_at_end(struct capture *c, uint64_t now)
{
    const struct look_mark *mark = arrival_mark(c);
    if (c->socket.since_ns != TAPE_NONE)
        return blind_us(c, now, c->socket.since_ns);
    return mark ? blind_us(c, now, look_since(&c->env->sockets.look, mark)) : TAPE_NONE;
}
