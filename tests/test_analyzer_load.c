#include "analyzer_tapes.h"

static void test_a_good_tape_gives_its_facts(void **state)
{
    (void)state;
    const char *path = tape_path("good.tape");
    struct maker_options options = {.warmup = 1, .no_thinking = true};
    struct maker m = maker_begin(path, &options, false);
    for (uint64_t i = 0; i < 3; i++)
        put_plan(&m, i);
    put_answer(&m, 2, 2, DELTA("content", "warm"));
    put_event(&m, 100, "run_start");
    put_answer(&m, 0, 100, DELTA("content", "a"));
    put_answer(&m, 1, 101, DELTA("content", "b"));
    maker_finish(&m, 170);
    struct run *run = load_judged(path);
    assert_int_equal(run->tape.state, READER_COMPLETE);
    assert_int_equal(run->count, 2);
    assert_int_equal(run->warmup_count, 1);
    assert_string_equal(run->options.model, "mock");
    assert_string_equal(run->recorder_version, "0.0.test");
    assert_null(run->options.engine);
    assert_false(run->options.has_top_p);
    assert_true(run->options.no_thinking);
    assert_true(run->options.max_context_tokens.has && run->options.max_context_tokens.v == 327680);
    assert_true(run->run_start_ns == 100 * MS && run_finish_ns(run) == 170 * MS);
    assert_true(run->run_start_realtime_ns == REALTIME_NS + 100 * MS);
    assert_int_equal(run->reads, 9);
    assert_int_equal(run->timing.lag.samples, 6); /* warm-ups are in no statistic */
    assert_int_equal(run->events, 15);
    assert_int_equal(run->events_sharing_a_read, 9);
    const struct request *r = &run->requests[1];
    assert_true(r->start_ns == 101 * MS && r->send_last_ns == 105 * MS && r->done_ns == 162 * MS);
    assert_true(request_first_output_ns(r) == 121 * MS && r->facts.first_content_ns == 141 * MS);
    assert_true(r->facts.end_ns == 161 * MS);
    assert_int_equal(r->facts.finish_reason_count, 1);
    assert_string_equal(r->facts.finish_reasons[0], "stop");
    assert_true(request_succeeded(r) && run_performance_eligible(run));
    assert_true(run->warmups[0].warmup && request_succeeded(&run->warmups[0]));
    run_free(run);
}

static void test_a_torn_tape_keeps_every_index(void **state)
{
    (void)state;
    const char *path = tape_path("torn.tape");
    struct maker_options options = {.requests = 4};
    struct maker m = maker_begin(path, &options, true);
    put_answer(&m, 0, 2, DELTA("content", "a"));
    put_start(&m, 1, 3);
    put_head(&m, 1, 10);
    put_read(&m, 1, 20, DELTA("content", "a"));
    put_start(&m, 2, 70);
    maker_abandon(&m);
    struct run *run = load_judged(path);
    assert_int_equal(run->tape.state, READER_TORN);
    assert_true(request_succeeded(&run->requests[0]));
    assert_string_equal(run->requests[1].verdict.error_type, "not_recorded");
    assert_true(run->requests[1].verdict.response_received);
    assert_string_equal(run->requests[2].verdict.error_type, "not_recorded");
    assert_false(run->requests[2].verdict.response_received);
    assert_string_equal(run->requests[3].verdict.error_type, "not_sent");
    assert_false(run_performance_eligible(run));
    assert_true(run_finish_ns(run) == 70 * MS);
    assert_true(run_finish_realtime_ns(run) == REALTIME_NS + 70 * MS);
    run_free(run);
}

/* Cut while planning: RUN knows how many there should have been. */
static void test_requests_without_plan(void **state)
{
    (void)state;
    const char *path = tape_path("plan.tape");
    struct maker m = maker_begin(path, NULL, false);
    put_plan(&m, 0);
    maker_abandon(&m);
    struct run *run = load_judged(path);
    assert_int_equal(run->count, 2);
    assert_true(run->requests[0].planned && !run->requests[1].planned);
    assert_int_equal(run->requests[1].context_tokens, 1000);
    assert_string_equal(run->requests[1].verdict.error_type, "not_sent");
    assert_false(run->has_run_start);
    run_free(run);
}

enum contradiction {
    PLAN_TWICE,
    PLAN_PAST_THE_END,
    START_WITHOUT_PLAN,
    START_TWICE,
    READ_BEFORE_START,
    READ_UNKNOWN_REQUEST,
    READ_AFTER_DONE,
    DONE_TWICE,
    TIMES_BACKWARDS,
    RUN_TWICE,
    RUN_START_TWICE,
    START_BEFORE_RUN_START,
    RUN_END_TWICE,
    LOST_UNKNOWN_REQUEST,
    CONTRADICTIONS
};

