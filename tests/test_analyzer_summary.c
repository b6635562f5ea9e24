#include "analyzer_tapes.h"

#include "../analyzer/summary.h"

static char *summary_of(const char *path)
{
    const char *to = tape_path("summary.txt");
    struct run *run = load_judged(path);
    struct output *o;
    struct tt_error err;
    unlink(to);
    assert_int_equal(output_create(&o, to, &err), TT_OK);
    if (summary_write(run, o, &err) != TT_OK || output_finish(o, &err) != TT_OK)
        fail_msg("%s", err.line);
    output_free(o);
    run_free(run);
    return read_file(to);
}

static void test_the_whole_table(void **state)
{
    (void)state;
    static const char expected[] =
        "ELIGIBLE 2/2 · excluded 0 · tape complete · client error <= 4.1 ms\n"
        "prompt 980 tokens (planned 1,000) · cache unknown · connections fresh\n"
        "overlap mean 1.22 of 2 · 1 of 2 requests spent 50 % of generation under another's prefill\n"
        "read lag p50 0.020, p99 0.020, max 0.020 ms · 0 late turns\n"
        "                     n         mean          p50          p95         p99*\n"
        "TTFO ms              2         20.0         20.0         20.0         20.0\n"
        "thinking ms          2         20.0         20.0         20.0         20.0\n"
        "TTFT ms              2         40.0         40.0         40.0         40.0\n"
        "TPOT ms              2         3.64         3.64         3.64         3.64\n"
        "decode tok/s         2        275.0        275.0        275.0        275.0\n"
        "prefill tok/s        2     49,000.0     49,000.0     49,000.0     49,000.0\n"
        "E2E ms               2         60.0         60.0         60.0         60.0\n"
        "output tokens        2         12.0         12.0         12.0         12.0\n"
        "throughput 240.0 tok/s\n"
        "* descriptive below 100 samples\n"
        "warning (2): sending the request took more than 1 % of the time to first output\n"
        "warning (2): with fewer than 20 samples p95 is the greatest of them\n";
    const char *path = tape_path("summary.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_answer(&m, 1, 40, DELTA("content", "a"));
    maker_finish(&m, 101);
    char *text = summary_of(path);
    assert_string_equal(text, expected);
    free(text);
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in the summary", part);
}

static void test_what_was_left_out_and_why(void **state)
{
    (void)state;
    static const char *const headers[] = {"content-type", "application/json", NULL};
    const char *path = tape_path("failed.tape");
    struct maker_options options = {.requests = 8, .concurrency = 8};
    struct maker m = maker_begin(path, &options, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    for (uint64_t i = 1; i < 7; i++) {
        put_start(&m, i, 70);
        put_head_with(&m, i, 71, "HTTP/1.1 503 \x1b[31mno", headers);
        put_done(&m, i, 72);
    }
    maker_finish(&m, 101);
    char *text = summary_of(path);
    contains(text, "ELIGIBLE 1/8 · excluded 7 · tape complete");
    contains(text, "  6 http_status (requests 1, 2, 3, 4, 5, ...): HTTP 503\n");
    contains(text, "  1 not_sent (request 7): ");
    contains(text, "throughput withheld, because 7 of 8 requests are excluded");
    assert_null(strchr(text, 0x1b));
    for (const char *line = text; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 104); /* 100 columns: a dot in the middle has two bytes */
    free(text);
}

/* Counts as great as can be, and warnings about so many requests that not all fit on the line. */
static void test_great_numbers_and_long_warnings(void **state)
{
    (void)state;
    const char *path = tape_path("great.tape");
    struct maker_options options = {.requests = 30, .concurrency = 8};
    struct maker m = maker_begin(path, &options, true);
    for (uint64_t i = 0; i < 30; i++) {
        put_start(&m, i, 10 * i + 2);
        put_head(&m, i, 10 * i + 3);
        put_read(&m, i, 10 * i + 5,
                 i % 2 ? DELTA("content", "a") FINISH : DELTA("content", "a") USAGE(18446744073709551615, 12) FINISH);
        put_done(&m, i, 10 * i + 6);
    }
    maker_finish(&m, 400);
    char *text = summary_of(path);
    contains(text, "prompt 18,446,744,073,709,551,615 tokens (planned 1,000)");
    contains(text, "warning (15): no completion token count: token rates are null (requests 1, 3, 5, ");
    for (const char *line = text; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 104);
    free(text);
}

static void test_nothing_succeeded_on_a_torn_tape(void **state)
{
    (void)state;
    const char *path = tape_path("nothing.tape");
    struct maker m = maker_begin(path, NULL, true);
    maker_abandon(&m);
    char *text = summary_of(path);
    contains(text, "ELIGIBLE 0/2 · excluded 2 · tape torn\n");
    contains(text, "prompt unknown tokens (planned 1,000)");
    contains(text, "no generation to compare");
    contains(text, "throughput withheld, because the tape is torn");
    contains(text, "TTFT ms              0            -            -            -            -\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_whole_table),
        cmocka_unit_test(test_what_was_left_out_and_why),
        cmocka_unit_test(test_great_numbers_and_long_warnings),
        cmocka_unit_test(test_nothing_succeeded_on_a_torn_tape),
    };
    return cmocka_run_group_tests_name("analyzer_summary", tests, tape_dir_make, tape_dir_remove);
}
