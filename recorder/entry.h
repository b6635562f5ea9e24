/* Ring entries: a record with its texts and bytes behind it, or a body by pointer. */
#ifndef RECORDER_ENTRY_H
#define RECORDER_ENTRY_H

#include "../format/record.h"
#include "body.h"
#include "ring.h"

struct entry_body {
    uint32_t kind; /* no kind of record */
    bool with_bytes;
    struct body *body;
};

/* Copies `rec` and all its views into the ring; the consumer reads the entry as a struct
 * tape_record whose views point into the ring. False when less than keep_free bytes would be left.
 * Only kinds that the I/O thread makes: CLOCK, START .. LOST, TURN, EVENT. */
bool entry_put(struct ring *ring, const struct tape_record *rec, size_t keep_free);
/* Takes the reference on success. */
bool entry_put_body(struct ring *ring, struct body *take_body, bool with_bytes);
/* The entry as a body, or NULL when it is a record. */
const struct entry_body *entry_as_body(const void *entry);

#endif
