/* Drives a fuzz target without libFuzzer: the files it is given, each also cut short at a few places, and
 * then changed by the target's own mutator (bytes at random where it has none). The same seed gives the
 * same inputs everywhere. usage: fuzz_x [--changed N] [--seed S] FILE ... */
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"
#include "mutate.h"

#define MAX_INPUT_BYTES (4u << 20)
#define MAX_CHANGED_BYTES (64u << 10) /* larger files are not changed */
#define CHANGES_ON_CHANGES 16u        /* so many one after another, then from the file again */

__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static char where[512]; /* the input at hand, for the last words */

static void say_where(void)
{
    if (write(STDERR_FILENO, where, strlen(where)) < 0)
        return;
}

static void on_signal(int number)
{
    say_where();
    signal(number, SIG_DFL);
    raise(number);
}

static size_t change(uint8_t *p, size_t n, uint32_t seed)
{
    if (LLVMFuzzerCustomMutator)
        return LLVMFuzzerCustomMutator(p, n, MAX_CHANGED_BYTES, seed);
    struct mutate_rng rng = mutate_rng_of(seed * 2654435761u);
    mutate_bytes(&rng, p, &n, MAX_CHANGED_BYTES);
    return n;
}

static void run_changed(const char *path, const uint8_t *original, size_t original_n, uint32_t seed, uint32_t changed)
{
    uint8_t *p = calloc(1, MAX_CHANGED_BYTES);
    FUZZ_REQUIRE(p);
    size_t n = 0;
    for (uint32_t i = 0; i < changed && original_n <= MAX_CHANGED_BYTES; i++) {
        if (i % CHANGES_ON_CHANGES == 0)
            memcpy(p, original, n = original_n);
        snprintf(where, sizeof where, "with --seed %u: %s, change %u\n", (unsigned)seed, path, (unsigned)i);
        n = change(p, n, seed + i);
        LLVMFuzzerTestOneInput(p, n);
    }
    free(p);
}

static int run_file(const char *path, uint32_t seed, uint32_t changed)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = malloc(MAX_INPUT_BYTES);
    if (!f || !p) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    size_t n = fread(p, 1, MAX_INPUT_BYTES, f);
    fclose(f);
    snprintf(where, sizeof where, "%s\n", path);
    LLVMFuzzerTestOneInput(p, n);
    for (size_t part = 1; part < 8; part++)
        LLVMFuzzerTestOneInput(p, n * part / 8);
    run_changed(path, p, n, seed, changed);
    free(p);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t seed = 1, changed = 0;
    int failed = 0, files = 0;
    signal(SIGABRT, on_signal);
    mallopt(M_TRIM_THRESHOLD, 64 << 20); /* most of the time would go into giving memory back */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(say_where);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            seed = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--changed") == 0 && i + 1 < argc) {
            changed = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else {
            failed |= run_file(argv[i], seed, changed);
            files++;
        }
    }
    fprintf(stderr, "%d inputs, each changed %u times\n", files, (unsigned)changed); /* stdout may be caught */
    return failed || files == 0;
}
