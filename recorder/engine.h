/* The I/O thread's machine: loop, libcurl and what all requests of a run share. One
 * turn = one return of epoll and everything done because of it. */
#ifndef RECORDER_ENGINE_H
#define RECORDER_ENGINE_H

#include "loop.h"
#include "multi.h"
#include "request.h"

struct engine {
    const struct options *options;
    struct loop *loop;
    struct multi *multi;
    struct capture_env capture; /* .sink is set once there is a tape */
    struct request_env request;
    void *get_headers;
    unsigned signals; /* SIGINT, SIGTERM and SIGQUIT so far */
    int last_signal;
    bool continued;    /* after having been stopped; whoever heeds it sets it back */
    bool saw_all;      /* this turn handled all sockets that were ready */
    bool woken;        /* a watched descriptor is readable */
    uint64_t asked_ns; /* when epoll was (or is about to be) asked; 0: not known */
    uint64_t turn_ns;  /* when this turn began */
    uint64_t due_ns;   /* when it did or should have: epoll returns in time, or was asked too late */
    uint64_t steps;    /* of the wall clock that are told of */
    uint64_t next_clock_ns;
};

/* `resolved`: see multi_options. `rules`, `options` and `resolved` are borrowed. */
enum tt_status engine_create(struct engine *e, const struct options *options, const struct stamp_base *base,
                             const struct redact_rules *rules, const char *resolved, struct tt_error *err);
void engine_clear(struct engine *e); /* after a failed create too */

/* Waits for events (until `until_ns` at most; not at all when `wait` is false) and handles them.
 * A second signal leaves the process at once, with status 130. */
void engine_turn(struct engine *e, bool wait, uint64_t until_ns);
/* The work of the turn is done: leaves a TURN when the loop was over 1 ms late. */
void engine_end_turn(struct engine *e);

#define ENGINE_LONG_TURN_NS 1000000u

#endif
