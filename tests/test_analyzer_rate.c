/* Rates by the tape's own times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../analyzer/rate.h"

#define MS 1000000ull

static void add(struct rate *r, uint64_t ms, uint64_t reads)
{
    struct traffic more = {.reads = reads, .bytes = 10 * reads, .events = 2 * reads};
    rate_add(r, ms * MS, &more);
}

static void expect(struct rate *r, uint64_t to_ms, uint64_t reads, uint64_t span_ms)
{
    struct traffic sum;
    uint64_t span_ns;
    assert_int_equal(rate_sum(r, to_ms * MS, &sum, &span_ns), span_ms >= 100);
    assert_int_equal(sum.reads, reads);
    assert_int_equal(sum.bytes, 10 * reads);
    assert_int_equal(sum.events, 2 * reads);
    assert_int_equal(span_ns, span_ms * MS);
}

static void test_a_young_tape_counts_from_its_first_read(void **state)
{
    (void)state;
    struct rate r = {0};
    expect(&r, 0, 0, 0);
    expect(&r, 7000, 0, 0);
    add(&r, 7300, 1);
    expect(&r, 7300, 1, 0);
    expect(&r, 7399, 1, 99);
    add(&r, 7400, 2);
    expect(&r, 7400, 3, 100);
    expect(&r, 9300, 3, 2000);
}

static void test_only_the_last_five_seconds_count(void **state)
{
    (void)state;
    struct rate r = {0};
    for (uint64_t ms = 0; ms < 20000; ms += 100)
        add(&r, ms, 1);
    expect(&r, 19900, 50, 4900); /* from 15.0 s on: slots begin at half seconds */
}

static void test_a_pause_empties_them(void **state)
{
    (void)state;
    struct rate r = {0};
    add(&r, 100, 5);
    expect(&r, 4999, 5, 4899);
    expect(&r, 5000, 0, 4500); /* the slot of the first half second is gone */
    expect(&r, 1ull << 40, 0, (1ull << 40) % 500 + 4500);
    add(&r, (1ull << 40) + 1000, 3);
    expect(&r, (1ull << 40) + 1000, 3, ((1ull << 40) + 1000) % 500 + 4500);
}

static void test_times_need_not_ascend(void **state)
{
    (void)state;
    struct rate r = {0};
    add(&r, 9000, 1);
    add(&r, 8000, 2); /* another request's, and earlier */
    expect(&r, 9000, 3, 1000);
    add(&r, 20000, 4);
    add(&r, 15400, 5); /* older than the slots */
    add(&r, 15500, 6);
    expect(&r, 20000, 10, 4500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_young_tape_counts_from_its_first_read),
        cmocka_unit_test(test_only_the_last_five_seconds_count),
        cmocka_unit_test(test_a_pause_empties_them),
        cmocka_unit_test(test_times_need_not_ascend),
    };
    return cmocka_run_group_tests_name("analyzer_rate", tests, NULL, NULL);
}
