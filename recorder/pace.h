/* How fast new connections are opened. The customary listen backlog is 128; a connect that finds it
 * full is silently dropped and tried again by the kernel after a whole second, which would then stand
 * in TTFO. So many may be opened at once as fit with room to spare, then one in each interval (a
 * token bucket, kept as the time at which it would be full again). */
#ifndef RECORDER_PACE_H
#define RECORDER_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_AT_ONCE 64u

struct pace {
    uint64_t interval_ns; /* 0: no bound */
    uint64_t full_at_ns;  /* since base */
};

/* per_second 0: no bound. */
static inline void pace_init(struct pace *p, uint32_t per_second)
{
    *p = (struct pace){.interval_ns = per_second ? 1000000000u / per_second : 0};
}

/* When the next one may be opened. */
static inline uint64_t pace_next(const struct pace *p)
{
    uint64_t room = p->interval_ns * (PACE_AT_ONCE - 1);
    return p->full_at_ns > room ? p->full_at_ns - room : 0;
}

static inline bool pace_allows(const struct pace *p, uint64_t now_ns)
{
    return p->interval_ns == 0 || now_ns >= pace_next(p);
}

/* One was opened. */
static inline void pace_note(struct pace *p, uint64_t now_ns)
{
    p->full_at_ns = (p->full_at_ns > now_ns ? p->full_at_ns : now_ns) + p->interval_ns;
}

#endif
