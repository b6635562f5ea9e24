/* A whole file through every command of the analyzer that reads a tape and writes to standard output: what has to hold
 * is in run_command.c. */
#include "run_command.h"
#include "tape_file.h"
#include "tape_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct arguments all[] = {
        {.command = COMMAND_RESULT},
        {.command = COMMAND_RESULT, .mode = READER_SALVAGE, .schema_exact = true},
        {.command = COMMAND_SUMMARY, .mode = READER_SALVAGE},
        {.command = COMMAND_VERIFY},
        {.command = COMMAND_VERIFY, .json = true, .mode = READER_SALVAGE},
        {.command = COMMAND_DUMP, .mode = READER_SALVAGE},
        {.command = COMMAND_DUMP, .text = true},
        {.command = COMMAND_TIMELINE, .mode = READER_SALVAGE, .has_request = true},
        {.command = COMMAND_TIMELINE, .json = true, .has_request = true},
        {.command = COMMAND_FOLLOW, .once = true, .json = true},
        {.command = COMMAND_EXPLAIN, .mode = READER_SALVAGE},
        {.command = COMMAND_EXPLAIN, .json = true},
        {.command = COMMAND_WHATIF, .full_capture = true, .without = {"http_status"}, .without_count = 1},
    };
    const char *path = tape_file(data, n);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct arguments a = all[i];
        a.tape = a.files[0] = path;
        a.file_count = 1;
        enum exit_status exit = run_command(&a);
        if (all[i].command == COMMAND_VERIFY)
            FUZZ_REQUIRE(exit != EXIT_SOME_FAILED);
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed)
{
    return tape_mutate(data, n, cap, seed);
}
