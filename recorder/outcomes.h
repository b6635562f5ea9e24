/* How the requests of a run ended, as far as the recorder can tell without decoding:
 * for the progress line, the exit status and the one line that names the commonest
 * reason. The verdicts that count are the analyzer's. */
#ifndef RECORDER_OUTCOMES_H
#define RECORDER_OUTCOMES_H

#include "request.h"

#define OUTCOMES_KINDS 16
#define OUTCOMES_TEXT_BYTES 240

struct outcome_kind {
    uint64_t count;
    char text[OUTCOMES_TEXT_BYTES];
};

struct outcomes {
    uint64_t succeeded, failed;
    struct outcome_kind kinds[OUTCOMES_KINDS]; /* of failures; the last one takes what is left over */
    size_t kinds_used;
};

/* A request ended. True: it succeeded (2xx, an event stream with bytes in it, whole or ended by done-grace). */
bool outcomes_add(struct outcomes *o, const struct request_outcome *r, const char *base_url);
/* A request that was never sent. */
void outcomes_add_unsent(struct outcomes *o, const char *why);
/* "3 of 8 calls failed; most often (2): ..." Empty when none failed. Calls: the analyzer finds more failed requests. */
void outcomes_describe(const struct outcomes *o, uint64_t planned, char *out, size_t cap);

#endif
