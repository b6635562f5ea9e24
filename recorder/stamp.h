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

/* CLOCK_MONOTONIC itself: what two processes of a machine have in common. */
uint64_t stamp_monotonic(void);
/* CPU time that all threads of this process have used, nanoseconds. */
uint64_t stamp_process_cpu(void);

/* Fills a CLOCK record: all clocks between two monotonic reads, best of many, their distance kept. */
void stamp_clock(const struct stamp_base *base, struct tape_record *rec);

#define STAMP_UTC_TEXT 17
/* "YYYYMMDDTHHMMSSZ" of the base's realtime. */
void stamp_utc_text(const struct stamp_base *base, char out[STAMP_UTC_TEXT]);

/* When bytes came, as far as it is known: what a READ says beside the bytes. */
struct stamp_read {
    uint64_t time_ns, turn;
    int64_t lag_ns;    /* TAPE_LAG_NONE: the kernel's stamp is not known */
    uint64_t blind_us; /* TAPE_NONE: not known */
};

/* Realtime minus monotonic (absolute), as the I/O thread last saw it: turns the
 * kernel's realtime receive stamps into a lag. Linux slews both clocks alike (clock_gettime(2):
 * CLOCK_MONOTONIC "is affected by frequency adjustments"), so it moves by steps of the wall clock alone. */
struct stamp_offset {
    bool known;
    int64_t offset_ns;
    uint64_t seen_ns; /* since base: when it was last seen to hold */
    uint64_t steps;   /* so far */
    /* The last step: somewhere between these two moments, from old_offset_ns. */
    uint64_t before_ns, after_ns;
    int64_t old_offset_ns;
    uint64_t mute_until_ns; /* two steps close together: no lag is told before this */
};

#define STAMP_STEP_NS 20000           /* a move beyond this is a step: four times what a bracket can be off */
#define STAMP_MUTE_NS 50000000u       /* for so long stamps from before a step may still turn up */
#define STAMP_ABSURD_NS 3600000000000 /* no lag beyond this is believed */

/* Reads both clocks and updates `o`; returns the monotonic time since base. A bracket that
 * was interrupted is passed over. Cheap enough for every loop turn (three clock reads). */
uint64_t stamp_offset_refresh(struct stamp_offset *o, const struct stamp_base *base);
/* The same with one clock read, for a moment whose monotonic time was taken just now: only when the
 * wall clock seems to have moved it looks again. For every read that has a kernel stamp. */
void stamp_offset_check(struct stamp_offset *o, const struct stamp_base *base, uint64_t now_ns);

/* The rule behind both, without a clock. */
void stamp_offset_update(struct stamp_offset *o, uint64_t now_ns, int64_t offset_ns);

/* Time between the kernel's receive stamp (realtime) and now_ns (since base), or
 * TAPE_LAG_NONE when it cannot be told: no stamp (kernel_realtime_ns 0), or one that may be from before a
 * step of the wall clock as well as from after it. `o` was checked at now_ns. Wrong by STAMP_STEP_NS at most. */
int64_t stamp_lag(const struct stamp_offset *o, const struct stamp_base *base, uint64_t now_ns,
                  uint64_t kernel_realtime_ns);

#endif
