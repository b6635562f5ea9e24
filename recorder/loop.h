/* epoll, one timerfd, one signalfd: everything the I/O thread waits for. */
#ifndef RECORDER_LOOP_H
#define RECORDER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "../format/status.h"

enum loop_what { LOOP_SOCKET, LOOP_TIMER, LOOP_SIGNAL, LOOP_WAKE };

struct loop_event {
    enum loop_what what;
    int fd;     /* LOOP_SOCKET */
    int signal; /* LOOP_SIGNAL: its number */
    bool readable, writable, error;
};

#define LOOP_MAX_EVENTS 256
#define LOOP_NEVER UINT64_MAX

struct loop; /* opaque */

/* Blocks SIGINT, SIGTERM, SIGQUIT and SIGCONT for this thread (and those it makes later) and takes them by
 * signalfd; ignores SIGHUP, SIGPIPE, SIGTTOU and SIGXFSZ. `base_ns`: CLOCK_MONOTONIC at time 0 of
 * loop_arm(). Errors: TT_IO, TT_NOMEM. */
enum tt_status loop_create(struct loop **out, uint64_t base_ns, struct tt_error *err);
void loop_free(struct loop *l); /* accepts NULL */

/* Watches a socket, changes what is watched for, or (neither) lets go of it. */
void loop_watch(struct loop *l, int fd, bool readable, bool writable);
/* Wakes the loop (LOOP_WAKE) while fd is readable; the caller reads it. */
enum tt_status loop_watch_wake(struct loop *l, int fd, struct tt_error *err);
/* Wakes the loop at `at_ns` (since the base) or somewhat before a later one; LOOP_NEVER: not at all.
 * A system call only when that is earlier than what is armed. */
void loop_arm(struct loop *l, uint64_t at_ns);
/* Waits for events, that long at most. Returns how many, in `events` (LOOP_MAX_EVENTS). *whole: whatever is not
 * among them was not ready. */
int loop_wait(struct loop *l, struct loop_event *events, unsigned most_ms, bool *whole);

#endif
