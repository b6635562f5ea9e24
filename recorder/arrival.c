#include "arrival.h"

#define FULL_READ_BYTES 16384u /* libcurl's buffer */

struct look_mark *arrival_mark(struct capture *c)
{
    return sockets_mark(&c->env->sockets, c->fd, c->connection);
}

static uint64_t blind_us(const struct capture *c, uint64_t now_ns, uint64_t since_ns)
{
    uint64_t ns = now_ns - (since_ns > c->start_ns ? since_ns : c->start_ns); /* no answer before the question */
    return ns / 1000 + (ns % 1000 != 0);
}

/* A read that libcurl's buffer had room beyond took all there was. That of the first bytes of a body may have held the
 * end of the head too, and under TLS or HTTP/2 what comes out of libcurl is not what it read. */
static bool emptied_socket(const struct capture *c, size_t n)
{
    return c->alone && c->reads > 0 && n < FULL_READ_BYTES;
}

/* The first bytes of a body, in a read that the head before them had filled up to the end: that may have left some of
 * the segment that was looked at, and its stamp may be of those. The tape does not say how long a head was. */
static bool head_filled_it(const struct capture *c, size_t n)
{
    return c->reads == 0 && n < FULL_READ_BYTES && c->head_bytes + n >= FULL_READ_BYTES;
}

struct stamp_read arrival_of_read(struct capture *c, uint64_t now, size_t n)
{
    struct capture_env *env = c->env;
    struct look *look = &env->sockets.look;
    struct look_mark *mark = arrival_mark(c);
    uint64_t kernel_ns = sockets_take_stamp(&env->sockets, c->socket.fd);
    struct stamp_read at = {.time_ns = now, .turn = look->turn, .lag_ns = TAPE_LAG_NONE, .blind_us = TAPE_NONE};
    if (kernel_ns && !head_filled_it(c, n)) {
        stamp_offset_check(&env->offset, &env->base, now);
        at.lag_ns = stamp_lag(&env->offset, &env->base, now, kernel_ns);
    }
    if (mark) {
        look_busy(look, mark);
        at.blind_us = blind_us(c, now, mark->empty_ns);
        if (emptied_socket(c, n))
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
