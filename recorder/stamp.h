/* The only reader of clocks. Times on the tape are nanoseconds of
 * CLOCK_MONOTONIC since a base taken once at the start. */
#ifndef RECORDER_STAMP_H
#define RECORDER_STAMP_H

#include "../format/record.h"

struct stamp_base {
    uint64_t monotonic_ns, realtime_ns; /* the same instant on both clocks */
};

/* Takes the base: realtime bracketed by two monotonic reads, best of many. */
struct stamp_base stamp_take_base(void);

/* Nanoseconds since the base. Any thread; 22 ns, no system call. */
uint64_t stamp_now(const struct stamp_base *base);

/* CLOCK_REALTIME now, nanoseconds since 1970. */
uint64_t stamp_realtime(void);

/* Fills a CLOCK record: best of many brackets, its width kept. */
void stamp_clock(const struct stamp_base *base, struct tape_record *rec);

#define STAMP_UTC_TEXT 17
/* "YYYYMMDDTHHMMSSZ" of the base's realtime. */
void stamp_utc_text(const struct stamp_base *base, char out[STAMP_UTC_TEXT]);

/* Realtime minus monotonic (absolute), as the I/O thread last saw it: turns the
 * kernel's realtime receive stamps into a lag. A step of the realtime clock makes
 * it mute until stamps taken before the step can no longer be around. */
struct stamp_offset {
    int64_t offset_ns;
    uint64_t mute_until_ns; /* since base */
    bool known;
};

#define STAMP_STEP_NS 1000000         /* a move of the offset beyond this is a step */
#define STAMP_MUTE_NS 100000000ull    /* how long no lag is told after a step */
#define STAMP_ABSURD_NS 3600000000000 /* no lag beyond this is believed */

/* Reads both clocks and updates `o`; returns the monotonic time since base. A bracket that
 * was interrupted is passed over. Cheap enough for every loop turn (three clock reads). */
uint64_t stamp_offset_refresh(struct stamp_offset *o, const struct stamp_base *base);

/* The rule behind it, without a clock. */
void stamp_offset_update(struct stamp_offset *o, uint64_t now_ns, int64_t offset_ns);

/* Time between the kernel's receive stamp (realtime) and now_ns (since base), or
 * TAPE_LAG_NONE when it cannot be told. kernel_realtime_ns 0: no stamp. */
int64_t stamp_lag(const struct stamp_offset *o, const struct stamp_base *base, uint64_t now_ns,
                  uint64_t kernel_realtime_ns);

#endif
