/* How many prompt tokens a run may ask for. */
#ifndef RECORDER_BUDGET_H
#define RECORDER_BUDGET_H

#include "options.h"

#define BUDGET_MAX_TOKENS 67108864u
#define BUDGET_WIDEST_SAMPLE 262144u /* the widest context that is sampled */

/* requests x (--ctx-tokens, or the widest sampled context that `cap` lets through; cap 0: none), and warm-ups likewise.
 * TT_USAGE past the budget. */
enum tt_status budget_check(const struct options *o, uint32_t cap, struct tt_error *err);

#endif
