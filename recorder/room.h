/* Whether this process may have what a run needs at a time: open files, local ports, memory. */
#ifndef RECORDER_ROOM_H
#define RECORDER_ROOM_H

#include "options.h"

#define ROOM_FILES_SPARE 64u
#define ROOM_BASE_BYTES ((uint64_t)64 << 20)
#define ROOM_STREAM_BYTES ((uint64_t)40 << 10) /* plain HTTP, without its body; README has the measurement */

/* Raises the limit on open files where that is needed and allowed. `root` goes before /proc and /sys ("" on a real
 * machine). TT_USAGE, with the remedy, when the streams of the run cannot all be had. */
enum tt_status room_make(const struct options *o, const char *root, struct tt_error *err);

/* For what the disk has not taken yet: what --ring-mib says, else 256 MiB or an eighth of the memory there is. */
size_t room_ring_bytes(const struct options *o, const char *root);
/* The most streams that room_make() would let a run of fresh connections have. */
uint32_t room_most_streams(const char *root);

#endif
