/* Clock rules: lags from the kernel's stamps, and what a stepped clock does to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../recorder/stamp.h"

#define SECOND 1000000000ull

static const struct stamp_base base = {.monotonic_ns = 1000 * SECOND, .realtime_ns = 1790000000 * SECOND};
static const int64_t offset_ns = (int64_t)((1790000000ull - 1000ull) * SECOND);

static struct stamp_offset known(void)
{
    struct stamp_offset o = {0};
    stamp_offset_update(&o, 0, offset_ns);
    return o;
}

/* A kernel stamp `ago` before `now` (ns since base). */
static uint64_t stamp_before(uint64_t now, int64_t ago)
{
    return (uint64_t)((int64_t)(base.realtime_ns + now) - ago);
}

static void lag_is_time_since_the_stamp(void **state)
{
    (void)state;
    struct stamp_offset o = known();
    assert_int_equal(stamp_lag(&o, &base, 5 * SECOND, stamp_before(5 * SECOND, 12345)), 12345);
    assert_int_equal(stamp_lag(&o, &base, 5 * SECOND, stamp_before(5 * SECOND, 0)), 0);
}

static void no_stamp_no_offset_no_lag(void **state)
{
    (void)state;
    struct stamp_offset o = known(), unknown = {0};
    assert_true(stamp_lag(&o, &base, SECOND, 0) == TAPE_LAG_NONE);
    assert_true(stamp_lag(&unknown, &base, SECOND, stamp_before(SECOND, 10)) == TAPE_LAG_NONE);
}

static void negative_and_absurd_lags_are_dropped(void **state)
{
    (void)state;
    struct stamp_offset o = known();
    uint64_t now = 5000 * SECOND;
    assert_int_equal(stamp_lag(&o, &base, now, stamp_before(now, -STAMP_STEP_NS)), -STAMP_STEP_NS); /* reading error */
    assert_true(stamp_lag(&o, &base, now, stamp_before(now, -STAMP_STEP_NS - 1)) == TAPE_LAG_NONE);
    assert_int_equal(stamp_lag(&o, &base, now, stamp_before(now, STAMP_ABSURD_NS)), STAMP_ABSURD_NS);
    assert_true(stamp_lag(&o, &base, now, stamp_before(now, STAMP_ABSURD_NS + 1)) == TAPE_LAG_NONE);
}

static void reading_errors_are_no_steps(void **state)
{
    (void)state;
    struct stamp_offset o = known();
    stamp_offset_update(&o, SECOND, offset_ns + STAMP_STEP_NS);
    assert_int_equal(o.steps, 0);
    assert_int_equal(stamp_lag(&o, &base, 2 * SECOND, stamp_before(2 * SECOND, 100) + STAMP_STEP_NS), 100);
    stamp_offset_update(&o, 3 * SECOND, offset_ns - 1);
    assert_int_equal(o.steps, 1);
}

#define MS 1000000ull

/* The wall clock is stepped at 3 s, between two looks 1 ms apart. A stamp of `taken` (ns since base), read
 * at `now`: its lag must be the true one or none. */
static int64_t lag_around(int64_t step, uint64_t taken, uint64_t now)
{
    struct stamp_offset o = known();
    stamp_offset_update(&o, 3 * SECOND - MS, offset_ns);
    stamp_offset_update(&o, 3 * SECOND + MS, offset_ns + step);
    uint64_t stamp = stamp_before(taken, 0) + (taken >= 3 * SECOND ? (uint64_t)step : 0);
    int64_t lag = stamp_lag(&o, &base, now, stamp);
    assert_true(lag == TAPE_LAG_NONE || lag == (int64_t)(now - taken));
    return lag;
}

static const int64_t steps[] = {-3600000000000, -1000000000, -500000, -40000, 40000, 500000, 1000000000, 3600000000000};
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

