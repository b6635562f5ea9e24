/* What every command of the analyzer keeps to, whatever it is given. */
#ifndef FUZZ_RUN_COMMAND_H
#define FUZZ_RUN_COMMAND_H

#include "../../analyzer/command.h"
#include "fuzz.h"

/* Runs it and requires what has to hold of its output, its line and its exit status, which is given back. */
enum exit_status run_command(const struct arguments *a);

#endif
