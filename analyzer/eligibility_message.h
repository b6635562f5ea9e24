/* What a verdict says to people: numbers and words of our own, never the server's text. */
#ifndef ANALYZER_ELIGIBILITY_MESSAGE_H
#define ANALYZER_ELIGIBILITY_MESSAGE_H

#include "reason.h"

/* Fills r->verdict.message; never empty for a failure. */
void eligibility_write_message(const struct run *run, struct request *r, enum reason_code code);

#endif
