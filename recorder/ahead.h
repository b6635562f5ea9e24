/* Bodies built ahead of their start, in the writer thread's idle moments: building one
 * of 300,000 tokens takes a millisecond, which the reads of the other streams must not
 * wait for. What is not there in time the I/O thread builds itself.
 *
 * Requests are counted here in the order they start: warm-ups, then measured ones. */
#ifndef RECORDER_AHEAD_H
#define RECORDER_AHEAD_H

#include "body.h"
#include "workload.h"

struct ahead; /* one producer (writer thread), one consumer (I/O thread) */

/* `most`: bodies held at once. The workload is borrowed. NULL: no memory. */
struct ahead *ahead_create(const struct workload *workload, uint32_t most);
void ahead_free(struct ahead *a); /* accepts NULL; both threads are done with it */

/* The request that starts as the `order`-th. */
uint32_t ahead_request(const struct workload *w, uint32_t order);

/* I/O thread: build from `next` on, and keep up to `count` bodies and about `bytes` ready, none at or past `end`. */
void ahead_aim(struct ahead *a, uint32_t next, uint32_t end, uint32_t count, size_t bytes);
/* I/O thread: as much is ready as was aimed at. */
bool ahead_is_ready(const struct ahead *a);
/* I/O thread: the body of the `order`-th request, ready or built now; the caller's reference. NULL: no memory. */
struct body *ahead_take(struct ahead *a, uint32_t order);

/* Writer thread: builds one more if it is wanted. False: there was nothing to do. */
bool ahead_build_one(void *ahead);

#endif
