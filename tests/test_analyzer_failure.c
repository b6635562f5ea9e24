#include "analyzer_tapes.h"

#include "../analyzer/failure_count.h"
#include "../analyzer/output.h"
#include "../analyzer/summary.h"
#include "../analyzer/warnings.h"

/* Four planned: a success, a failure, a cancelled one, one not sent. END counts `started` and `done`. */
static struct run *four(uint64_t planned, uint64_t started, uint64_t done, const char *reason)
{
    const char *path = tape_path("four.tape");
    struct maker_options options = {.requests = 4};
    struct maker m = maker_begin(path, &options, true);
    struct tt_error err;
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_start(&m, 1, 70);
    put_done_with(&m, 1, 71, 7, "fault", "refused");
    put_start(&m, 2, 72);
    put_done_with(&m, 2, 73, 0, "cancelled", NULL);
    put_event(&m, 80, "run_end");
    struct tape_record rec = {.kind = TAPE_END};
    rec.u.end.time_ns = 80 * MS;
    rec.u.end.reason = tt_view_str(reason);
    rec.u.end.planned = planned;
    rec.u.end.started = started;
    rec.u.end.done = done;
    put(&m, &rec);
    if (writer_finish(m.writer, 80 * MS, &err) != TT_OK)
        fail_msg("finish: %s", err.line);
    writer_free(m.writer);
    return load_judged(path);
}

static bool holds(struct run *run)
{
    struct failure_counts c;
    failure_count(run, &c);
    run_free(run);
    return c.hold;
}

static void test_each_request_is_counted_once(void **state)
{
    (void)state;
    struct run *run = four(4, 3, 3, "interrupted");
    struct failure_counts c;
    failure_count(run, &c);
    assert_int_equal(c.planned, 4);
    assert_int_equal(c.succeeded, 1);
    assert_int_equal(c.failed, 1);
    assert_int_equal(c.cancelled, 1);
    assert_int_equal(c.not_sent, 1);
    assert_true(c.hold);
    run->requests[1].verdict.error_type = NULL; /* as if nobody had judged it */
    failure_count(run, &c);
    assert_false(c.hold);
    run_free(run);
}

static void test_the_recorder_must_have_counted_the_same(void **state)
{
    (void)state;
    assert_true(holds(four(4, 3, 3, "complete")));
    assert_false(holds(four(5, 3, 3, "complete")));
    assert_false(holds(four(4, 4, 3, "complete")));
    assert_false(holds(four(4, 3, 2, "interrupted")));
    assert_true(holds(four(4, 4, 2, "enospc")));   /* the disk took the rest, and END says so */
    assert_true(holds(four(0, 0, 0, "complete"))); /* not told */
}

static size_t summary_of(struct run *run, char *text, size_t cap)
{
    const char *path = tape_path("summary.txt");
    struct tt_error err;
    struct output *o;
    remove(path);
    assert_int_equal(output_create(&o, path, &err), TT_OK);
    assert_int_equal(summary_write(run, o, &err), TT_OK);
    assert_int_equal(output_finish(o, &err), TT_OK);
    output_free(o);
    run_free(run);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, cap - 1, f);
    fclose(f);
    text[n] = 0;
    return n;
}

static void test_it_is_said_when_they_do_not_balance(void **state)
{
    (void)state;
    static char text[8192];
    assert_true(summary_of(four(4, 4, 3, "complete"), text, sizeof text) > 0);
    assert_non_null(
        strstr(text, "ACCOUNTS DO NOT BALANCE: planned 4, succeeded 1 + failed 1 + cancelled 1 + not sent 1"));
    assert_non_null(strstr(text, "counted 4 sent and 3 ended, the tape has 3 and 3"));
    assert_true(summary_of(four(4, 3, 3, "complete"), text, sizeof text) > 0);
    assert_null(strstr(text, "BALANCE"));
}

static void test_warnings_name_their_requests(void **state)
{
    (void)state;
    const char *path = tape_path("burst.tape");
    struct maker_options options = {.requests = 12};
    struct maker m = maker_begin(path, &options, true);
    static const char burst[] = DELTA("content", "a") DELTA("content", "b") DELTA("content", "c") STOP FINISH;
    for (uint64_t i = 0; i < 12; i++) {
        put_start(&m, i, 2 + i);
        put_head(&m, i, 500 + i);
        if (i % 5 == 0) /* 0, 5 and 10 bit by bit */
            put_read(&m, i, 505 + i, DELTA("content", "z"));
        put_read(&m, i, 800 + i, burst);
        put_done(&m, i, 801 + i);
    }
    maker_finish(&m, 900);
    struct run *run = load_judged(path);
    struct warning warnings[WARNINGS_MAX];
    size_t n = warnings_collect(run, warnings), at = 0;
    while (at < n && strcmp(warnings[at].code, "burst_delivery") != 0)
        at++;
    assert_true(at < n);
    assert_int_equal(warnings[at].count, 9);
    assert_int_equal(warnings[at].listed, WARNING_REQUESTS);
    assert_int_equal(warnings[at].requests[0], 1);
    assert_int_equal(warnings[at].requests[4], 6);
    assert_int_equal(run_count_succeeded(run), 12); /* reported, not failed */
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_request_is_counted_once),
        cmocka_unit_test(test_the_recorder_must_have_counted_the_same),
        cmocka_unit_test(test_it_is_said_when_they_do_not_balance),
        cmocka_unit_test(test_warnings_name_their_requests),
    };
    return cmocka_run_group_tests_name("analyzer_failure", tests, tape_dir_make, tape_dir_remove);
}
