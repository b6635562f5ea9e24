/* What a reader of the numbers should know before believing them, each with how often: the reasons
 * that the policy warns of. */
#ifndef ANALYZER_WARNINGS_H
#define ANALYZER_WARNINGS_H

#include "model.h"

#define WARNINGS_MAX ((size_t)REASON_CODES)
#define WARNING_REQUESTS 8u

struct warning {
    const char *code, *text; /* static */
    uint64_t count;          /* of requests, unless the text says otherwise; never 0 */
    /* The first of those requests, where it is about some of them and not all. */
    uint64_t requests[WARNING_REQUESTS];
    size_t listed;
};

/* Those that apply, in a fixed order; returns how many. The run has been judged. */
size_t warnings_collect(const struct run *run, struct warning out[WARNINGS_MAX]);

#endif
