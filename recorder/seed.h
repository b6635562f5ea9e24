/* The seed as text: an integer of any length. */
#ifndef RECORDER_SEED_H
#define RECORDER_SEED_H

#include <stdbool.h>

#include "../format/status.h"

#define SEED_MAX_DIGITS 1000 /* it stands in every prompt and every marker */

/* Canonical decimal, malloc'd: "+5" is "5", "007" is "7", "-0" is "0"; "random" draws 63 bits from the
 * kernel. NULL text: "0". Errors: TT_USAGE, TT_NOMEM, TT_IO (no random bytes). */
enum tt_status seed_parse(const char *text, char **out, bool *was_random, struct tt_error *err);

#endif
