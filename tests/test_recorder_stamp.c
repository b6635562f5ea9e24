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
    assert_true(stamp_lag(&o, &base, now, stamp_before(now, -1)) == TAPE_LAG_NONE);
    assert_int_equal(stamp_lag(&o, &base, now, stamp_before(now, STAMP_ABSURD_NS)), STAMP_ABSURD_NS);
    assert_true(stamp_lag(&o, &base, now, stamp_before(now, STAMP_ABSURD_NS + 1)) == TAPE_LAG_NONE);
}

static void slewing_is_followed(void **state)
{
    (void)state;
    struct stamp_offset o = known();
    stamp_offset_update(&o, SECOND, offset_ns + STAMP_STEP_NS);
    assert_int_equal(stamp_lag(&o, &base, 2 * SECOND, stamp_before(2 * SECOND, 100) + STAMP_STEP_NS), 100);
}

static void a_step_mutes_lags_for_a_while(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct stamp_offset o = known();
        int64_t step = sign * (STAMP_STEP_NS + 1);
        uint64_t at = 3 * SECOND, later = at + STAMP_MUTE_NS;
        stamp_offset_update(&o, at, offset_ns + step);
        uint64_t early = stamp_before(later - 1, 100) + (uint64_t)step;
        assert_true(stamp_lag(&o, &base, later - 1, early) == TAPE_LAG_NONE);
        assert_int_equal(stamp_lag(&o, &base, later, stamp_before(later, 100) + (uint64_t)step), 100);
    }
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
        cmocka_unit_test(slewing_is_followed),
        cmocka_unit_test(a_step_mutes_lags_for_a_while),
        cmocka_unit_test(utc_text_is_the_start),
        cmocka_unit_test(clock_record_is_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
