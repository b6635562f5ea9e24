/* Our own time limits, to the byte: libcurl's count whole seconds of an average speed,
 * and would kill a stream that sends a byte each second. I/O thread only. */
#ifndef RECORDER_DEADLINES_H
#define RECORDER_DEADLINES_H

#include "request.h"

struct deadlines {
    uint64_t timeout_ns; /* without a byte in either direction */
    uint64_t grace_ns;   /* after `data: [DONE]` */
};

/* Ends the requests whose time is up: `timeout`, or `done_grace` when the mark was seen. */
void deadlines_end_idle(struct capture_env *c, const struct deadlines *limits, uint64_t now_ns);
/* When the next one is up; LOOP_NEVER. */
uint64_t deadlines_next(struct capture_env *c, const struct deadlines *limits);
void deadlines_cancel_all(struct capture_env *c);

#endif