static void put_contradiction(struct maker *m, enum contradiction which)
{
    switch (which) {
    case PLAN_TWICE:
        put_plan(m, 0);
        return;
    case PLAN_PAST_THE_END:
        put_plan(m, 2);
        return;
    case START_WITHOUT_PLAN:
    case READ_UNKNOWN_REQUEST:
        if (which == START_WITHOUT_PLAN)
            put_start(m, 2, 5);
        else
            put_read(m, 1u << 19, 5, "x");
        return;
    case START_TWICE:
        put_start(m, 0, 5);
        put_start(m, 0, 6);
        return;
    case READ_BEFORE_START:
        put_read(m, 0, 5, "x");
        return;
    case READ_AFTER_DONE:
        put_answer(m, 0, 5, DELTA("content", "a"));
        put_read(m, 0, 90, "x");
        return;
    case DONE_TWICE:
        put_answer(m, 0, 5, DELTA("content", "a"));
        put_done(m, 0, 90);
        return;
    case TIMES_BACKWARDS:
        put_start(m, 0, 5);
        put_head(m, 0, 20);
        put_read(m, 0, 19, "x");
        return;
    case RUN_TWICE:
        put_run(m);
        return;
    case RUN_START_TWICE:
        put_event(m, 5, "run_start");
        return;
    case START_BEFORE_RUN_START:
        put_start(m, 0, 0);
        return;
    case RUN_END_TWICE:
        put_event(m, 5, "run_end");
        return;
    case LOST_UNKNOWN_REQUEST:
        put_lost(m, 5, 2);
        return;
    case CONTRADICTIONS:
        break;
    }
}

static void test_contradictions_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CONTRADICTIONS; i++) {
        const char *path = tape_path("contradiction.tape");
        struct maker m = maker_begin(path, NULL, true);
        put_contradiction(&m, (enum contradiction)i);
        put_event(&m, 100, "run_end");
        maker_abandon(&m);
        struct tt_error err = {0};
        struct run *run;
        enum tt_status st = load_run(&run, path, NULL, &err);
        if (st != TT_MALFORMED || !err.line[0] || run)
            fail_msg("contradiction %u: %s (%s)", i, tt_status_name(st), err.line);
    }
}

static void expect_refusal(const struct maker_options *options, enum tt_status expected)
{
    const char *path = tape_path("bounds.tape");
    struct maker m = maker_begin(path, options, false);
    maker_abandon(&m);
    struct tt_error err;
    struct run *run;
    assert_int_equal(load_run(&run, path, NULL, &err), expected);
}

static void test_counts_are_bounded(void **state)
{
    (void)state;
    expect_refusal(&(struct maker_options){.requests = LOAD_MAX_REQUESTS + 1}, TT_LIMIT);
    expect_refusal(&(struct maker_options){.warmup = LOAD_MAX_WARMUPS + 1}, TT_LIMIT);
    expect_refusal(&(struct maker_options){.requests = UINT64_MAX - 1}, TT_LIMIT);
}

static void test_a_tape_without_run_is_named(void **state)
{
    (void)state;
    const char *path = tape_path("norun.tape");
    struct writer_options w = {.base_monotonic_ns = 1000, .base_realtime_ns = REALTIME_NS};
    struct tt_error err;
    struct maker m = {0};
    assert_int_equal(writer_create(&m.writer, path, &w, &err), TT_OK);
    maker_abandon(&m);
    struct run *run;
    assert_int_equal(load_run(&run, path, NULL, &err), TT_TRUNCATED);
    assert_non_null(strstr(err.line, "RUN"));
}

