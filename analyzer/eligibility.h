/* The verdict on each request (result.md sections 2 and 7): the first failing
 * step names it. Reads facts, adds nothing but `verdict`. */
#ifndef ANALYZER_ELIGIBILITY_H
#define ANALYZER_ELIGIBILITY_H

#include "model.h"

/* Fills r->verdict from the facts of one request. */
void eligibility_judge_request(const struct run *run, struct request *r);
/* All measured requests and warm-ups. */
void eligibility_judge(struct run *run);

#endif
