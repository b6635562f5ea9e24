/* Runs tokentape-analyze on the finished tape, as a program of its own: the recorder
 * decodes nothing. */
#ifndef RECORDER_ANALYZE_CHILD_H
#define RECORDER_ANALYZE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "../format/status.h"

/* Finds the program: $TOKENTAPE_ANALYZE, else beside this program, else in $PATH. TT_USAGE: nowhere. */
enum tt_status analyze_child_find(char *out, size_t cap, struct tt_error *err);
#define ANALYZE_CHILD_INTERRUPTED (-2)

struct analyze_options {
    const char *output;           /* what -o gets, or NULL */
    const char *max_client_error; /* likewise --max-client-error */
    bool strict_timing, silent;
};

/* Runs `command` on the tape and waits. silent: what it prints goes nowhere. Its exit
 * status; -1 when it could not be run or was killed; ANALYZE_CHILD_INTERRUPTED when this process got a SIGINT, SIGTERM
 * or SIGQUIT meanwhile, which is passed on to it. Signal mask and dispositions are the usual ones in the child; SIGCHLD
 * stays blocked in this one. */
int analyze_child_run(const char *program, const char *command, const char *tape,
                      const struct analyze_options *options);

#endif
