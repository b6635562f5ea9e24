/* The transfer slots of a run, made when first needed, and the start of one request in
 * one of them. I/O thread only. */
#ifndef RECORDER_SLOTS_H
#define RECORDER_SLOTS_H

#include "ahead.h"
#include "engine.h"

struct slots {
    struct engine *engine;
    const struct workload *workload;
    struct ahead *ahead;
    struct request **made, **idle;
    uint32_t most, made_count, idle_count;
    uint8_t *kept; /* by request: the body with this as its first owner is on the tape */
};

enum slots_result {
    SLOTS_STARTED,
    SLOTS_NO_ROOM, /* the writer is behind: later */
    SLOTS_UNSENT   /* it never will be; `why` says so */
};

/* As many as the run's concurrency. Everything is borrowed. TT_NOMEM. slots_clear() afterwards in any case. */
enum tt_status slots_init(struct slots *s, struct engine *engine, const struct workload *workload, struct ahead *ahead,
                          struct tt_error *err);
void slots_clear(struct slots *s);

uint32_t slots_in_flight(const struct slots *s);
bool slots_all_busy(const struct slots *s);
/* The next start is likely to open a connection of its own: always when none is kept, else as long as not every
 * slot has been in use. Not after connections were opened ahead, nor where one carries all streams. */
bool slots_next_connects(const struct slots *s);
/* Starts the `order`-th request (ahead.h); not all slots are busy. It may be over when this returns. */
enum slots_result slots_start(struct slots *s, uint32_t order, const char **why);
/* The request in this slot is over. */
void slots_give_back(struct slots *s, struct request *r);

#endif
