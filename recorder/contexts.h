/* How long each prompt is to be: the context plan of result.md section 1. */
#ifndef RECORDER_CONTEXTS_H
#define RECORDER_CONTEXTS_H

#include "options.h"

/* Context of one draw 0 <= u < 1 from the measured distribution. */
uint32_t contexts_sample(double u);
/* One target a request, in index order: --ctx-tokens or a draw, then at most `cap` (0: none). TT_NOMEM. */
enum tt_status contexts_plan(const struct options *o, uint32_t cap, uint32_t *targets, size_t n, struct tt_error *err);

#endif
