#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/bigint.h"
#include "../analyzer/exact.h"
#include "../analyzer/stats.h"

#define N(a) (sizeof(a) / sizeof *(a))

/* Equal as bits: 0.0 and -0.0 differ. */
static void expect_double(double got, double want)
{
    uint64_t g, w;
    memcpy(&g, &got, 8);
    memcpy(&w, &want, 8);
    if (g != w)
        fail_msg("%a (%.17g), expected %a (%.17g)", got, got, want, want);
}

static void sum_is_rounded_once(void **state)
{
    (void)state;
    const double lost[] = {1e16, 1.0, 1.0, -1e16};
    expect_double(stats_sum(lost, N(lost)), 2.0);
    const double tenths[] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
    expect_double(stats_sum(tenths, N(tenths)), 1.0);
    const double wide[] = {1e308, 5e-324, -1e308};
    expect_double(stats_sum(wide, N(wide)), 5e-324);
    const double passing[] = {DBL_MAX, DBL_MAX, -DBL_MAX};
    expect_double(stats_sum(passing, N(passing)), DBL_MAX);
    expect_double(stats_sum(NULL, 0), 0.0);
}

static void sum_rounds_half_to_even(void **state)
{
    (void)state;
    const double even[] = {0x1p53, 1.0}, odd[] = {0x1p53 + 2, 1.0}, above[] = {0x1p53, 1.0, 0x1p-1074};
    expect_double(stats_sum(even, 2), 0x1p53);
    expect_double(stats_sum(odd, 2), 0x1p53 + 4);
    expect_double(stats_sum(above, 3), 0x1p53 + 2);
    const double below[] = {-0x1p53, -1.0, -0x1p-1074};
    expect_double(stats_sum(below, 3), -0x1p53 - 2);
    const double carry[] = {0x1.fffffffffffffp52, 0.75}; /* every mantissa bit carries */
    expect_double(stats_sum(carry, 2), 0x1p53);
}

static void sum_past_the_largest_double(void **state)
{
    (void)state;
    const double up[] = {DBL_MAX, DBL_MAX}, down[] = {-DBL_MAX, -DBL_MAX};
    assert_true(isinf(stats_sum(up, 2)) && stats_sum(up, 2) > 0);
    assert_true(isinf(stats_sum(down, 2)) && stats_sum(down, 2) < 0);
    const double almost[] = {DBL_MAX, 0x1p969}; /* below half of the last place */
    expect_double(stats_sum(almost, 2), DBL_MAX);
    const double half[] = {DBL_MAX, 0x1p970};
    assert_true(isinf(stats_sum(half, 2)));
}

static void mean_divides_before_rounding(void **state)
{
    (void)state;
    const double big[] = {DBL_MAX, DBL_MAX};
    expect_double(stats_mean(big, 2), DBL_MAX);
    const double tiny[] = {5e-324, 0, 0};
    expect_double(stats_mean(tiny, 3), 0.0);
    const double two[] = {5e-324, 5e-324, 0};
    expect_double(stats_mean(two, 3), 5e-324);
    const double thirds[] = {1, 0, 0};
    expect_double(stats_mean(thirds, 3), 1.0 / 3);
    const double minus[] = {-1, 0, 0};
    expect_double(stats_mean(minus, 3), -1.0 / 3);
    /* The rounded sum is 2^53 + 2, a third of which is another double. */
    const double twice[] = {0x1p53, 1.0, 0x1p-60};
    expect_double(stats_mean(twice, 3), 0x1.5555555555556p51);
}

