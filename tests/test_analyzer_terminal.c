/* What a tape, or the name of one, may say to a terminal: letters, and nothing that moves its cursor. */
#include "analyzer_line.h"

/* Escape, bell, line end, C1 as UTF-8 and as a byte, a mark that turns the direction. */
#define EVIL "\x1b[2J\a\r\nx\xc2\x9bm\x9b\xe2\x80\xae\x7f"

static void check(const char *const *words, size_t n, size_t lines)
{
    struct outcome out = run_words(words, n);
    assert_printable(out.note, false);
    assert_printable(out.error.line, false);
    int fd = open(tape_path("stdout.txt"), O_RDONLY);
    char text[4096];
    ssize_t got = read(fd, text, sizeof text - 1);
    size_t ends = 0;
    close(fd);
    assert_true(got >= 0);
    text[got] = '\0';
    assert_printable(text, true);
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        ends++;
    if (lines && ends != lines)
        fail_msg("%zu lines, not %zu: %s", ends, lines, text);
}

static void write_tape(const char *path)
{
    struct tt_error err;
    struct maker_options options = {.connections = EVIL};
    struct maker m = maker_begin(path, &options, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_start(&m, 1, 40);
    put_done_with(&m, 1, 41, 7, EVIL, EVIL);
    put_event(&m, 100, "run_end");
    put_end(&m, 101, EVIL);
    assert_int_equal(writer_finish(m.writer, 102 * MS, &err), TT_OK);
    writer_free(m.writer);
}

static void test_every_text_of_a_tape(void **state)
{
    (void)state;
    const char *tape = tape_path("evil.tape");
    write_tape(tape);
    check((const char *const[]){"summary", tape}, 2, 0);
    check((const char *const[]){"verify", tape}, 2, 8);
    check((const char *const[]){"result", tape}, 2, 0);
    check((const char *const[]){"timeline", tape, "--request", "1"}, 4, 4);
    check((const char *const[]){"dump", tape, "--text"}, 3, 0);
}

static void test_names_of_files(void **state)
{
    (void)state;
    static const char *const all[] = {"summary", "verify", "dump"};
    const char *torn = tape_path("torn" EVIL), *absent = tape_path("absent" EVIL);
    struct maker m = maker_begin(torn, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    maker_abandon(&m);
    for (size_t i = 0; i < 3; i++) {
        check((const char *const[]){all[i], torn}, 2, 0);
        check((const char *const[]){all[i], absent}, 2, 0);
        struct outcome out = run_words((const char *const[]){all[i], absent}, 2);
        const char *first = strstr(out.error.line, "absent");
        assert_non_null(first);
        assert_null(strstr(first + 1, "absent")); /* told once */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_text_of_a_tape),
        cmocka_unit_test(test_names_of_files),
    };
    return cmocka_run_group_tests(tests, tape_dir_make, tape_dir_remove);
}
