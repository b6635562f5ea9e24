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

/* One instant on all clocks: `monotonic` is the middle of the bracket. */
struct bracket {
    uint64_t monotonic_ns, realtime_ns, raw_ns, boottime_ns, width_ns;
};

static struct bracket take_bracket(void)
{
    uint64_t before = read_clock(CLOCK_MONOTONIC);
    uint64_t real = read_clock(CLOCK_REALTIME);
    uint64_t after = read_clock(CLOCK_MONOTONIC);
    return (struct bracket){
        .monotonic_ns = before + (after - before) / 2, .realtime_ns = real, .width_ns = after - before};
}

static struct bracket take_wide_bracket(void)
{
    uint64_t before = read_clock(CLOCK_MONOTONIC);
    struct bracket b = {.raw_ns = read_clock(CLOCK_MONOTONIC_RAW)};
    b.boottime_ns = read_clock(CLOCK_BOOTTIME);
    b.realtime_ns = read_clock(CLOCK_REALTIME);
    b.width_ns = read_clock(CLOCK_MONOTONIC) - before;
    b.monotonic_ns = before + b.width_ns / 2;
    return b;
}

static struct bracket best_bracket(void)
{
    struct bracket best = take_wide_bracket();
    for (int i = 1; i < BRACKETS; i++) {
        struct bracket b = take_wide_bracket();
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

uint64_t stamp_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t stamp_process_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void stamp_clock(const struct stamp_base *base, struct tape_record *rec)
{
    struct bracket b = best_bracket();
    *rec = (struct tape_record){.kind = TAPE_CLOCK};
    rec->u.clock.time_ns = b.monotonic_ns - base->monotonic_ns;
    rec->u.clock.realtime_ns = b.realtime_ns;
    rec->u.clock.width_ns = b.width_ns;
    rec->u.clock.monotonic_raw_ns = b.raw_ns;
    rec->u.clock.boottime_ns = b.boottime_ns;
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
    uint64_t middle = b.monotonic_ns - base->monotonic_ns;
    if (b.width_ns <= WIDEST_BRACKET_NS)
        stamp_offset_update(o, middle, (int64_t)(b.realtime_ns - b.monotonic_ns));
    return middle + (b.width_ns + 1) / 2;
}

static bool has_moved(const struct stamp_offset *o, int64_t offset_ns)
{
    int64_t moved = offset_ns - o->offset_ns;
    return moved > STAMP_STEP_NS || moved < -STAMP_STEP_NS;
}

void stamp_offset_check(struct stamp_offset *o, const struct stamp_base *base, uint64_t now_ns)
{
    int64_t offset = (int64_t)(read_clock(CLOCK_REALTIME) - base->monotonic_ns - now_ns);
    if (has_moved(o, offset)) /* or the two reads were torn apart */
        stamp_offset_refresh(o, base);
    else
        o->seen_ns = now_ns;
}

static void note_step(struct stamp_offset *o, uint64_t now_ns)
{
    if (o->steps > 0 && now_ns - o->after_ns < STAMP_MUTE_NS)
        o->mute_until_ns = now_ns + STAMP_MUTE_NS;
    o->steps++;
    o->before_ns = o->seen_ns;
    o->after_ns = now_ns;
    o->old_offset_ns = o->offset_ns;
}

void stamp_offset_update(struct stamp_offset *o, uint64_t now_ns, int64_t offset_ns)
{
    if (o->known && has_moved(o, offset_ns))
        note_step(o, now_ns);
    o->offset_ns = offset_ns;
    o->seen_ns = now_ns;
    o->known = true;
}

/* When a stamp was taken, on the monotonic clock, if the wall clock stood at that offset. */
static int64_t received_at(uint64_t kernel_realtime_ns, const struct stamp_base *base, int64_t offset_ns)
{
    return (int64_t)kernel_realtime_ns - offset_ns - (int64_t)base->monotonic_ns;
}

int64_t stamp_lag(const struct stamp_offset *o, const struct stamp_base *base, uint64_t now_ns,
                  uint64_t kernel_realtime_ns)
{
    if (kernel_realtime_ns == 0 || !o->known || now_ns < o->mute_until_ns)
        return TAPE_LAG_NONE;
    int64_t received = received_at(kernel_realtime_ns, base, o->offset_ns);
    if (o->steps > 0 && now_ns < o->after_ns + STAMP_MUTE_NS) {
        int64_t old = received_at(kernel_realtime_ns, base, o->old_offset_ns);
        bool may_be_new = received >= (int64_t)o->before_ns - STAMP_STEP_NS;
        bool may_be_old = old <= (int64_t)o->after_ns + STAMP_STEP_NS;
        if (may_be_new == may_be_old)
            return TAPE_LAG_NONE;
        received = may_be_new ? received : old;
    }
    int64_t lag = (int64_t)now_ns - received;
    return lag < -STAMP_STEP_NS || lag > STAMP_ABSURD_NS ? TAPE_LAG_NONE : lag;
}
