/* The verdict on each request (result.md sections 2 and 7) under a policy: every reason that
 * applies to it, and the first of those that exclude it, which names its failure. Reads facts,
 * adds nothing but `verdict` and the run's `policy`; may be called again with another policy. */
#ifndef ANALYZER_ELIGIBILITY_H
#define ANALYZER_ELIGIBILITY_H

#include "model.h"

/* Fills r->verdict from the facts of one request, under run->policy. */
void eligibility_judge_request(const struct run *run, struct request *r);
/* All measured requests and warm-ups. `policy` is copied; NULL: `capacity`. */
void eligibility_judge(struct run *run, const struct policy *policy);

#endif
