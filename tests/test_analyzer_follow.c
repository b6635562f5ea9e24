/* A recording that is followed: the numbers as they grow, and how it ends. */
#include "analyzer_line.h"

#include <sys/wait.h>

#include "../analyzer/tally.h"

/* A follower in steps. */
struct follower {
    struct loader *loader;
    struct tally tally;
    struct standing now;
};

static struct follower follow(const char *path)
{
    struct follower f = {.loader = NULL};
    struct tt_error err;
    if (loader_create(&f.loader, path, NULL, &err) != TT_OK)
        fail_msg("%s", err.line);
    return f;
}

static const struct standing *look(struct follower *f, struct maker *m)
{
    struct tape_record rec;
    struct tt_error err;
    enum tt_status st;
    maker_sync(m);
    while ((st = loader_next(f->loader, &rec, &err)) == TT_OK)
        assert_int_equal(tally_take(&f->tally, loader_run(f->loader), &rec, &err), TT_OK);
    if (st != TT_END)
        fail_msg("%s", err.line);
    tally_standing(&f->tally, loader_run(f->loader), loader_report(f->loader), &f->now);
    assert_int_equal(f->now.started, f->now.in_flight + f->now.done);
    return &f->now;
}

static void expect_requests(const struct standing *s, uint64_t planned, uint64_t started, uint64_t done,
                            uint64_t failed)
{
    if (s->planned != planned || s->started != started || s->done != done || s->failed != failed)
        fail_msg("planned %u started %u done %u failed %u", (unsigned)s->planned, (unsigned)s->started,
                 (unsigned)s->done, (unsigned)s->failed);
}

static void put_plan_fault(struct maker *m, uint64_t request)
{
    struct tape_record rec = {.kind = TAPE_PLAN};
    rec.u.plan.request = request;
    rec.u.plan.intended_start_ns = TAPE_NONE;
    rec.u.plan.fault = tt_view_str("the prompt has no room");
    put(m, &rec);
}

static void test_numbers_grow_with_the_tape(void **state)
{
    (void)state;
    const char *path = tape_path("grow.tape");
    struct maker_options options = {.requests = 4, .warmup = 1};
    struct maker m = maker_begin(path, &options, false);
    struct follower f = follow(path);
    expect_requests(look(&f, &m), 0, 0, 0, 0);
    for (uint64_t i = 0; i < 5; i++)
        i == 3 ? put_plan_fault(&m, i) : put_plan(&m, i);
    expect_requests(look(&f, &m), 4, 0, 0, 1); /* one cannot be built */
    put_answer(&m, 4, 1, DELTA("content", "warm"));
    expect_requests(look(&f, &m), 4, 0, 0, 1);
    assert_true(f.now.warmups == 1 && f.now.warmups_done == 1 && f.now.reads == 3 && f.now.wall_clock_ns == 0);
    put_event(&m, 100, "run_start");
    put_start(&m, 0, 100);
    put_start(&m, 1, 101);
    put_head(&m, 0, 110);
    put_read(&m, 0, 130, DELTA("content", "a") DELTA("content", "b") "data: ");
    expect_requests(look(&f, &m), 4, 2, 0, 1);
    assert_true(f.now.in_flight == 2 && f.now.reads == 4 && f.now.wall_clock_ns == 30 * MS);
    assert_int_equal(f.now.events, 5 + 2); /* what is in flight counts, what is not whole does not */
    assert_false(f.now.ttft_p50_ms.has);
    put_read(&m, 0, 140, "[DONE]\n\n");
    put_done(&m, 0, 141);
    put_done_with(&m, 1, 150, 7, "fault", NULL);
    expect_requests(look(&f, &m), 4, 2, 2, 2);
    assert_true(f.now.samples == 1 && f.now.events == 8);
    assert_true(f.now.ttft_p50_ms.has && f.now.ttft_p50_ms.v == 30.0 && f.now.ttfo_p95_ms.v == 30.0);
    put_answer(&m, 2, 200, DELTA("content", "c"));
    expect_requests(look(&f, &m), 4, 3, 3, 2);
    assert_true(f.now.samples == 2 && f.now.ttfo_p50_ms.v == 20.0 && f.now.ttft_p95_ms.v == 40.0);
    put_lost(&m, 262, 2); /* no recorder writes it behind the DONE, yet the result counts it, too */
    expect_requests(look(&f, &m), 4, 3, 3, 3);
    assert_true(f.now.samples == 1 && f.now.ttfo_p50_ms.v == 30.0);
    maker_abandon(&m);
    struct run *run = load_judged(path);
    assert_int_equal(run->count - run_count_succeeded(run), 3);
    assert_true(run->reads == f.now.reads && run->events == f.now.events);
    run_free(run);
    tally_free(&f.tally);
    loader_free(f.loader);
}

