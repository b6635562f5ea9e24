#include "analyzer_tapes.h"

#include "../analyzer/result.h"
#include "../analyzer/summary.h"

/* Records in any order, with small numbers and many wrong ones: every tape gives a
 * result in which each index stands once, or one line. The seed is fixed. */
static uint32_t random_state = 20260922;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * n >> 24);
}

static const char *random_text(void)
{
    static const char *const texts[] = {DELTA("content", "a"),
                                        DELTA("reasoning", "a"),
                                        STOP,
                                        FINISH,
                                        USAGE(980, 12),
                                        GOOD_CANARY,
                                        "data: {\"error\":1}\n\n",
                                        "data: {\"choices\":[{\"delta\":{\"content\":\"",
                                        "5\r\n",
                                        "\xff\xfe\r\n\r\n",
                                        ": comment\n\n"};
    return texts[random_below(sizeof texts / sizeof texts[0])];
}

static void put_random_head(struct maker *m, uint64_t request, uint64_t ms)
{
    static const char *const lines[] = {"HTTP/1.1 200 OK", "HTTP/1.1 429 no", "HTTP/1.1 100 Continue", "nonsense", ""};
    static const char *const headers[][3] = {{"content-type", "text/event-stream", NULL},
                                             {"transfer-encoding", "chunked", NULL},
                                             {"content-length", "40", NULL},
                                             {"content-encoding", "gzip", NULL},
                                             {"server", "x", NULL}};
    put_head_with(m, request, ms, lines[random_below(10) < 7 ? 0 : random_below(5)],
                  headers[random_below(10) < 6 ? 0 : random_below(5)]);
}

static void put_random(struct maker *m, uint64_t ms)
{
    static const char *const reasons[] = {"complete",
                                          "fault",
                                          "timeout",
                                          "cancelled",
                                          "done_grace",
                                          "stale_connection",
                                          "a reason longer than any that a recorder writes"};
    uint64_t request = random_below(40) == 0 ? random_below(1u << 19) : random_below(4);
    switch (random_below(12)) {
    case 0:
    case 1:
        put_start(m, request, ms);
        return;
    case 2:
        put_conn(m, request, ms);
        return;
    case 3:
        put_send(m, request, ms, ms + random_below(3));
        return;
    case 4:
        put_random_head(m, request, ms);
        return;
    case 5:
        put_done_with(m, request, ms, random_below(4) ? 0 : random_below(100), reasons[random_below(7)],
                      random_below(2) ? "Connection refused" : NULL);
        return;
    case 6:
        if (random_below(10) == 0)
            put_lost(m, ms, request);
        return;
    case 7:
        if (random_below(20) == 0)
            put_event(m, ms, random_below(2) ? "run_end" : "note");
        return;
    default:
        put_read(m, request, ms, random_text());
    }
}

/* START, some of an answer, DONE: what does not contradict itself reaches the deeper rules. */
static void put_random_answer(struct maker *m, uint64_t request, uint64_t ms)
{
    if (random_below(3) == 0) {
        put_answer(m, request, ms, GOOD_CANARY);
        return;
    }
    put_start(m, request, ms);
    for (uint32_t i = random_below(6); i > 0; i--)
        put_read(m, request, ms + 1, random_text());
    put_random_head(m, request, ms + 1);
    for (uint32_t i = random_below(6); i > 0; i--)
        put_read(m, request, ms + 2, random_text());
    if (random_below(4))
        put_done_with(m, request, ms + 3, random_below(3) ? 0 : 56, random_below(3) ? "complete" : "done_grace", NULL);
}

static void make_random(const char *path)
{
    struct maker_options options = {.requests = 4,
                                    .warmup = random_below(2),
                                    .canaries = random_below(2),
                                    .strict = random_below(2),
                                    .shared = random_below(2),
                                    .response_words = random_below(2) * 3};
    struct maker m = maker_begin(path, &options, random_below(20) > 0);
    for (uint64_t i = 0; i < 4; i++)
        if (random_below(3))
            put_random_answer(&m, i, 2 + random_below(20));
    for (uint32_t i = random_below(3) ? 0 : random_below(12); i > 0; i--)
        put_random(&m, 30 + random_below(20));
    if (random_below(3))
        maker_finish(&m, 60);
    else
        maker_abandon(&m);
}

static void check_run(struct run *run)
{
    struct tt_error err = {0};
    struct result_options options = {0};
    struct json_out *json = json_out_create(2);
    struct output *o;
    size_t failed = 0;
    const char *to = tape_path("random.txt");
    eligibility_judge(run, NULL);
    for (size_t i = 0; i < run->count; i++) {
        const struct verdict *v = &run->requests[i].verdict;
        failed += v->failure != FAILURE_NONE;
        assert_true(v->failure == FAILURE_NONE || v->message[0]);
        assert_int_equal(run->requests[i].number, i);
    }
    assert_int_equal(failed + run_count_succeeded(run), run->count);
    if (result_write(run, &options, json, &err) != TT_OK)
        fail_msg("result: %s", err.line);
    unlink(to);
    assert_int_equal(output_create(&o, to, &err), TT_OK);
    assert_int_equal(summary_write(run, o, &err), TT_OK);
    output_free(o);
    json_out_free(json);
}

static void test_random_tapes(void **state)
{
    (void)state;
    enum { TAPES = 600 };
    const char *path = tape_path("random.tape");
    unsigned usable = 0, succeeded = 0;
    for (unsigned i = 0; i < TAPES; i++) {
        struct tt_error err = {0};
        struct run *run;
        make_random(path);
        if (load_run(&run, path, NULL, &err) == TT_OK) {
            check_run(run);
            usable++;
            succeeded += run_count_succeeded(run) > 0;
        } else {
            assert_int_equal(err.code, TT_MALFORMED);
            assert_true(err.line[0] && !strchr(err.line, '\n'));
        }
        run_free(run);
    }
    print_message("# %u of %u random tapes usable, %u with a success\n", usable, TAPES, succeeded);
    assert_true(usable > TAPES / 10 && usable < TAPES && succeeded > TAPES / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_tapes)};
    return cmocka_run_group_tests_name("analyzer_random", tests, tape_dir_make, tape_dir_remove);
}
