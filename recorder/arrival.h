/* When the bytes of a read came, as far as that can be known: the kernel's stamp, and since when nobody had looked.
 * I/O thread only; no system call. */
#ifndef RECORDER_ARRIVAL_H
#define RECORDER_ARRIVAL_H

#include "capture.h"

/* Of the connection that the request uses; NULL when it is not known, or closed. */
struct look_mark *arrival_mark(struct capture *c);
/* Bytes came while the head of the answer is awaited. */
void arrival_of_head(struct capture *c);
/* Body bytes were handed over at `now`. Call it once for each read. */
struct stamp_read arrival_of_read(struct capture *c, uint64_t now);
/* Since when nobody had looked for the end that came at `now`: microseconds before it, TAPE_NONE: not known. */
uint64_t arrival_blind_at_end(struct capture *c, uint64_t now);

#endif
