#include "stamp.h"

#include <time.h>

#define BRACKETS 32
#define WIDEST_BRACKET_NS 5000

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One instant on two clocks: `monotonic` is the middle of the bracket. */
struct bracket {
    uint64_t monotonic_ns, realtime_ns, width_ns;
};

static struct bracket take_bracket(void)
{
    uint64_t before = read_clock(CLOCK_MONOTONIC);
    uint64_t real = read_clock(CLOCK_REALTIME);
    uint64_t after = read_clock(CLOCK_MONOTONIC);
    return (struct bracket){before + (after - before) / 2, real, after - before};
}

static struct bracket best_bracket(void)
{
    struct bracket best = take_bracket();
    for (int i = 1; i < BRACKETS; i++) {
        struct bracket b = take_bracket();
        if (b.width_ns < best.width_ns)
            best = b;
    }
    return best;
}

struct stamp_base stamp_take_base(void)
{
    struct bracket b = best_bracket();
    return (struct stamp_base){b.monotonic_ns, b.realtime_ns};
}

uint64_t stamp_now(const struct stamp_base *base)
{
    return read_clock(CLOCK_MONOTONIC) - base->monotonic_ns;
}

uint64_t stamp_realtime(void)
{
    return read_clock(CLOCK_REALTIME);
}

void stamp_clock(const struct stamp_base *base, struct tape_record *rec)
{
    struct bracket b = best_bracket();
    *rec = (struct tape_record){.kind = TAPE_CLOCK};
    rec->u.clock.time_ns = b.monotonic_ns - base->monotonic_ns;
    rec->u.clock.realtime_ns = b.realtime_ns;
    rec->u.clock.width_ns = b.width_ns;
    rec->u.clock.monotonic_raw_ns = read_clock(CLOCK_MONOTONIC_RAW);
    rec->u.clock.boottime_ns = read_clock(CLOCK_BOOTTIME);
}

void stamp_utc_text(const struct stamp_base *base, char out[STAMP_UTC_TEXT])
{
    time_t seconds = (time_t)(base->realtime_ns / 1000000000u);
    struct tm utc;
    if (!gmtime_r(&seconds, &utc) || strftime(out, STAMP_UTC_TEXT, "%Y%m%dT%H%M%SZ", &utc) == 0)
        memcpy(out, "00000000T000000Z", STAMP_UTC_TEXT);
}

uint64_t stamp_offset_refresh(struct stamp_offset *o, const struct stamp_base *base)
{
    struct bracket b = take_bracket();
    uint64_t now = b.monotonic_ns + (b.width_ns + 1) / 2 - base->monotonic_ns;
    if (b.width_ns <= WIDEST_BRACKET_NS)
        stamp_offset_update(o, now, (int64_t)(b.realtime_ns - b.monotonic_ns));
    return now;
}

void stamp_offset_update(struct stamp_offset *o, uint64_t now_ns, int64_t offset_ns)
{
    int64_t moved = offset_ns - o->offset_ns;
    if (o->known && (moved > STAMP_STEP_NS || moved < -STAMP_STEP_NS))
        o->mute_until_ns = now_ns + STAMP_MUTE_NS;
    o->offset_ns = offset_ns;
    o->known = true;
}

int64_t stamp_lag(const struct stamp_offset *o, const struct stamp_base *base, uint64_t now_ns,
                  uint64_t kernel_realtime_ns)
{
    if (kernel_realtime_ns == 0 || !o->known || now_ns < o->mute_until_ns)
        return TAPE_LAG_NONE;
    int64_t received = (int64_t)kernel_realtime_ns - o->offset_ns - (int64_t)base->monotonic_ns;
    int64_t lag = (int64_t)now_ns - received;
    return lag < 0 || lag > STAMP_ABSURD_NS ? TAPE_LAG_NONE : lag;
}
