/* A command as main() runs it: output that is JSON where it says so and fit for a terminal where it does not, one line
 * for what is wrong, an exit status of the README's table. Standard output is a file in memory. */
#include "run_command.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../../analyzer/json.h"

#define MAX_OUTPUT_BYTES (256u << 20)

struct text {
    uint8_t *p;
    size_t n;
};

/* What was written since the last call; the caller frees p. */
static struct text take_output(void)
{
    struct text t = {NULL, 0};
    off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    FUZZ_REQUIRE(end >= 0 && end < MAX_OUTPUT_BYTES);
    t.p = malloc((size_t)end + 1);
    FUZZ_REQUIRE(t.p && pread(STDOUT_FILENO, t.p, (size_t)end, 0) == end);
    t.n = (size_t)end;
    FUZZ_REQUIRE(ftruncate(STDOUT_FILENO, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0);
    return t;
}

static void catch_output(void)
{
    static bool done;
    if (done)
        return;
    int fd = memfd_create("output", MFD_CLOEXEC);
    FUZZ_REQUIRE(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO && close(fd) == 0);
    done = true;
}

/* One JSON value, or with `lines` one on each line. */
static void require_json(struct text t, bool lines)
{
    struct json_reader r;
    size_t from = 0;
    while (from < t.n) {
        const uint8_t *newline = lines ? memchr(t.p + from, '\n', t.n - from) : NULL;
        size_t to = newline ? (size_t)(newline - t.p) + 1 : t.n;
        enum json_token token;
        json_begin(&r, tt_view_of(t.p + from, to - from));
        while ((token = json_next(&r)) != JSON_END)
            FUZZ_REQUIRE(token != JSON_ERROR);
        from = to;
    }
}

static void require_terminal(struct text t)
{
    t.p[t.n] = '\0';
    FUZZ_REQUIRE(memchr(t.p, '\0', t.n) == NULL);
    for (char *line = (char *)t.p, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        FUZZ_REQUIRE(end);
        *end = '\0';
        char *copy = strdup(line);
        FUZZ_REQUIRE(copy);
        tt_line_sanitize(copy);
        FUZZ_REQUIRE(strcmp(copy, line) == 0);
        free(copy);
    }
}

static void require_line(const char *line)
{
    char copy[600];
    FUZZ_REQUIRE(strlen(line) < sizeof copy);
    memcpy(copy, line, strlen(line) + 1);
    tt_line_sanitize(copy);
    FUZZ_REQUIRE(strcmp(copy, line) == 0);
}

/* Of several JSON values each has a line of its own. */
static bool has_lines(enum command command)
{
    return command == COMMAND_DUMP || command == COMMAND_TIMELINE || command == COMMAND_FOLLOW;
}

enum exit_status run_command(const struct arguments *a)
{
    struct outcome outcome;
    catch_output();
    command_run(a, &outcome);
    bool failed = outcome.exit == EXIT_UNUSABLE || outcome.exit == EXIT_NO_OUTPUT || outcome.exit == EXIT_USAGE;
    bool has_line = outcome.error.line[0] || outcome.note[0];
    FUZZ_REQUIRE(outcome.exit <= EXIT_UNUSABLE && outcome.exit != EXIT_NO_OUTPUT);
    FUZZ_REQUIRE(!failed || has_line);
    FUZZ_REQUIRE(outcome.exit != EXIT_INCOMPLETE || outcome.note[0] || a->require_proven); /* which the table tells */
    require_line(outcome.error.line);
    require_line(outcome.note);
    struct text t = take_output();
    bool json = a->json || a->command == COMMAND_RESULT || a->command == COMMAND_DUMP;
    if (json)
        require_json(t, has_lines(a->command));
    else
        require_terminal(t);
    if (a->command == COMMAND_RESULT)
        FUZZ_REQUIRE((t.n > 0) == !failed);
    free(t.p);
    return outcome.exit;
}