static char *printed(void)
{
    return read_file(tape_path("stdout.txt"));
}

static void expect_printed(const char *part)
{
    char *text = printed();
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
    free(text);
}

static void test_one_look_at_a_tape_that_is_written(void **state)
{
    (void)state;
    const char *path = tape_path("once.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 2, DELTA("content", "a"));
    put_start(&m, 1, 70);
    maker_sync(&m);
    struct outcome out = run_line("follow %s --once", path);
    expect(out, 3, TT_OK, NULL);
    assert_non_null(strstr(out.note, "still being written"));
    expect_printed("0.1 s writing · planned 2 · started 2 · in flight 1 · done 1 · failed 0 · ");
    expect_printed("TTFO p50 20.0 p95 20.0 ms · TTFT p50 40.0 p95 40.0 ms\n");
    expect(run_line("follow %s --once --json", path), 3, TT_OK, NULL);
    expect_printed("\"state\": \"writing\"");
    expect_printed("\"ttft_p50_ms\": 40.0, ");
    maker_finish(&m, 100);
    expect(run_line("follow %s --once", path), 1, TT_OK, NULL); /* one had no DONE */
    expect_printed("0.1 s complete · planned 2 · started 2 · in flight 1 · done 1 · failed 0 · ");
}

static void test_how_it_ends(void **state)
{
    (void)state;
    const char *path = tape_path("end.tape");
    struct maker_options no_lock = {.no_lock = true};
    for (int i = 0; i < 2; i++) {
        struct maker m = maker_begin(path, i ? &no_lock : NULL, true);
        put_answer(&m, 0, 2, DELTA("content", "a"));
        maker_abandon(&m);
        struct outcome out = run_line("follow %s", path);
        expect(out, 3, TT_OK, NULL);
        assert_non_null(strstr(out.note, "is torn"));
        assert_int_equal(strstr(out.note, "no locks") != NULL, i == 1);
        expect_printed("0.1 s torn · ");
    }
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 2, DELTA("content", "a"));
    put_answer(&m, 1, 3, DELTA("content", "a"));
    maker_finish(&m, 100);
    expect(run_line("follow %s --interval 60", path), 0, TT_OK, NULL);
    char *text = printed();
    assert_true(strchr(text, '\n') == text + strlen(text) - 1); /* what is over is shown once */
    free(text);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0 && pwrite(fd, "X", 1, 300) == 1);
    close(fd);
    expect(run_line("follow %s", path), 3, TT_OK, NULL);
    expect_printed(" damaged · ");
}

/* FILE and SCHEMA, and then it was killed. */
static void test_an_end_before_any_run(void **state)
{
    (void)state;
    const char *path = tape_path("early.tape");
    struct writer_options w = {.base_monotonic_ns = 1000};
    struct writer *writer;
    struct tt_error err;
    assert_int_equal(writer_create(&writer, path, &w, &err), TT_OK);
    assert_int_equal(writer_sync(writer, 0, &err), TT_OK);
    expect(run_line("follow %s --once", path), 3, TT_OK, NULL);
    expect_printed("writing · planned 0 · started 0 · ");
    writer_free(writer);
    expect(run_line("follow %s", path), 3, TT_OK, NULL);
    expect_printed("torn · planned 0 · started 0 · ");
}

static void lock(int fd)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);
}

