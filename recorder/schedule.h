/* The closed loop: a slot that becomes free starts the next request at once. Warm-ups
 * first, then the measured requests. I/O thread only. */
#ifndef RECORDER_SCHEDULE_H
#define RECORDER_SCHEDULE_H

#include "ahead.h"
#include "engine.h"
#include "outcomes.h"
#include "talk.h"
#include "workload.h"

#define SCHEDULE_AHEAD 8u /* bodies kept ready beyond those of the first fill */

struct schedule; /* opaque */

struct schedule_totals {
    uint64_t planned, started, done;
    bool interrupted;
    bool starved; /* the writer was in trouble, so some were never started */
    struct outcomes measured;
};

/* Everything is borrowed. The sink has been started. TT_NOMEM. */
enum tt_status schedule_create(struct schedule **out, struct engine *engine, const struct workload *workload,
                               struct ahead *ahead, struct talk *talk, struct tt_error *err);
/* Runs to the end: complete, interrupted, or stopped because the tape cannot grow. */
void schedule_run(struct schedule *s);
const struct schedule_totals *schedule_totals(const struct schedule *s);
void schedule_free(struct schedule *s); /* accepts NULL */

#endif
