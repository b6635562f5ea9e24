/* --cpus: the grammar, what exists and is open, and where a thread then runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../recorder/cpus.h"
#include "../recorder/pace.h"

static struct cpu_list list;
static struct tt_error err;

static void lists_are_read_in_order(void **state)
{
    static const char *const pairs[][2] = {{"0", "0"},         {"2,3", "2,3"},           {"3,2", "3,2"},
                                           {"0-3", "0,1,2,3"}, {"5,0-2,7", "5,0,1,2,7"}, {"1023", "1023"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[CPUS_TEXT_BYTES];
        assert_int_equal(cpus_parse(pairs[i][0], &list, &err), TT_OK);
        cpus_format(&list, text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static void anything_else_is_refused(void **state)
{
    static const char *const bad[][2] = {
        {"", "''"},       {",", ","},         {"1,", "1,"},          {"a", "a"},       {"1-", "1-"},
        {"3-1", "3-1"},   {"-1", "-1"},       {"1 2", "1 2"},        {"1024", "1024"}, {"0x1", "0x1"},
        {"0,0", "twice"}, {"1-3,2", "twice"}, {"0-64", "more than"}, {"1--2", "1--2"}, {"99999999999999999999", "999"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cpus_parse(bad[i][0], &list, &err), TT_USAGE);
        if (!strstr(err.line, "--cpus") || !strstr(err.line, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], err.line);
    }
}

static void what_is_not_there_or_not_open_is_refused(void **state)
{
    cpu_set_t all, one;
    (void)state;
    assert_int_equal(cpus_parse("1023", &list, &err), TT_OK);
    assert_int_equal(cpus_check(&list, &err), TT_USAGE);
    assert_non_null(strstr(err.line, "CPU 1023 does not exist here"));
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    size_t found[2], n = 0;
    for (size_t i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &all))
            found[n++] = i;
    if (n < 2)
        skip();
    CPU_ZERO(&one);
    CPU_SET(found[0], &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    list = (struct cpu_list){{(unsigned short)found[1]}, 1};
    assert_int_equal(cpus_check(&list, &err), TT_USAGE);
    assert_non_null(strstr(err.line, "is not open to this process"));
    list.at[0] = (unsigned short)found[0];
    assert_int_equal(cpus_check(&list, &err), TT_OK);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void a_thread_runs_where_it_is_told(void **state)
{
    cpu_set_t all, now;
    struct cpus_before before;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    list = (struct cpu_list){0};
    for (unsigned short i = 0; i < CPU_SETSIZE && list.n < 2; i++)
        if (CPU_ISSET(i, &all))
            list.at[list.n++] = i;
    assert_true(cpus_pin_io(&list, &before));
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_COUNT(&now) == 1 && CPU_ISSET(list.at[0], &now));
    cpus_unpin(&before);
    assert_true(cpus_pin_writer(&list));
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_COUNT(&now) == 1 && CPU_ISSET(list.at[list.n - 1], &now));
    cpus_unpin(&before);
    cpus_take_the_rest(&list, &before);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_int_equal(CPU_COUNT(&now), CPU_COUNT(&all) > 2 ? CPU_COUNT(&all) - 2 : CPU_COUNT(&all));
    cpus_unpin(&before);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_EQUAL(&now, &all));
}

#define MS 1000000u

/* How many of endless starts are let through up to and at `now_ns`. */
static unsigned opened(struct pace *p, uint64_t now_ns)
{
    unsigned n = 0;
    while (n < 100000 && pace_allows(p, now_ns)) {
        pace_note(p, now_ns);
        n++;
    }
    return n;
}

static void connections_are_opened_at_a_bounded_pace(void **state)
{
    struct pace p;
    (void)state;
    pace_init(&p, 1000);
    assert_int_equal(opened(&p, 5 * MS), PACE_AT_ONCE);
    assert_int_equal(pace_next(&p), 6 * MS);
    assert_int_equal(opened(&p, 6 * MS - 1), 0);
    assert_int_equal(opened(&p, 6 * MS), 1);
    unsigned in_a_second = 0;
    for (uint64_t t = 7 * MS; t <= 1006 * MS; t += MS)
        in_a_second += opened(&p, t);
    assert_int_equal(in_a_second, 1000);
    assert_int_equal(opened(&p, 1016 * MS), 10);
    assert_int_equal(opened(&p, 100000 * (uint64_t)MS), PACE_AT_ONCE); /* a rest saves up no more than that */
    pace_init(&p, 0);
    assert_int_equal(opened(&p, 0), 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_in_order),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(what_is_not_there_or_not_open_is_refused),
        cmocka_unit_test(a_thread_runs_where_it_is_told),
        cmocka_unit_test(connections_are_opened_at_a_bounded_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