static void test_tapes_that_do_not_begin(void **state)
{
    (void)state;
    const char *none = tape_path("none.tape"), *path = tape_path("empty.tape");
    expect(run_line("follow %s", none), 5, TT_IO, "--wait");
    expect(run_line("follow %s/x/run.tape --wait", tape_dir), 5, TT_IO, "No such file");
    expect(run_line("follow %s", tape_dir), 5, TT_FOREIGN, "not a regular file");
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    expect(run_line("follow %s", path), 5, TT_FOREIGN, NULL);
    assert_int_equal(write(fd, "P*M\x18", 4), 4);
    expect(run_line("follow %s --wait", path), 5, TT_TRUNCATED, NULL);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(write(fd, "something else", 14), 14);
    lock(fd); /* not a recorder's */
    expect(run_line("follow %s --wait", path), 5, TT_FOREIGN, NULL);
    close(fd);
}

/* Forks a recorder; in the child it returns 0. */
static pid_t other_process(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    return child;
}

static void reap(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Its first bytes are to come, and it is killed before they do. */
static void test_a_recorder_that_dies_at_once(void **state)
{
    (void)state;
    for (int wait = 0; wait < 2; wait++) {
        const char *path = tape_path("dies.tape");
        unlink(path);
        int fd = open(path, O_RDWR | O_CREAT, 0600);
        lock(fd);
        pid_t child = other_process(); /* it has the lock, too */
        if (child == 0) {
            usleep(300000);
            _exit(0);
        }
        close(fd);
        expect(run_line("follow %s%s", path, wait ? " --wait" : ""), 5, TT_FOREIGN, NULL);
        reap(child);
    }
}

static void record_slowly(const char *path)
{
    usleep(250000);
    struct maker m = maker_begin(path, NULL, true);
    for (uint64_t i = 0; i < 2; i++) {
        put_answer(&m, i, 2 + 100 * i, DELTA("content", "a"));
        maker_sync(&m);
        usleep(250000);
    }
    maker_finish(&m, 300);
    _exit(0);
}

static void test_from_before_it_begins_to_its_end(void **state)
{
    (void)state;
    const char *path = tape_path("slow.tape");
    unlink(path);
    pid_t child = other_process();
    if (child == 0)
        record_slowly(path);
    expect(run_line("follow %s --wait --interval 0.1", path), 0, TT_OK, NULL);
    reap(child);
    char *text = printed();
    char *waiting = strstr(text, "waiting"), *writing = strstr(text, "writing"), *complete = strstr(text, "complete");
    assert_true(waiting && writing && complete && waiting < writing && writing < complete);
    assert_non_null(strstr(writing, "done 1 "));
    assert_non_null(strstr(complete, "done 2 "));
    assert_null(strstr(text, "torn"));
    free(text);
}

/* `follow run.tape | head -n 1`: it does not wait for the next line. */
static void test_a_reader_that_goes_away(void **state)
{
    (void)state;
    const char *path = tape_path("left.tape");
    char line[600];
    int ends[2];
    struct maker m = maker_begin(path, NULL, true);
    maker_sync(&m);
    snprintf(line, sizeof line, "follow %s --interval 3600", path);
    assert_int_equal(pipe(ends), 0);
    pid_t child = other_process();
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], line, sizeof line) <= 0);
    }
    close(ends[0]);
    expect(run_to(ends[1], line), EXIT_READER_GONE, TT_PIPE, NULL);
    reap(child);
    maker_finish(&m, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_grow_with_the_tape),
        cmocka_unit_test(test_one_look_at_a_tape_that_is_written),
        cmocka_unit_test(test_how_it_ends),
        cmocka_unit_test(test_an_end_before_any_run),
        cmocka_unit_test(test_tapes_that_do_not_begin),
        cmocka_unit_test(test_a_recorder_that_dies_at_once),
        cmocka_unit_test(test_from_before_it_begins_to_its_end),
        cmocka_unit_test(test_a_reader_that_goes_away),
    };
    return cmocka_run_group_tests_name("analyzer_follow", tests, tape_dir_make, tape_dir_remove);
}
