/* Finds the line `data: [DONE]` in a body as it arrives, by a plain byte search across
 * reads. It starts a grace period and nothing else; the analyzer does the real framing.
 * Only at a line's start, so that an answer quoting it inside JSON does not count. */
#ifndef RECORDER_DONEMARK_H
#define RECORDER_DONEMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DONEMARK_TAIL 12 /* one less than "\ndata: [DONE]" */

struct donemark {
    uint8_t tail[DONEMARK_TAIL];
    size_t tail_bytes;
};

void donemark_begin(struct donemark *m);
/* True when the line ends in these bytes. */
bool donemark_feed(struct donemark *m, const uint8_t *bytes, size_t n);

#endif