static void test_lost_reads_stop_the_stream(void **state)
{
    (void)state;
    const char *path = tape_path("lost.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 2, DELTA("content", "a"));
    put_start(&m, 1, 3);
    put_head(&m, 1, 4);
    put_read(&m, 1, 5, DELTA("content", "a"));
    put_lost(&m, 6, 1);
    put_read(&m, 1, 7, DELTA("content", "b") FINISH);
    put_done(&m, 1, 8);
    maker_finish(&m, 100);
    struct run *run = load_judged(path);
    assert_int_equal(run->lost_reads, 3);
    assert_int_equal(run->requests[1].facts.content_chunks, 1);
    assert_string_equal(run->requests[1].verdict.error_type, "lost_records");
    assert_true(run->requests[1].verdict.response_received);
    assert_true(request_succeeded(&run->requests[0]));
    assert_false(run_performance_eligible(run));
    run_free(run);
}

/* Flips one byte inside the block that brought request 1's reads. */
static void damage(const char *path, off_t at)
{
    int fd = open(path, O_RDWR);
    uint8_t b = 0;
    assert_true(fd >= 0 && pread(fd, &b, 1, at) == 1);
    b ^= 0xff;
    assert_true(pwrite(fd, &b, 1, at) == 1);
    close(fd);
}

static void test_salvage_marks_what_a_hole_may_have_taken(void **state)
{
    (void)state;
    const char *path = tape_path("hole.tape");
    struct maker_options options = {.requests = 4};
    struct maker m = maker_begin(path, &options, true);
    struct tt_error err;
    put_answer(&m, 0, 2, DELTA("content", "a"));
    put_start(&m, 1, 3);
    put_head(&m, 1, 4);
    assert_int_equal(writer_sync(m.writer, m.now_ns, &err), TT_OK);
    off_t begin = (off_t)writer_bytes(m.writer);
    put_read(&m, 1, 70, DELTA("content", "a"));
    put_start(&m, 2, 71);
    put_head(&m, 2, 72);
    assert_int_equal(writer_sync(m.writer, m.now_ns, &err), TT_OK);
    off_t end = (off_t)writer_bytes(m.writer);
    put_read(&m, 1, 80, DELTA("content", "b") FINISH);
    put_done(&m, 1, 81);
    put_read(&m, 2, 82, DELTA("content", "c") FINISH);
    put_done(&m, 2, 83);
    put_answer(&m, 3, 84, DELTA("content", "d"));
    maker_finish(&m, 200);
    damage(path, end - 3 > begin ? end - 3 : begin);
    struct reader_options salvage = {.mode = READER_SALVAGE};
    struct run *run;
    if (load_run(&run, path, &salvage, &err) != TT_OK)
        fail_msg("salvage: %s", err.line);
    eligibility_judge(run, NULL);
    assert_int_equal(run->gaps, 1);
    assert_true(request_succeeded(&run->requests[0]));
    assert_string_equal(run->requests[1].verdict.error_type, "lost_records");
    assert_string_equal(run->requests[2].verdict.error_type, "lost_records");
    assert_true(request_succeeded(&run->requests[3]));
    assert_false(run_performance_eligible(run));
    run_free(run);
    run = load_judged(path); /* prefix */
    assert_string_equal(run->requests[1].verdict.error_type, "not_recorded");
    assert_string_equal(run->requests[3].verdict.error_type, "not_sent");
    run_free(run);
    struct reader_options strict = {.mode = READER_STRICT};
    assert_int_not_equal(load_run(&run, path, &strict, &err), TT_OK);
}

/* Whatever is cut off: a run or one line, never a crash. */
static void test_a_tape_cut_anywhere(void **state)
{
    (void)state;
    const char *path = tape_path("cut.tape"), *cut = tape_path("cut2.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 2, DELTA("content", "a"));
    put_answer(&m, 1, 600, DELTA("content", "b"));
    maker_finish(&m, 700);
    FILE *f = fopen(path, "rb");
    uint8_t bytes[1 << 16];
    size_t n = fread(bytes, 1, sizeof bytes, f), usable = 0;
    fclose(f);
    for (size_t i = 0; i < n; i += 7) {
        struct tt_error err = {0};
        struct run *run;
        f = fopen(cut, "wb");
        assert_int_equal(fwrite(bytes, 1, i, f), i);
        fclose(f);
        if (load_run(&run, cut, NULL, &err) == TT_OK) {
            eligibility_judge(run, NULL);
            assert_int_equal(run->count, 2);
            usable++;
        } else {
            assert_true(err.line[0] != 0 && !strchr(err.line, '\n'));
        }
        run_free(run);
    }
    assert_true(usable > 0);
}

static void test_lag_quantiles(void **state)
{
    (void)state;
    static struct lag_histogram h;
    assert_int_equal(lag_quantile(&h, 500), 0);
    lag_add(&h, -5);
    for (int i = 1; i <= 99; i++)
        lag_add(&h, i * 1000);
    assert_int_equal(h.samples, 100);
    assert_int_equal(h.max_ns, 99000);
    assert_in_range(lag_quantile(&h, 500), 49000, 49000 * 65 / 64);
    assert_int_equal(lag_quantile(&h, 1000), 99000);
    assert_int_equal(lag_quantile(&h, 10), 0);
    lag_add(&h, INT64_MAX);
    assert_int_equal(lag_quantile(&h, 1000), INT64_MAX > 1ll << 41 ? (1ull << 41) - 1 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_tape_gives_its_facts),
        cmocka_unit_test(test_a_torn_tape_keeps_every_index),
        cmocka_unit_test(test_requests_without_plan),
        cmocka_unit_test(test_contradictions_are_refused),
        cmocka_unit_test(test_counts_are_bounded),
        cmocka_unit_test(test_a_tape_without_run_is_named),
        cmocka_unit_test(test_lost_reads_stop_the_stream),
        cmocka_unit_test(test_salvage_marks_what_a_hole_may_have_taken),
        cmocka_unit_test(test_a_tape_cut_anywhere),
        cmocka_unit_test(test_lag_quantiles),
    };
    return cmocka_run_group_tests_name("analyzer_load", tests, tape_dir_make, tape_dir_remove);
}