/* Values from an independent computation with exact fractions. */
static void stddev_is_exact(void **state)
{
    (void)state;
    const double one[] = {7.5}, same[] = {0.1, 0.1, 0.1};
    expect_double(stats_stddev(one, 1), 0.0);
    expect_double(stats_stddev(same, 3), 0.0);
    const double pair[] = {0, 1};
    expect_double(stats_stddev(pair, 2), 0.70710678118654757);
    const double classic[] = {2, 4, 4, 4, 5, 5, 7, 9};
    expect_double(stats_stddev(classic, 8), 2.1380899352993952);
    /* A naive one-pass formula loses all digits here. */
    const double close[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    expect_double(stats_stddev(close, 4), 5.4772255750516612);
    const double smallest[] = {0, 5e-324, 1e-323, 1.5e-323};
    expect_double(stats_stddev(smallest, 4), 5e-324); /* 1.29 units */
    const double huge[] = {DBL_MAX, DBL_MAX / 2, DBL_MAX};
    expect_double(stats_stddev(huge, 3), 5.1894930766655012e+307);
    const double seed[] = {25279, 25280, 25281, 25282, 25283, 25283, 25283, 25282};
    expect_double(stats_stddev(seed, 8), 1.5059406173077154);
}

/* {-m, 0, m + 1} has the deviation sqrt((m + 1/2)^2 + 1/12): a hair above the middle
 * of two doubles, 2^-57 of their distance, which decides the rounding when m is even. */
static void stddev_a_hair_above_the_middle(void **state)
{
    (void)state;
    const double even[] = {-(0x1p52 + 2), 0, 0x1p52 + 3}, odd[] = {-(0x1p52 + 3), 0, 0x1p52 + 4};
    expect_double(stats_stddev(even, 3), 0x1p52 + 3);
    expect_double(stats_stddev(odd, 3), 0x1p52 + 4);
    /* (m + 3/2)^2 + 3/4: here no division leaves a rest, only the root does. */
    const double wider[] = {-(0x1p52 + 3), 0, 0x1p52 + 6};
    expect_double(stats_stddev(wider, 3), 0x1p52 + 5);
    const double exact[] = {-(0x1p52 + 2), 0, 0x1p52 + 2};
    expect_double(stats_stddev(exact, 3), 0x1p52 + 2);
}

static void stddev_past_the_largest_double(void **state)
{
    (void)state;
    const double values[] = {-DBL_MAX, DBL_MAX};
    assert_true(isinf(stats_stddev(values, 2)));
}

static void percentiles_are_nearest_rank(void **state)
{
    (void)state;
    double values[200];
    for (size_t i = 0; i < N(values); i++)
        values[i] = (double)(i + 1);
    expect_double(stats_percentile(values, 1, 99), 1);
    expect_double(stats_percentile(values, 4, 25), 1);
    expect_double(stats_percentile(values, 4, 50), 2);
    expect_double(stats_percentile(values, 5, 50), 3);
    expect_double(stats_percentile(values, 8, 90), 8);
    expect_double(stats_percentile(values, 20, 95), 19);
    expect_double(stats_percentile(values, 21, 95), 20);
    expect_double(stats_percentile(values, 100, 99), 99);
    expect_double(stats_percentile(values, 101, 99), 100);
    expect_double(stats_percentile(values, 200, 0), 1);
    expect_double(stats_percentile(values, 200, 100), 200);
}

static void compute_fills_everything(void **state)
{
    (void)state;
    double values[] = {9, 2, 4, 5, 4, 7, 4, 5};
    struct stats s;
    assert_int_equal(stats_compute(values, N(values), &s), TT_OK);
    assert_int_equal(s.samples, 8);
    expect_double(s.mean, 5);
    expect_double(s.stddev, 2.1380899352993952);
    expect_double(s.mean_ci95_low, 5 - 1.96 * 2.1380899352993952 / sqrt(8));
    expect_double(s.mean_ci95_high, 5 + 1.96 * 2.1380899352993952 / sqrt(8));
    expect_double(s.min, 2);
    expect_double(s.p25, 4);
    expect_double(s.p50, 4);
    expect_double(s.p75, 5);
    expect_double(s.p90, 9);
    expect_double(s.p95, 9);
    expect_double(s.p99, 9);
    expect_double(s.max, 9);
}

static void compute_of_none_and_one(void **state)
{
    (void)state;
    double one[] = {3.25};
    struct stats s = {.samples = 9};
    assert_int_equal(stats_compute(one, 0, &s), TT_OK);
    assert_int_equal(s.samples, 0);
    assert_int_equal(stats_compute(one, 1, &s), TT_OK);
    assert_int_equal(s.samples, 1);
    expect_double(s.stddev, 0.0);
    expect_double(s.mean_ci95_low, 3.25);
    expect_double(s.mean_ci95_high, 3.25);
    expect_double(s.p99, 3.25);
}

static int shuffled(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(double));
}

/* Exactness makes the order of the values irrelevant. */
static void order_does_not_matter(void **state)
{
    (void)state;
    double values[2000];
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < N(values); i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        values[i] = ldexp((double)(x >> 11), (int)(x % 120) - 100) * (x & 1 ? -1 : 1);
    }
    double sum = stats_sum(values, N(values)), stddev = stats_stddev(values, N(values));
    qsort(values, N(values), sizeof *values, shuffled);
    expect_double(stats_sum(values, N(values)), sum);
    expect_double(stats_stddev(values, N(values)), stddev);
}

static void most_values_are_no_trouble(void **state)
{
    (void)state;
    size_t n = 65536;
    double *values = malloc(n * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i % 2);
    struct stats s;
    assert_int_equal(stats_compute(values, n, &s), TT_OK);
    expect_double(s.mean, 0.5);
    expect_double(s.stddev, 0.50000381474092193); /* sqrt(n / (4 (n - 1))) */
    free(values);
}

static void root_is_the_integer_root(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < 70000; v++) {
        uint32_t a[2] = {v, 0}, want = (uint32_t)sqrt((double)v);
        bool rest = bigint_root(a, 2);
        assert_int_equal(a[0], want);
        assert_int_equal(rest, want * want != v);
    }
    uint32_t all[6] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    assert_true(bigint_root(all, 6));
    const uint32_t want[6] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 0, 0};
    assert_memory_equal(all, want, sizeof want);
}

static void shift_keeps_what_falls_out(void **state)
{
    (void)state;
    const uint32_t a[3] = {0x80000001u, 0, 0x10u};
    uint32_t out[3];
    assert_true(bigint_shift(a, 3, 1, out, 3));
    assert_int_equal(out[0], 0x40000000u);
    assert_false(bigint_shift(a, 3, 0, out, 3));
    assert_true(bigint_shift(a, 3, 68, out, 3));
    assert_int_equal(out[0], 1);
    assert_true(bigint_shift(a, 3, 200, out, 3));
    assert_int_equal(bigint_bits(out, 3), 0);
    assert_false(bigint_shift(a, 3, -20, out, 3));
    assert_int_equal(out[0], 0x00100000u);
    assert_int_equal(out[1], 0x00080000u);
    assert_int_equal(out[2], 0x01000000u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_is_rounded_once),
        cmocka_unit_test(sum_rounds_half_to_even),
        cmocka_unit_test(sum_past_the_largest_double),
        cmocka_unit_test(mean_divides_before_rounding),
        cmocka_unit_test(stddev_is_exact),
        cmocka_unit_test(stddev_a_hair_above_the_middle),
        cmocka_unit_test(stddev_past_the_largest_double),
        cmocka_unit_test(percentiles_are_nearest_rank),
        cmocka_unit_test(compute_fills_everything),
        cmocka_unit_test(compute_of_none_and_one),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(most_values_are_no_trouble),
        cmocka_unit_test(root_is_the_integer_root),
        cmocka_unit_test(shift_keeps_what_falls_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
