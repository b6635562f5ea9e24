/* Where each planned request ended up: planned = succeeded + failed + cancelled + not sent. */
#ifndef ANALYZER_FAILURE_COUNT_H
#define ANALYZER_FAILURE_COUNT_H

#include "model.h"

struct failure_counts {
    uint64_t planned, succeeded, failed, cancelled, not_sent; /* measured requests */
    /* The recorder's own count (END) against what stands on the tape, warm-ups too. */
    uint64_t sent_by_count, sent_on_tape, ended_by_count, ended_on_tape;
    bool hold; /* all of it agrees */
};

/* Of a judged run. */
void failure_count(const struct run *run, struct failure_counts *out);

#endif
