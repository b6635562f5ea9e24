/* Which requests send the same bytes. */
#ifndef RECORDER_DUPLICATES_H
#define RECORDER_DUPLICATES_H

#include "workload.h"

/* Sets same_body_as of every buildable request from the hashes. TT_NOMEM. */
enum tt_status duplicates_find(struct workload *w, struct tt_error *err);

#endif
