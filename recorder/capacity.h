/* `tokentape-record capacity`: one run from the command line to the closed tape. */
#ifndef RECORDER_CAPACITY_H
#define RECORDER_CAPACITY_H

#include "options.h"
#include "stamp.h"

enum capacity_exit {
    EXIT_ALL_SUCCEEDED = 0,
    EXIT_SOME_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INCOMPLETE = 3, /* said by the analyzer */
    EXIT_NOT_WRITTEN = 4,
    EXIT_INTERRUPTED = 130
};

/* The exit status that an error of ours alone leads to. */
int capacity_exit_for(enum tt_status code);

/* Returns the exit status. Where several apply, 4 > 130 > 3 > 1. Without --output (no analyzer ran) a
 * request counts as a success when its answer is a 2xx event stream that came to its end. */
int capacity_run(const struct options *options, const struct stamp_base *base);

#endif
