/* What --dry-run prints. */
#ifndef RECORDER_DRY_RUN_H
#define RECORDER_DRY_RUN_H

#include "workload.h"

/* The resolved plan on standard output, for people. Whether a key is set is said, the key is not. */
void dry_run_print(const struct options *o, const struct workload *w);

#endif
