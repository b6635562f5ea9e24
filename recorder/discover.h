/* Asks GET <base>/models how long the context window is. */
#ifndef RECORDER_DISCOVER_H
#define RECORDER_DISCOVER_H

#include "engine.h"

struct discovery {
    bool asked;
    uint32_t window; /* 0: unknown */
    uint64_t asked_ns, answered_ns;
    unsigned status;
    uint8_t *bytes; /* the answer, credentials masked, owned */
    size_t n;
    uint64_t masked;                    /* places where a credential stood */
    char error[MULTI_ERROR_BYTES + 64]; /* why the window is unknown, "" when it is known; masked */
};

/* Never fails: what goes wrong leaves the window unknown and is told in `error`. At most 30 s. */
void discover_window(struct engine *e, struct discovery *d);
void discover_clear(struct discovery *d);
/* The SAMPLE record; views borrow from d. */
void discover_sample(const struct discovery *d, struct tape_record *rec);

#endif
