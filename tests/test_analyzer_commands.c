#include "analyzer_line.h"

#include <signal.h>

static void good_tape(const char *path)
{
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_answer(&m, 1, 40, DELTA("content", "a"));
    maker_finish(&m, 101);
}

static void failed_tape(const char *path)
{
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_start(&m, 1, 40);
    put_done_with(&m, 1, 41, 7, "fault", NULL);
    maker_finish(&m, 101);
}

static void torn_tape(const char *path)
{
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    maker_abandon(&m);
}

static void ended_tape(const char *path, const char *reason)
{
    struct tt_error err;
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_event(&m, 100, "run_end");
    put_end(&m, 101, reason);
    assert_int_equal(writer_finish(m.writer, 102 * MS, &err), TT_OK);
    writer_free(m.writer);
}

static void test_exit_statuses(void **state)
{
    (void)state;
    static const char *const readers[] = {"result", "summary"};
    const char *good = tape_path("good.tape");
    const char *failed = tape_path("failed.tape");
    good_tape(good);
    failed_tape(failed);
    for (size_t i = 0; i < 2; i++) {
        expect(run_line("%s %s", readers[i], good), 0, TT_OK, NULL);
        expect(run_line("%s %s", readers[i], failed), 1, TT_OK, NULL);
    }
    expect(run_line("verify %s", good), 0, TT_OK, NULL);
    expect(run_line("verify %s", failed), 0, TT_OK, NULL); /* whole, whatever is in it */
    expect(run_line("dump %s", failed), 0, TT_OK, NULL);
    expect(run_line("timeline %s --request 0", failed), 0, TT_OK, NULL);
    expect(run_line("timeline %s --request 1", failed), 1, TT_OK, NULL);
    expect(run_line("timeline %s --request 2", failed), 2, TT_USAGE, "--request 2");
    expect(run_line("failures"), 0, TT_OK, NULL);
    const char *torn = tape_path("torn.tape");
    torn_tape(torn);
    static const char *const all[] = {"result", "summary", "verify", "dump"};
    for (size_t i = 0; i < 4; i++) {
        expect(run_line("%s %s", all[i], torn), 3, TT_OK, NULL);
        struct outcome strict = run_line("%s %s --mode strict", all[i], torn);
        expect(strict, 5, strict.error.code, "prefix");
    }
    expect(run_line("timeline %s --request 0", torn), 3, TT_OK, NULL);
}

/* A run that was interrupted but closed cleanly: some requests failed, no more. One
 * that the disk stopped: the tape lacks what it could not write. */
