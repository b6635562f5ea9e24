/* The command line of tokentape-analyze. */
#ifndef ANALYZER_ARGUMENTS_H
#define ANALYZER_ARGUMENTS_H

#include "../format/reader.h"

enum command {
    COMMAND_NONE,
    COMMAND_RESULT,
    COMMAND_SUMMARY,
    COMMAND_VERIFY,
    COMMAND_DUMP,
    COMMAND_TIMELINE,
    COMMAND_FAILURES
};

struct arguments { /* strings borrow from argv */
    enum command command;
    const char *tape, *output;
    bool help, version, quiet, verbose;
    bool schema_exact, json, text;
    bool has_head, has_request;
    uint8_t head[32];
    uint64_t request;
    enum reader_mode mode;
};

/* TT_USAGE with one line that names the argument, the reason and the remedy. */
enum tt_status arguments_parse(int argc, char *const *argv, struct arguments *out, struct tt_error *err);
/* Help of a command, or of the program for COMMAND_NONE. */
const char *arguments_help(enum command command);

#endif
