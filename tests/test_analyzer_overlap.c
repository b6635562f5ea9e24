#include "analyzer_tapes.h"

#include "../analyzer/overlap.h"

#define MAX_REQUESTS 8

/* A run made of spans alone. */
struct spans {
    struct run run;
    struct request requests[MAX_REQUESTS];
};

static void begin(struct spans *s, size_t n, uint64_t concurrency, uint64_t wall_ns)
{
    *s = (struct spans){.run = {.count = n, .run_start_ns = 0, .run_end_ns = wall_ns, .last_time_ns = wall_ns}};
    s->run.requests = s->requests;
    s->run.options.concurrency = concurrency;
    for (size_t i = 0; i < n; i++) {
        s->requests[i].number = i;
        s->requests[i].start_ns = s->requests[i].done_ns = TAPE_NONE;
        s->requests[i].facts.first_reasoning_ns = s->requests[i].facts.first_content_ns = s->requests[i].facts.end_ns =
            TAPE_NONE;
    }
}

static void set(struct spans *s, size_t i, uint64_t start, uint64_t output, uint64_t end)
{
    s->requests[i].start_ns = start;
    s->requests[i].facts.first_content_ns = output;
    s->requests[i].facts.end_ns = output == TAPE_NONE ? TAPE_NONE : end;
    s->requests[i].done_ns = end;
}

static void near(double value, double expected)
{
    if (value < expected - 1e-9 || value > expected + 1e-9)
        fail_msg("%.12f, not %.12f", value, expected);
}

/* The seed artifact's eight requests, its four slots refilled at once: what the
 * specification says of them. */
static void test_the_published_run(void **state)
{
    (void)state;
    static const uint64_t seed[8][2] = {
        {11163305383, 26858828680}, {5990609991, 21992660610}, {20426008403, 32733165955}, {16348250670, 39395753278},
        {5344348706, 25340902541},  {5767054029, 20677847099}, {6136360095, 15148439358},  {6152153983, 8321754673}};
    struct spans s;
    struct overlap o;
    begin(&s, 8, 4, 47884247743);
    for (size_t i = 0; i < 8; i++) { /* slots free up in the order 1, 0, 2, 3 */
        static const size_t freed[8] = {0, 0, 0, 0, 1, 0, 2, 3};
        uint64_t start = i < 4 ? 0 : seed[freed[i]][1];
        set(&s, i, start, start + seed[i][0], start + seed[i][1]);
    }
    assert_int_equal(overlap_compute(&s.run, &o), TT_OK);
    assert_true(o.mean.has && o.mean.v > 3.975 && o.mean.v < 3.985);
    assert_int_equal(o.max, 4);
    for (size_t i = 0; i < 7; i++) {
        assert_true(o.prefill_share[i].has);
        assert_true(o.prefill_share[i].v > 0.68 && o.prefill_share[i].v < 0.91);
        assert_int_equal(o.in_flight_at_start[i], 4);
    }
    near(o.prefill_share[7].v, 0);
    overlap_free(&o);
}

static void test_exact_shares(void **state)
{
    (void)state;
    struct spans s;
    struct overlap o;
    begin(&s, 4, 2, 100);
    set(&s, 0, 0, 10, 50);
    set(&s, 1, 20, 30, 40);        /* prefill 20..30: 10 of request 0's 40 */
    set(&s, 2, 45, TAPE_NONE, 60); /* never any output: prefill to its end, 5 more of request 0 */
    set(&s, 3, 60, 60, 100);       /* touches request 2's end: no overlap */
    assert_int_equal(overlap_compute(&s.run, &o), TT_OK);
    near(o.prefill_share[0].v, 15.0 / 40);
    near(o.prefill_share[1].v, 0);
    assert_false(o.prefill_share[2].has);
    near(o.prefill_share[3].v, 0);
    near(o.mean.v, (50 + 20 + 15 + 40) / 100.0);
    near(o.full_share.v, (20 + 5) / 100.0);
    assert_int_equal(o.max, 2);
    assert_int_equal(o.in_flight_at_start[1], 2);
    assert_int_equal(o.in_flight_at_start[3], 1);
    overlap_free(&o);
}

/* Requests that never started, have no length, or end past the run's end. */
static void test_odd_spans(void **state)
{
    (void)state;
    struct spans s;
    struct overlap o;
    begin(&s, 4, 1, 100);
    set(&s, 1, 10, TAPE_NONE, 10);
    set(&s, 2, 90, 95, 200);
    s.requests[3].start_ns = 95; /* the tape ends before DONE */
    s.run.last_time_ns = 120;
    assert_int_equal(overlap_compute(&s.run, &o), TT_OK);
    assert_int_equal(o.in_flight_at_start[0], 0);
    assert_int_equal(o.in_flight_at_start[1], 1);
    assert_int_equal(o.max, 2);
    near(o.mean.v, (10 + 5) / 100.0);
    near(o.prefill_share[2].v, 25.0 / 105);
    overlap_free(&o);
    begin(&s, 2, 2, 100);
    set(&s, 0, 5, 6, 20);
    set(&s, 1, 10, TAPE_NONE, 10); /* no length, beside another */
    assert_int_equal(overlap_compute(&s.run, &o), TT_OK);
    assert_int_equal(o.in_flight_at_start[1], 2);
    overlap_free(&o);
    begin(&s, 1, 1, 0);
    assert_int_equal(overlap_compute(&s.run, &o), TT_OK);
    assert_false(o.mean.has || o.full_share.has);
    overlap_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_published_run),
        cmocka_unit_test(test_exact_shares),
        cmocka_unit_test(test_odd_spans),
    };
    return cmocka_run_group_tests_name("analyzer_overlap", tests, NULL, NULL);
}
