/* Since when nobody had looked: every rule by which bytes can have come earlier than it seems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../recorder/look.h"

/* A turn asked at `asked` that woke at `woke`; the socket is ready in it or not. */
static void turn(struct look *l, struct look_mark *m, uint64_t asked, uint64_t woke, bool ready, bool whole)
{
    look_begin(l, woke);
    if (ready)
        look_busy(l, m);
    look_end(l, asked, whole);
}

static void opened(struct look *l, struct look_mark *m)
{
    *l = (struct look){0};
    turn(l, m, 50, 90, false, true);
    look_begin(l, 100);
    look_made(l, m, 105);
    look_end(l, 95, true);
}

static void a_new_socket_was_empty_when_its_turn_began(void **state)
{
    (void)state;
    struct look l;
    struct look_mark m = {0};
    opened(&l, &m);
    assert_int_equal(look_since(&l, &m), 100);
    look_begin(&l, 200);
    look_busy(&l, &m);
    assert_int_equal(m.empty_ns, 100);
}

static void the_last_look_that_did_not_find_it(void **state)
{
    (void)state;
    struct look l;
    struct look_mark m = {0};
    opened(&l, &m);
    turn(&l, &m, 110, 200, false, true);
    turn(&l, &m, 210, 300, false, true);
    look_begin(&l, 400);
    look_busy(&l, &m);
    assert_int_equal(m.empty_ns, 210); /* not 300: bytes may have come behind that turn's look and before its end */
    look_busy(&l, &m);
    assert_int_equal(m.empty_ns, 210);
}

static void a_failed_or_full_look_proves_nothing(void **state)
{
    (void)state;
    struct look l;
    struct look_mark m = {0};
    opened(&l, &m);
    turn(&l, &m, 110, 200, false, true);
    turn(&l, &m, 210, 300, false, false);
    turn(&l, &m, 310, 400, false, false);
    look_begin(&l, 500);
    look_busy(&l, &m);
    assert_int_equal(m.empty_ns, 110);
}

/* As long as it is ready turn after turn and no read was seen to empty it, the oldest bytes may still be in it. */
static void a_socket_that_stays_ready(void **state)
{
    (void)state;
    struct look l;
    struct look_mark m = {0};
    opened(&l, &m);
    turn(&l, &m, 110, 200, false, true);
    for (uint64_t at = 300; at <= 700; at += 100) {
        turn(&l, &m, at - 90, at, true, true);
        assert_int_equal(m.empty_ns, 110);
    }
    turn(&l, &m, 710, 800, false, true);
    turn(&l, &m, 810, 900, true, true);
    assert_int_equal(m.empty_ns, 710);
}

static void a_read_that_empties_it(void **state)
{
    (void)state;
    struct look l;
    struct look_mark m = {0};
    opened(&l, &m);
    turn(&l, &m, 110, 200, false, true);
    look_begin(&l, 300);
    look_busy(&l, &m);
    look_drained(&l, &m);
    look_end(&l, 210, true);
    look_begin(&l, 400);
    look_busy(&l, &m);
    assert_int_equal(m.empty_ns, 300); /* not the time of the read itself: that may have been late */
}

static void waiting_is_what_was_seen_to_be_waiting(void **state)
{
    (void)state;
    struct look l;
    struct look_mark m = {0};
    opened(&l, &m); /* made at 105 */
    turn(&l, &m, 110, 200, true, true);
    assert_int_equal(m.waited_ns, 0); /* ready at the first look */
    look_left(&m, 205);
    turn(&l, &m, 210, 300, false, true);
    turn(&l, &m, 310, 400, false, true);
    turn(&l, &m, 410, 500, true, true);
    assert_int_equal(m.waited_ns, 310 - 205);
    turn(&l, &m, 510, 600, true, true); /* ready at once again: no waiting, however long the turn took */
    assert_int_equal(m.waited_ns, 310 - 205);
    look_left(&m, 690);
    turn(&l, &m, 610, 700, false, true); /* that look began before the work was done */
    turn(&l, &m, 710, 800, true, true);
    assert_int_equal(m.waited_ns, 310 - 205);
}

static void young_requests_are_looked_after_more_often(void **state)
{
    (void)state;
    const uint64_t ms = 1000000;
    assert_int_equal(look_again_ms(5 * ms, 5 * ms), 1);
    assert_int_equal(look_again_ms(799 * ms, 0), 1);
    assert_int_equal(look_again_ms(800 * ms, 0), 2);
    assert_int_equal(look_again_ms(2000 * ms, 0), 5);
    assert_int_equal(look_again_ms(UINT64_MAX, 0), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_socket_was_empty_when_its_turn_began),
        cmocka_unit_test(the_last_look_that_did_not_find_it),
        cmocka_unit_test(a_failed_or_full_look_proves_nothing),
        cmocka_unit_test(a_socket_that_stays_ready),
        cmocka_unit_test(a_read_that_empties_it),
        cmocka_unit_test(waiting_is_what_was_seen_to_be_waiting),
        cmocka_unit_test(young_requests_are_looked_after_more_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
