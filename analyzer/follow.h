/* Reads a tape while it is written, and shows how the recording stands until it ends. */
#ifndef ANALYZER_FOLLOW_H
#define ANALYZER_FOLLOW_H

#include "load.h"
#include "output.h"

struct follow_options {
    const char *tape;
    unsigned interval_ms; /* between two shows */
    bool json, once, wait;
};

/* Where it ended, beside the status: which side failed, and what there is to be judged. */
struct follow_end {
    bool is_output;              /* the failure is the output's */
    struct reader_report report; /* WRITING: shown once */
    struct run *run;             /* the caller's to free; NULL: being written, or the tape ended before RUN */
};

/* TT_OK when the tape ended, or was shown once. It holds no lock, and opens for reading alone.
 * Errors: those of loader_create(), loader_next(), loader_finish() and the output. */
enum tt_status follow_tape(const struct follow_options *options, struct output *o, struct follow_end *end,
                           struct tt_error *err);

#endif
