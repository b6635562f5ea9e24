/* A file through every command that reads a result: strange, huge, deep or contradicting JSON is told, and no more. */
#include "mutate.h"
#include "run_command.h"
#include "tape_file.h"

/* libFuzzer's mutation; NULL without it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t cap);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char tape[] = "fixtures/good/plain.tape", result[] = "fixtures/good/plain.json";
    const char *path = tape_file(data, n);
    const struct arguments all[] = {
        {.command = COMMAND_AUDIT, .files = {path}, .file_count = 1},
        {.command = COMMAND_AUDIT, .files = {path, path}, .file_count = 2, .json = true, .require_proven = true},
        {.command = COMMAND_CHECK, .tape = tape, .files = {tape, path}, .file_count = 2},
        {.command = COMMAND_CHECK, .tape = tape, .files = {tape, path}, .file_count = 2, .json = true, .has_ulp = true},
        {.command = COMMAND_DIFF, .files = {path, result}, .file_count = 2},
        {.command = COMMAND_DIFF, .files = {result, path}, .file_count = 2, .json = true},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        run_command(&all[i]);
    return 0;
}

/* A value that stands behind a colon or a comma at random becomes another one. */
static size_t change_value(struct mutate_rng *rng, uint8_t *p, size_t n, size_t cap)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "{}",
                                         "[]",
                                         "[[]]",
                                         "{\"\":0}",
                                         "0",
                                         "-0",
                                         "-1",
                                         "1e999",
                                         "1e-999",
                                         "0.1",
                                         "1.0000000000000002",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "9007199254740993",
                                         "\"\"",
                                         "\"\\u001b[2J\\u202e\"",
                                         "\"\\ud800\"",
                                         "\"1970-01-01T00:00:00Z\"",
                                         "\"\\u0000\""};
    size_t at = mutate_draw(rng, (uint32_t)n), to;
    while (at < n && p[at] != ':' && p[at] != ',')
        at++;
    for (to = ++at; to < n && !strchr(",]}\n", p[to]); to++)
        ;
    const char *value = values[mutate_draw(rng, sizeof values / sizeof *values)];
    size_t length = strlen(value);
    if (to >= n || n - (to - at) + length > cap)
        return n;
    memmove(p + at + length, p + to, n - to);
    memcpy(p + at, value, length);
    return n - (to - at) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed)
{
    struct mutate_rng rng = mutate_rng_of(seed * 2654435761u);
    for (uint32_t i = mutate_draw(&rng, 3) + 1; i && n; i--) {
        if (mutate_draw(&rng, 3))
            n = change_value(&rng, data, n, cap);
        else if (LLVMFuzzerMutate && mutate_draw(&rng, 2))
            n = LLVMFuzzerMutate(data, n, cap);
        else
            mutate_bytes(&rng, data, &n, cap);
    }
    return n;
}
