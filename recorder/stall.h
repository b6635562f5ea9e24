/* A disk that takes nothing for a while costs no read anything, but whoever waits for the run should know. I/O thread.
 */
#ifndef RECORDER_STALL_H
#define RECORDER_STALL_H

#include "sink.h"
#include "talk.h"

struct stall {
    uint64_t lasts_ns; /* 0: there is none */
};

/* Once a turn; `talk` NULL: says nothing. A stall that is over leaves an EVENT. */
void stall_heed(struct stall *s, struct sink *sink, uint64_t now_ns, struct talk *talk);
/* While the writer is waited for, when nothing else is left to do: says once for how much. */
void stall_heed_at_end(struct stall *s, const struct sink *sink, uint64_t now_ns, struct talk *talk);

#endif