static void test_end_reasons(void **state)
{
    (void)state;
    const char *path = tape_path("ended.tape");
    ended_tape(path, "interrupted");
    expect(run_line("result %s", path), 1, TT_OK, NULL);
    ended_tape(path, "enospc");
    expect(run_line("result %s", path), 3, TT_OK, NULL);
    expect(run_line("verify %s", path), 0, TT_OK, NULL);
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void test_unusable_input(void **state)
{
    (void)state;
    static const char *const all[] = {"result", "summary", "verify", "dump", "timeline --request 0"};
    const char *foreign = tape_path("foreign.tape");
    const char *empty = tape_path("empty.tape");
    write_file(foreign, "{\"schema\": \"something else\"}\n");
    write_file(empty, "");
    for (size_t i = 0; i < 5; i++) {
        expect(run_line("%s %s", all[i], foreign), 5, TT_FOREIGN, "foreign.tape");
        expect(run_line("%s %s", all[i], empty), 5, TT_FOREIGN, "empty.tape");
        expect(run_line("%s %s", all[i], tape_path("absent.tape")), 5, TT_IO, "absent.tape");
        expect(run_line("%s %s", all[i], tape_dir), 5, TT_FOREIGN, tape_dir);
    }
}

static void flip(const char *path, off_t from_end)
{
    int fd = open(path, O_RDWR);
    off_t at = lseek(fd, 0, SEEK_END) - from_end;
    uint8_t b = 0;
    assert_true(fd >= 0 && pread(fd, &b, 1, at) == 1);
    b ^= 1;
    assert_true(pwrite(fd, &b, 1, at) == 1);
    close(fd);
}

static void test_verify_tells_states_apart(void **state)
{
    (void)state;
    const char *path = tape_path("state.tape");
    good_tape(path);
    struct outcome out = run_line("verify %s --head %064d", path, 0);
    assert_true(out.exit == 3 || out.exit == 5); /* not the head that was given */
    torn_tape(path);
    flip(path, 5);
    expect(run_line("verify %s", path), 5, TT_OK, NULL);
    char *text = read_file(tape_path("stdout.txt"));
    assert_non_null(strstr(text, "damaged"));
    free(text);
    expect(run_line("verify %s --json", path), 5, TT_OK, NULL);
    text = read_file(tape_path("stdout.txt"));
    assert_non_null(strstr(text, "\"state\": \"damaged\""));
    free(text);
}

static void test_outputs_are_never_replaced(void **state)
{
    (void)state;
    const char *tape = tape_path("out.tape");
    good_tape(tape);
    char out[300], link_name[300];
    snprintf(out, sizeof out, "%s/out.json", tape_dir);
    snprintf(link_name, sizeof link_name, "%s/link.json", tape_dir);
    expect(run_line("result %s -o %s", tape, out), 0, TT_OK, NULL);
    char *first = read_file(out);
    expect(run_line("result %s", tape), 0, TT_OK, NULL);
    char *printed = read_file(tape_path("stdout.txt"));
    assert_string_equal(first, printed);
    expect(run_line("result %s -o %s", tape, out), 2, TT_EXISTS, "out.json");
    unlink(out);
    assert_int_equal(symlink(out, link_name), 0); /* leads nowhere, and is still no free name */
    expect(run_line("result %s -o %s", tape, link_name), 2, TT_EXISTS, "link.json");
    assert_int_equal(access(out, F_OK), -1);
    expect(run_line("result %s -o %s/absent/x.json", tape, tape_dir), 4, TT_IO, "absent");
    expect(run_line("result %s -o %s", tape_path("absent.tape"), out), 5, TT_IO, NULL);
    assert_int_equal(access(out, F_OK), -1); /* nothing half-written */
    DIR *d = opendir(tape_dir);
    for (struct dirent *e; (e = readdir(d));)
        assert_null(strstr(e->d_name, ".tmp"));
    closedir(d);
    free(first);
    free(printed);
}

static void test_a_stdout_that_takes_nothing(void **state)
{
    (void)state;
    static const char *const all[] = {"result", "summary", "verify", "dump", "timeline --request 0", "follow"};
    const char *tape = tape_path("pipe.tape");
    char line[400];
    good_tape(tape);
    signal(SIGPIPE, SIG_IGN); /* as main does */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int ends[2];
        snprintf(line, sizeof line, "%s %s", all[i], tape);
        assert_int_equal(pipe(ends), 0);
        close(ends[0]);
        expect(run_to(ends[1], line), EXIT_READER_GONE, TT_PIPE, NULL);
        int full = open("/dev/full", O_WRONLY);
        assert_true(full >= 0);
        expect(run_to(full, line), 4, TT_NOSPC, "standard output");
        expect(run_to(open("/dev/null", O_RDONLY), line), 4, TT_IO, "standard output");
    }
}

static void test_the_timeline_of_a_request(void **state)
{
    (void)state;
    static const char expected[] = "request 0 · planned 1,000 tokens · eligible\n"
                                   "          ms   since last  what\n"
                                   "       0.000        0.000  start\n"
                                   "       1.000        1.000  connected\n"
                                   "       4.000        3.000  sent 4,000 B\n"
                                   "      10.000        6.000  head 200\n"
                                   "      20.000       10.000  read 58 B: reasoning\n"
                                   "      40.000       20.000  read 99 B: content x2\n"
                                   "      60.000       20.000  read 146 B: finish, usage, done\n"
                                   "      61.000        1.000  end complete\n";
    const char *tape = tape_path("timeline.tape");
    struct maker m = maker_begin(tape, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "SECRET") DELTA("content", "a"));
    put_start(&m, 1, 2);
    maker_abandon(&m);
    expect(run_line("timeline %s --request 0", tape), 3, TT_OK, NULL);
    char *text = read_file(tape_path("stdout.txt"));
    assert_string_equal(text, expected);
    free(text);
    expect(run_line("timeline %s --request 0 --json", tape), 3, TT_OK, NULL);
    text = read_file(tape_path("stdout.txt"));
    assert_non_null(strstr(text, "{\"at_ms\": 40.0, \"bytes\": 99, \"events\": {\"content\": 2}, \"lag_ns\": 20000, "
                                 "\"reason\": null, \"status\": null, \"what\": \"read\"}\n"));
    assert_null(strstr(text, "SECRET"));
    free(text);
    expect(run_line("timeline %s --request 1", tape), 3, TT_OK, NULL);
    text = read_file(tape_path("stdout.txt"));
    assert_non_null(strstr(text, "not_recorded"));
    assert_non_null(strstr(text, "start\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_statuses),
        cmocka_unit_test(test_end_reasons),
        cmocka_unit_test(test_unusable_input),
        cmocka_unit_test(test_verify_tells_states_apart),
        cmocka_unit_test(test_outputs_are_never_replaced),
        cmocka_unit_test(test_a_stdout_that_takes_nothing),
        cmocka_unit_test(test_the_timeline_of_a_request),
    };
    return cmocka_run_group_tests_name("analyzer_commands", tests, tape_dir_make, tape_dir_remove);
}
