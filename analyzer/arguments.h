/* The command line of tokentape-analyze. */
#ifndef ANALYZER_ARGUMENTS_H
#define ANALYZER_ARGUMENTS_H

#include "../format/reader.h"
#include "client_limit.h"
#include "redact.h"

enum command {
    COMMAND_NONE,
    COMMAND_RESULT,
    COMMAND_SUMMARY,
    COMMAND_VERIFY,
    COMMAND_DUMP,
    COMMAND_TIMELINE,
    COMMAND_FAILURES,
    COMMAND_CHECK,
    COMMAND_REDACT,
    COMMAND_AUDIT,
    COMMAND_FOLLOW,
    COMMAND_DIFF,
    COMMAND_WHATIF,
    COMMAND_POLICIES,
    COMMAND_REASONS,
    COMMAND_EXPLAIN
};

#define ARGUMENTS_MAX_FILES 4096u
#define ARGUMENTS_MAX_MASKED 64u
#define ARGUMENTS_MAX_VARIANTS 15u /* of --policy, and of --without */
#define ARGUMENTS_MAX_ARMS 16u
#define ARGUMENTS_MAX_ULP 4096u
#define ARGUMENTS_LEAST_INTERVAL_MS 100u
#define ARGUMENTS_MOST_INTERVAL_MS 3600000u

struct arguments { /* strings borrow from argv */
    enum command command;
    const char *files[ARGUMENTS_MAX_FILES]; /* in the order given */
    size_t file_count;
    const char *tape, *output; /* tape: the first file of a command that reads one */
    bool help, version, quiet, verbose;
    bool schema_exact, json, text;
    bool has_head, has_request;
    uint8_t head[32];
    uint64_t request;
    const char *masked[ARGUMENTS_MAX_MASKED];
    size_t masked_count;
    bool has_ulp, require_proven, list;
    uint64_t ulp;
    bool once, wait, run;
    unsigned interval_ms;                         /* 0: not given */
    const char *policy;                           /* name or file; NULL: not given */
    const char *policies[ARGUMENTS_MAX_VARIANTS]; /* of a command that takes several */
    const char *without[ARGUMENTS_MAX_VARIANTS];
    size_t policy_count, without_count;
    bool full_capture;
    enum reader_mode mode;
    struct client_limit client_limit;
    bool has_max_client_error, strict_timing;
    bool has_keep;
    enum redact_level keep;
};

/* TT_USAGE with one line that names the argument, the reason and the remedy. */
enum tt_status arguments_parse(int argc, char *const *argv, struct arguments *out, struct tt_error *err);
/* Help of a command, or of the program for COMMAND_NONE. */
const char *arguments_help(enum command command);

#endif
