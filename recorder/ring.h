/* Single producer, single consumer queue of bytes: one contiguous entry per record.
 * The producer never waits and makes no system call; when an entry does not fit it
 * is told so.
 *
 * The bytes lie in segments. One that was read to its end is the next to be filled, so what a
 * run touches of the memory, and keeps in the cache, is what it needed at its worst moment: the capacity may be far
 * larger than what is used of it. */
#ifndef RECORDER_RING_H
#define RECORDER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring; /* opaque */

/* `bytes` is rounded up. An entry may have up to ring_largest_entry() bytes. NULL: no memory. */
struct ring *ring_create(size_t bytes);
void ring_free(struct ring *r); /* accepts NULL; both threads are done with it */
size_t ring_capacity(const struct ring *r);
/* 256 KiB less a few bytes; a sixteenth of the capacity when that is less. */
size_t ring_largest_entry(const struct ring *r);

/* Producer: room for one entry of n bytes, 8-byte aligned, or NULL when less than
 * `keep_free` bytes would be left free after it. Valid until ring_commit(). */
void *ring_reserve(struct ring *r, size_t n, size_t keep_free);
/* Producer: hands the reserved entry to the consumer. */
void ring_commit(struct ring *r);
/* Producer: bytes that are free; the end of a segment that an entry does not fit into is lost to it. */
size_t ring_room(struct ring *r);
/* Any thread: bytes not yet released by the consumer. */
size_t ring_used(const struct ring *r);
/* Consumer: the most bytes ever used since this was last asked. */
size_t ring_take_high_water(struct ring *r);

/* Consumer: the oldest entry, or NULL when there is none. Valid until ring_release(). */
void *ring_peek(struct ring *r, size_t *n);
/* Consumer: gives the room of the peeked entry back. */
void ring_release(struct ring *r);

#endif
