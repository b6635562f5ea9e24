/* Everything one run holds, made in the order in which it is needed: limits, masks,
 * engine, window, workload, tape. */
#ifndef RECORDER_SESSION_H
#define RECORDER_SESSION_H

#include "discover.h"
#include "engine.h"
#include "schedule.h"
#include "talk.h"

struct session {
    const struct options *options;
    const struct session_watch *watch; /* during session_open() */
    struct stamp_base base;
    struct talk talk;
    struct redact_rules *rules;
    char analyzer[4096]; /* "": not found, and not needed */
    char resolved[1024];
    struct engine engine;
    struct discovery discovery;
    struct workload *workload;
    struct ahead *ahead;
    struct sink *sink;
    struct schedule *schedule;
    struct cpus_before unpinned;
    bool key_masked;
};

/* Is shown every record that goes through the ring, in the writer thread, before it is gone. */
struct session_watch {
    void (*see)(void *ctx, const struct tape_record *rec);
    void *ctx;
};

/* Up to the tape with RUN, SAMPLE, CLOCK and every PLAN on it, synced, and the writer running. Until then
 * nothing but GET /models was sent. TT_END: interrupted, nothing is left behind. `watch` NULL: nobody does. */
enum tt_status session_open(struct session *s, const struct options *options, const struct stamp_base *base,
                            const struct session_watch *watch, struct tt_error *err);
/* The last record; waits for the writer. An error when something of the run is not on the tape, or the tape not
 * where it should be. */
enum tt_status session_finish(struct session *s, struct tt_error *err);
void session_clear(struct session *s); /* after a failed open too */

#endif
