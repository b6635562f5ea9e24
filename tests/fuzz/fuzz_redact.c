/* A whole file redacted, on every level: what is left behind is a tape that holds and says of its requests what the
 * original says, or nothing. */
#include "../../analyzer/load.h"
#include "run_command.h"
#include "tape_file.h"
#include "tape_mutate.h"

static char folder[64], copy[96], head[96];

static void remove_copy(void)
{
    unlink(copy);
    unlink(head);
}

static void remove_folder(void)
{
    remove_copy();
    rmdir(folder);
}

static void make_folder(void)
{
    if (folder[0])
        return;
    snprintf(folder, sizeof folder, "%s/fuzz-redact-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_REQUIRE(mkdtemp(folder));
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(head, sizeof head, "%s/copy.head", folder);
    atexit(remove_folder);
}

static struct run *load(const char *path)
{
    struct run *run;
    FUZZ_REQUIRE(load_run(&run, path, NULL, NULL) == TT_OK);
    return run;
}

/* The reads stand where they stood, and each request came as far as it came. */
static void require_same_run(const struct run *a, const struct run *b)
{
    FUZZ_REQUIRE(a->count == b->count && a->warmup_count == b->warmup_count);
    FUZZ_REQUIRE(a->reads == b->reads && a->read_bytes == b->read_bytes && a->lost_reads == b->lost_reads);
    for (size_t i = 0; i < a->count; i++) {
        const struct request *x = &a->requests[i], *y = &b->requests[i];
        FUZZ_REQUIRE(x->start_ns == y->start_ns && x->done_ns == y->done_ns && x->last_ns == y->last_ns);
        FUZZ_REQUIRE(x->body_bytes_received == y->body_bytes_received && x->has_facts == y->has_facts);
    }
}

static void require_copy(const char *path)
{
    struct run *original = load(path), *redacted = load(copy);
    bool complete = redacted->tape.state == READER_COMPLETE;
    FUZZ_REQUIRE(complete || redacted->tape.state == READER_TORN);
    FUZZ_REQUIRE(complete == original->tape.has_end);
    require_same_run(original, redacted);
    run_free(original);
    run_free(redacted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    make_folder();
    const char *path = tape_file(data, n);
    for (unsigned level = REDACT_TIMING; level <= REDACT_ALL_BUT_PROMPTS; level++) {
        struct arguments a = {.command = COMMAND_REDACT,
                              .tape = path,
                              .files = {path, copy},
                              .file_count = 2,
                              .has_keep = true,
                              .keep = (enum redact_level)level};
        enum exit_status exit = run_command(&a);
        if (exit == EXIT_ALL_SUCCEEDED || exit == EXIT_INCOMPLETE)
            require_copy(path);
        else
            FUZZ_REQUIRE(exit == EXIT_UNUSABLE && access(copy, F_OK) != 0 && access(head, F_OK) != 0);
        remove_copy();
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed)
{
    return tape_mutate(data, n, cap, seed);
}
