/* The progress line and when it is due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../recorder/progress.h"

#define SECOND 1000000000ull

static void line_says_it_all(void **state)
{
    (void)state;
    char line[PROGRESS_LINE];
    struct progress p = {.phase = "",
                         .planned = 60,
                         .done = 11,
                         .failed = 1,
                         .in_flight = 4,
                         .bytes = 1234567,
                         .elapsed_ns = 12 * SECOND};
    progress_format(&p, line);
    assert_string_equal(line, "done 11/60, failed 1, in flight 4, 1.2 MB, 0:12 elapsed, about 0:48 left");
    p.over = true;
    progress_format(&p, line);
    assert_string_equal(line, "done 11/60, failed 1, in flight 4, 1.2 MB, 0:12 elapsed");
    p.phase = "warm-up";
    progress_format(&p, line);
    assert_string_equal(line, "warm-up: done 11/60, failed 1, in flight 4, 1.2 MB, 0:12 elapsed");
}

static void nothing_finished_tells_no_time_left(void **state)
{
    (void)state;
    char line[PROGRESS_LINE];
    struct progress p = {.phase = "", .planned = 8, .in_flight = 4, .elapsed_ns = 3 * SECOND};
    progress_format(&p, line);
    assert_string_equal(line, "done 0/8, failed 0, in flight 4, 0 B, 0:03 elapsed, about ? left");
}

static void extremes_fit_the_line(void **state)
{
    (void)state;
    char line[PROGRESS_LINE];
    struct progress p = {.phase = "warm-up",
                         .planned = UINT64_MAX,
                         .done = 1,
                         .failed = UINT64_MAX / 2,
                         .in_flight = UINT64_MAX,
                         .bytes = UINT64_MAX,
                         .elapsed_ns = UINT64_MAX};
    progress_format(&p, line);
    size_t n = 0;
    while (n < sizeof(line) && line[n])
        n++;
    assert_true(n < sizeof(line));
}

static void times_and_bytes(void **state)
{
    (void)state;
    char out[32];
    progress_time(0, out, sizeof(out));
    assert_string_equal(out, "0:00");
    progress_time(59 * SECOND + SECOND - 1, out, sizeof(out));
    assert_string_equal(out, "0:59");
    progress_time(750 * SECOND, out, sizeof(out));
    assert_string_equal(out, "12:30");
    progress_time(3723 * SECOND, out, sizeof(out));
    assert_string_equal(out, "1:02:03");
    progress_bytes(999, out, sizeof(out));
    assert_string_equal(out, "999 B");
    progress_bytes(1000, out, sizeof(out));
    assert_string_equal(out, "1.0 kB");
    progress_bytes(999949999, out, sizeof(out));
    assert_string_equal(out, "999.9 MB");
    progress_bytes(999960000, out, sizeof(out));
    assert_string_equal(out, "1.0 GB");
}

static void due_at_its_own_pace(void **state)
{
    (void)state;
    for (int terminal = 0; terminal <= 1; terminal++) {
        uint64_t next = 0, pace = terminal ? PROGRESS_TERMINAL_NS : PROGRESS_PLAIN_NS;
        assert_true(progress_due(&next, 100, terminal));
        assert_false(progress_due(&next, 100, terminal));
        assert_false(progress_due(&next, 100 + pace - 1, terminal));
        assert_true(progress_due(&next, 100 + pace, terminal));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_says_it_all),      cmocka_unit_test(nothing_finished_tells_no_time_left),
        cmocka_unit_test(extremes_fit_the_line), cmocka_unit_test(times_and_bytes),
        cmocka_unit_test(due_at_its_own_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
