/* How far long reading is, on a terminal. */
#ifndef ANALYZER_PROGRESS_H
#define ANALYZER_PROGRESS_H

#include <stdint.h>

#define PROGRESS_LEAST_BYTES (8u << 20) /* a smaller tape is read in about a second */

struct progress {
    int fd;
    unsigned percent; /* shown last, and one more; 0: nothing yet */
};

/* One line that is written over, whenever the percentage changes; wiped when done equals
 * total. As reader_options.progress, with a struct progress for ctx. */
void progress_show(void *ctx, uint64_t done_bytes, uint64_t total_bytes);

#endif
