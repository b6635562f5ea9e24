/* Every tape of fixtures/bad: what each command says of it, word for word as in its
 * EXPECTED.txt, and what salvage gives back. tests/bad_tapes.py made them and knows
 * what they are; `tests/make_fixtures.sh bad` compares the two. */
#include "analyzer_line.h"

#define FOLDER "fixtures/bad"

struct text {
    char p[8192];
    size_t n;
};

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->n += (size_t)vsnprintf(t->p + t->n, sizeof t->p - t->n, fmt, args);
    va_end(args);
    assert_true(t->n < sizeof t->p);
}

/* The one line for stderr, the tape's name taken out of it. */
static void say_line(struct text *t, const struct outcome *out, const char *path)
{
    const char *line = out->exit == EXIT_UNUSABLE && out->error.code != TT_OK ? out->error.line : out->note;
    const char *name = strstr(line, path);
    assert_printable(line, false);
    if (name)
        say(t, ": %.*sTAPE%s\n", (int)(name - line), line, name + strlen(path));
    else
        say(t, "%s%s\n", line[0] ? ": " : "", line);
}

/* No line of what `verify` prints is wider than a terminal; letters of several bytes count once. */
static void check_width(const char *text)
{
    size_t columns = 0;
    for (const char *p = text; *p; p++) {
        columns = *p == '\n' ? 0 : columns + ((*p & 0xc0) != 0x80);
        if (columns > 80)
            fail_msg("wider than 80 columns: %s", text);
    }
}

static void say_verify(struct text *t, const char *path)
{
    struct outcome out = run_words((const char *const[]){"verify", path}, 2);
    char *text = read_file(tape_path("stdout.txt"));
    assert_printable(text, true);
    check_width(text);
    say(t, "  verify %d %.*s", (int)out.exit, text[0] ? (int)strcspn(text, "\n") : 1, text[0] ? text : "-");
    say_line(t, &out, path);
    bool complete = strncmp(text, "complete\n", 9) == 0;
    out = run_words((const char *const[]){"verify", path, "--mode", "strict"}, 4);
    assert_int_equal(out.exit, complete ? EXIT_ALL_SUCCEEDED : EXIT_UNUSABLE);
    free(text);
}

static void say_result(struct text *t, const char *path)
{
    struct outcome out = run_words((const char *const[]){"result", path}, 2);
    char *text = read_file(tape_path("stdout.txt"));
    assert_true((out.exit == EXIT_UNUSABLE) == (text[0] == '\0'));
    assert_printable(text, true);
    say(t, "  result %d", (int)out.exit);
    say_line(t, &out, path);
    free(text);
}

static void say_salvaged(struct text *t, const char *path)
{
    unsigned given = 0;
    run_words((const char *const[]){"dump", path, "--mode", "salvage"}, 4);
    char *text = read_file(tape_path("stdout.txt"));
    for (const char *p = text; (p = strstr(p, "\"block\": ")); p++)
        given |= 1u << (strtoul(p + 9, NULL, 10) % 32);
    say(t, "  salvage");
    for (unsigned i = 0; i < 32; i++)
        if (given & 1u << i)
            say(t, " %u", i);
    say(t, "\n");
    free(text);
}

/* The other commands: an exit status of theirs, and nothing that a terminal would obey. */
static void try_others(const char *path)
{
    static const char *const others[][5] = {{"summary"},
                                            {"dump", "--text"},
                                            {"timeline", "--request", "0"},
                                            {"verify", "--json"},
                                            {"result", "--mode", "salvage"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *words[6];
        size_t n = 0;
        while (others[i][n]) {
            words[n] = others[i][n];
            n++;
        }
        words[n] = path;
        struct outcome out = run_words(words, n + 1);
        char *text = read_file(tape_path("stdout.txt"));
        assert_true(out.exit == 0 || out.exit == 1 || out.exit == 3 || out.exit == 5);
        assert_true(out.exit <= 1 || out.note[0] || out.error.line[0]);
        assert_printable(out.note, false);
        assert_printable(out.error.line, false);
        assert_printable(text, true);
        free(text);
    }
}

/* `want` begins with the name of a tape; its lines go on to the next name. */
static const char *check_tape(const char *want)
{
    struct text got = {.n = 0};
    char path[256];
    size_t name = strcspn(want, "\n");
    const char *next = want + name;
    snprintf(path, sizeof path, FOLDER "/%.*s.tape", (int)name, want);
    assert_int_equal(access(path, R_OK), 0);
    say(&got, "%.*s\n", (int)name, want);
    say_verify(&got, path);
    say_result(&got, path);
    say_salvaged(&got, path);
    try_others(path);
    while (*next == '\n' && next[1] == ' ')
        next += 1 + strcspn(next + 1, "\n");
    next += *next == '\n';
    if ((size_t)(next - want) != got.n || memcmp(want, got.p, got.n) != 0)
        fail_msg("expected:\n%.*snot:\n%s", (int)(next - want), want, got.p);
    return next;
}

static size_t count_tapes(void)
{
    DIR *d = opendir(FOLDER);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        n += length > 5 && strcmp(e->d_name + length - 5, ".tape") == 0;
    }
    closedir(d);
    return n;
}

static void test_each_is_called_what_it_is(void **state)
{
    (void)state;
    size_t n = 0;
    char *expected = read_file(FOLDER "/EXPECTED.txt");
    for (const char *at = expected; *at; n++)
        at = check_tape(at);
    assert_int_equal(n, count_tapes());
    assert_true(n >= 50);
    print_message("# figure: %zu kinds of damage\n", n);
    free(expected);
}

/* What a file system has besides files. */
static void test_what_is_no_file(void **state)
{
    (void)state;
    static const char no_file[] = "not a regular file; give a file that tokentape-record wrote";
    const struct {
        const char *path, *says;
    } cases[] = {{tape_path("folder"), no_file},
                 {tape_path("pipe"), no_file},
                 {"/dev/null", no_file},
                 {"/dev/zero", no_file},
                 {tape_path("link"), "No such file or directory; check the name"},
                 {tape_path("loop"), "Too many levels of symbolic links; check the name"},
                 {tape_path("absent"), "No such file or directory; check the name"}};
    assert_int_equal(mkdir(cases[0].path, 0700), 0);
    assert_int_equal(mkfifo(cases[1].path, 0600), 0);
    assert_int_equal(symlink(tape_path("absent"), cases[4].path), 0);
    assert_int_equal(symlink(cases[5].path, cases[5].path), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct outcome out = run_words((const char *const[]){"verify", cases[i].path}, 2);
        assert_int_equal(out.exit, EXIT_UNUSABLE);
        if (!strstr(out.error.line, cases[i].says) || !strstr(out.error.line, cases[i].path))
            fail_msg("%s: %s", cases[i].path, out.error.line);
        try_others(cases[i].path);
    }
    rmdir(cases[0].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_called_what_it_is),
        cmocka_unit_test(test_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, tape_dir_make, tape_dir_remove);
}
