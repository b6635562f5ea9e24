/* Single producer, single consumer byte ring: one contiguous entry per record.
 * The producer never waits and makes no system call; when an entry does not fit it
 * is told so. Memory is mapped, not touched, until it is used. */
#ifndef RECORDER_RING_H
#define RECORDER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring; /* opaque */

struct ring *ring_create(size_t bytes); /* NULL: no memory */
void ring_free(struct ring *r);         /* accepts NULL; both threads are done with it */

/* Producer: room for one entry of n bytes, 8-byte aligned, or NULL when less than
 * `keep_free` bytes would be left free after it. Valid until ring_commit(). */
void *ring_reserve(struct ring *r, size_t n, size_t keep_free);
/* Producer: hands the reserved entry to the consumer. */
void ring_commit(struct ring *r);
/* Any thread: bytes not yet released by the consumer. */
size_t ring_used(const struct ring *r);
size_t ring_capacity(const struct ring *r);
/* Consumer: the most bytes ever used since this was last asked. */
size_t ring_take_high_water(struct ring *r);

/* Consumer: the oldest entry, or NULL when there is none. Valid until ring_release(). */
void *ring_peek(struct ring *r, size_t *n);
/* Consumer: gives the room of the peeked entry back. */
void ring_release(struct ring *r);

#endif