static void no_step_changes_a_lag(void **state)
{
    (void)state;
    size_t told = 0, all = 0;
    for (size_t i = 0; i < STEPS; i++)
        for (uint64_t taken = 3 * SECOND - 20 * MS; taken <= 3 * SECOND + 60 * MS; taken += 50000)
            for (uint64_t late = 0; late < 3 * MS; late += 100000, all++)
                if (taken + late >= 3 * SECOND + MS)
                    told += lag_around(steps[i], taken, taken + late) != TAPE_LAG_NONE;
    assert_true(told > all / 2); /* dropping all of them would be no art */
}

static void forward_steps_cost_only_the_stamps_beside_them(void **state)
{
    (void)state;
    assert_int_equal(lag_around(500000, 3 * SECOND - 2 * MS, 3 * SECOND + 2 * MS), 4 * MS);
    assert_int_equal(lag_around(500000, 3 * SECOND + 4 * MS, 3 * SECOND + 5 * MS), MS);
    assert_true(lag_around(500000, 3 * SECOND, 3 * SECOND + 2 * MS) == TAPE_LAG_NONE);
}

static void backward_steps_mute_what_they_make_ambiguous(void **state)
{
    (void)state;
    uint64_t later = 3 * SECOND + MS + STAMP_MUTE_NS;
    assert_true(lag_around(-1000000000, later - MS, later - 1) == TAPE_LAG_NONE);
    assert_int_equal(lag_around(-1000000000, later - MS, later), MS);
}

static void two_steps_close_together_mute_everything(void **state)
{
    (void)state;
    struct stamp_offset o = known();
    stamp_offset_update(&o, 3 * SECOND, offset_ns + 500000);
    stamp_offset_update(&o, 3 * SECOND + MS, offset_ns);
    uint64_t later = 3 * SECOND + MS + STAMP_MUTE_NS;
    assert_true(stamp_lag(&o, &base, later - 1, stamp_before(later - 1, 100)) == TAPE_LAG_NONE);
    assert_int_equal(stamp_lag(&o, &base, later, stamp_before(later, 100)), 100);
}

/* Whatever this machine's wall clock does meanwhile. */
static void looking_again_agrees(void **state)
{
    (void)state;
    struct stamp_offset o = {0};
    struct stamp_base now = stamp_take_base();
    uint64_t before = stamp_now(&now), turn = stamp_offset_refresh(&o, &now), after = stamp_now(&now);
    assert_true(before <= turn && turn <= after);
    for (int i = 0; i < 1000 && !o.known; i++)
        stamp_offset_refresh(&o, &now);
    stamp_offset_check(&o, &now, stamp_now(&now));
    assert_true(o.known && o.seen_ns >= before && o.seen_ns <= stamp_now(&now));
}

static void utc_text_is_the_start(void **state)
{
    (void)state;
    char text[STAMP_UTC_TEXT];
    stamp_utc_text(&base, text);
    assert_string_equal(text, "20260921T141320Z");
}

static void clock_record_is_filled(void **state)
{
    (void)state;
    struct stamp_base now = stamp_take_base();
    struct tape_record rec;
    stamp_clock(&now, &rec);
    assert_int_equal(rec.kind, TAPE_CLOCK);
    assert_true(rec.u.clock.realtime_ns >= now.realtime_ns);
    assert_true(rec.u.clock.monotonic_raw_ns > 0 && rec.u.clock.boottime_ns > 0);
    assert_true(stamp_now(&now) >= rec.u.clock.time_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lag_is_time_since_the_stamp),
        cmocka_unit_test(no_stamp_no_offset_no_lag),
        cmocka_unit_test(negative_and_absurd_lags_are_dropped),
        cmocka_unit_test(reading_errors_are_no_steps),
        cmocka_unit_test(no_step_changes_a_lag),
        cmocka_unit_test(forward_steps_cost_only_the_stamps_beside_them),
        cmocka_unit_test(backward_steps_mute_what_they_make_ambiguous),
        cmocka_unit_test(two_steps_close_together_mute_everything),
        cmocka_unit_test(looking_again_agrees),
        cmocka_unit_test(utc_text_is_the_start),
        cmocka_unit_test(clock_record_is_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
