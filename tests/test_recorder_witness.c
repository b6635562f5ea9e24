/* What a calibration says of the events it saw: the error of each, however its bytes came; and the search for the
 * most streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../recorder/ceiling.h"
#include "../recorder/null_event.h"
#include "../recorder/witness.h"

#define EVENTS 4u
static const struct stamp_base base = {.monotonic_ns = 5000000000000};
static uint8_t body[EVENTS * NULL_EVENT_BYTES + 20];

/* Event k of the stream was sent k ms behind the base. */
static void make_body(void)
{
    memset(body, 'z', sizeof body); /* the end of an answer, which has no stamp */
    for (size_t k = 0; k < EVENTS; k++) {
        uint8_t *at = body + k * NULL_EVENT_BYTES;
        memcpy(at, NULL_EVENT_TEXT, NULL_EVENT_BYTES);
        null_stamp_write((char *)at + NULL_STAMP_AT, base.monotonic_ns + k * 1000000);
    }
}

static void see(struct witness *w, uint64_t request, uint64_t time_ns, size_t from, size_t to)
{
    struct tape_record rec = {.kind = TAPE_READ};
    rec.u.read.request = request;
    rec.u.read.time_ns = time_ns;
    rec.u.read.bytes = tt_view_of(body + from, to - from);
    witness_see(w, &rec);
}

/* Two reads, cut at every byte: events whole in the first have its time, the others that of the second. */
static void an_event_has_the_time_of_the_read_that_ended_it(void **state)
{
    (void)state;
    make_body();
    for (size_t cut = 0; cut <= sizeof body; cut++) {
        struct witness *w = witness_create(1, EVENTS, &base);
        struct witness_sum sum;
        see(w, 0, 10000000, 0, cut);
        see(w, 0, 20000000, cut, sizeof body);
        witness_sum(w, &sum);
        size_t first = cut / NULL_EVENT_BYTES < EVENTS ? cut / NULL_EVENT_BYTES : EVENTS;
        assert_int_equal(sum.expected, EVENTS);
        assert_int_equal(sum.events, EVENTS);
        assert_int_equal(sum.reads, 2);
        assert_int_equal(sum.over_5ms, EVENTS);
        assert_int_equal(sum.early, 0);
        assert_int_equal(sum.span_ns, first > 0 && first < EVENTS ? 10000000 : 0);
        /* the greatest is that of the first event of the second read, or of all */
        uint64_t most = first < EVENTS ? 20000000 - first * 1000000 : 10000000;
        if (first > 0 && first < EVENTS && most < 10000000)
            most = 10000000;
        assert_int_equal(sum.ns[WITNESS_MAX], most);
        witness_free(w);
    }
}

static void streams_are_apart_and_nothing_else_counts(void **state)
{
    (void)state;
    struct witness *w = witness_create(2, EVENTS, &base);
    struct witness_sum sum;
    make_body();
    for (size_t at = 0; at < EVENTS * NULL_EVENT_BYTES; at += 7) { /* their bytes in turns */
        size_t to = at + 7 < EVENTS * NULL_EVENT_BYTES ? at + 7 : EVENTS * NULL_EVENT_BYTES;
        see(w, 0, 3000000, at, to);
        see(w, 1, 3500000, at, to);
    }
    see(w, 2, 9000000, 0, sizeof body); /* no request of this run */
    struct tape_record rec = {.kind = TAPE_LOST};
    rec.u.lost.count = 3;
    witness_see(w, &rec);
    witness_sum(w, &sum);
    assert_int_equal(sum.events, 2 * EVENTS);
    assert_int_equal(sum.lost_reads, 3);
    /* errors 3, 2, 1, 0 and 3.5, 2.5, 1.5, 0.5 ms */
    assert_int_equal(sum.ns[WITNESS_P50], 1500000);
    assert_int_equal(sum.ns[WITNESS_P90], 3500000);
    assert_int_equal(sum.ns[WITNESS_MAX], 3500000);
    assert_int_equal(sum.over_1ms, 5);
    assert_int_equal(sum.over_5ms, 0);
    witness_free(w);
}

static void what_is_recorded_before_it_was_sent_is_counted(void **state)
{
    (void)state;
    struct witness *w = witness_create(1, EVENTS, &base);
    struct witness_sum sum;
    make_body();
    see(w, 0, 1500000, 0, sizeof body);
    witness_sum(w, &sum);
    assert_int_equal(sum.early, 2); /* the third and the fourth */
    assert_int_equal(sum.ns[WITNESS_MAX], 1500000);
    witness_free(w);
}

static void nothing_seen_gives_no_numbers(void **state)
{
    (void)state;
    struct witness *w = witness_create(3, 5, &base);
    struct witness_sum sum;
    witness_sum(w, &sum);
    assert_int_equal(sum.expected, 15);
    assert_int_equal(sum.events, 0);
    for (size_t i = 0; i < WITNESS_MARKS; i++)
        assert_int_equal(sum.ns[i], 0);
    witness_free(w);
    witness_free(NULL);
}

/* A machine that bears up to `truth` streams. */
static struct ceiling search(uint32_t first, uint32_t most, uint32_t truth)
{
    struct ceiling c;
    uint32_t n;
    ceiling_begin(&c, first, most);
    while ((n = ceiling_next(&c)) > 0) {
        assert_true(n <= most && c.trials < CEILING_TRIALS);
        ceiling_note(&c, n, n <= truth);
    }
    return c;
}

static void the_search_ends_close_to_the_truth(void **state)
{
    (void)state;
    for (uint32_t truth = 1; truth < 5000; truth += 1 + truth / 3) {
        struct ceiling c = search(64, 16384, truth);
        assert_true(c.held <= truth);
        if (truth >= 64) {
            assert_true(c.missed > truth && c.held >= 64);
            assert_true(c.missed - c.held <= c.held / 8 + 1 || c.trials == CEILING_TRIALS);
        }
    }
}

static void the_search_keeps_to_its_bounds(void **state)
{
    (void)state;
    struct ceiling c = search(64, 1000, 5000); /* the bound itself is tried and held */
    assert_int_equal(c.held, 1000);
    assert_int_equal(c.missed, 0);
    c = search(4096, 100, 5000);
    assert_int_equal(c.held, 100);
    assert_int_equal(c.trials, 1);
    c = search(64, 16384, 0); /* not even one */
    assert_int_equal(c.held, 0);
    assert_int_equal(c.missed, 1);
    c = search(1, 1, 1);
    assert_int_equal(c.held, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_has_the_time_of_the_read_that_ended_it),
        cmocka_unit_test(streams_are_apart_and_nothing_else_counts),
        cmocka_unit_test(what_is_recorded_before_it_was_sent_is_counted),
        cmocka_unit_test(nothing_seen_gives_no_numbers),
        cmocka_unit_test(the_search_ends_close_to_the_truth),
        cmocka_unit_test(the_search_keeps_to_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
