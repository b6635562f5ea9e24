/* The ring: order, wrapping, refusal when full, and two threads at once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../recorder/ring.h"

#define SMALL 8192u /* segments of 512 bytes */

static uint32_t step(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Length and content of the k-th entry follow from k. */
static size_t length_of(uint64_t k)
{
    uint32_t s = (uint32_t)k * 2654435761u;
    return 8 + step(&s) % 300;
}

static void fill(uint8_t *p, size_t n, uint64_t k)
{
    memcpy(p, &k, sizeof(k));
    memset(p + sizeof(k), (int)(k & 0xff), n - sizeof(k));
}

static int holds(const uint8_t *p, size_t n, uint64_t k)
{
    uint64_t found;
    if (n != length_of(k))
        return 0;
    memcpy(&found, p, sizeof(found));
    for (size_t i = sizeof(k); i < n; i++)
        if (p[i] != (k & 0xff))
            return 0;
    return found == k;
}

static int put(struct ring *r, uint64_t k, size_t keep_free)
{
    size_t n = length_of(k);
    uint8_t *p = ring_reserve(r, n, keep_free);
    if (!p)
        return 0;
    fill(p, n, k);
    ring_commit(r);
    return 1;
}

static void entries_keep_order_across_many_wraps(void **state)
{
    (void)state;
    struct ring *r = ring_create(SMALL);
    uint64_t written = 0, read = 0;
    uint32_t dice = 7;
    assert_non_null(r);
    while (read < 20000) {
        for (uint32_t i = step(&dice) % 8; i > 0 && put(r, written, 0); i--)
            written++;
        for (uint32_t i = step(&dice) % 8; i > 0 && read < written; i--) {
            size_t n;
            uint8_t *p = ring_peek(r, &n);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 8, 0);
            assert_true(holds(p, n, read));
            ring_release(r);
            read++;
        }
    }
    ring_free(r);
}

static void full_ring_refuses_and_recovers(void **state)
{
    (void)state;
    struct ring *r = ring_create(SMALL);
    uint64_t written = 0, read = 0;
    size_t n;
    while (put(r, written, 0))
        written++;
    assert_true(written > 5);
    assert_true(ring_used(r) <= ring_capacity(r));
    assert_true(ring_used(r) > ring_capacity(r) - 2 * 320);
    for (; read < written; read++) {
        uint8_t *p = ring_peek(r, &n);
        assert_non_null(p);
        assert_true(holds(p, n, read));
        ring_release(r);
    }
    assert_null(ring_peek(r, &n));
    assert_int_equal(ring_used(r), 0);
    assert_true(put(r, 1, 0));
    ring_free(r);
}

static void room_is_kept_free(void **state)
{
    (void)state;
    struct ring *r = ring_create(SMALL);
    uint64_t k = 0;
    while (put(r, k, 1000))
        k++;
    assert_true(ring_capacity(r) - ring_used(r) >= 1000);
    assert_true(put(r, k, 0)); /* the kept room serves who may use it */
    assert_null(ring_reserve(r, SMALL, 0));
    ring_free(r);
}

static void high_water_is_the_most_since_asked(void **state)
{
    (void)state;
    struct ring *r = ring_create(SMALL);
    size_t n;
    for (uint64_t k = 0; k < 5; k++)
        assert_true(put(r, k, 0));
    size_t used = ring_used(r);
    for (uint64_t k = 0; k < 5; k++) {
        ring_peek(r, &n);
        ring_release(r);
    }
    assert_true(ring_take_high_water(r) >= used);
    assert_int_equal(ring_take_high_water(r), 0);
    assert_true(put(r, 9, 0));
    assert_true(ring_take_high_water(r) < used);
    ring_free(r);
}

/* What was read is filled again first: few entries at a time touch few segments, however many pass. */
static void little_memory_is_touched(void **state)
{
    (void)state;
    struct ring *r = ring_create(64 * SMALL);
    uintptr_t least = UINTPTR_MAX, most = 0;
    size_t n;
    for (uint64_t k = 0; k < 20000; k++) {
        assert_true(put(r, k, 0));
        uintptr_t at = (uintptr_t)ring_peek(r, &n);
        least = at < least ? at : least;
        most = at > most ? at : most;
        ring_release(r);
    }
    assert_true(most - least < ring_capacity(r) / 16 * 2);
    ring_free(r);
}

/* Entries that end where a segment ends, and the largest that fit one. */
static void segments_are_filled_to_their_last_byte(void **state)
{
    (void)state;
    struct ring *r = ring_create(SMALL);
    size_t most = ring_largest_entry(r), n;
    assert_null(ring_reserve(r, most + 1, 0));
    for (int round = 0; round < 100; round++) {
        size_t room = ring_room(r), taken = 0;
        while (ring_reserve(r, most, 0)) {
            ring_commit(r);
            taken++;
        }
        assert_int_equal(ring_room(r), 0);
        assert_int_equal(taken, room / (most + 8));
        for (; taken > 0; taken--) {
            assert_non_null(ring_peek(r, &n));
            assert_int_equal(n, most);
            ring_release(r);
        }
        assert_null(ring_peek(r, &n));
    }
    ring_free(r);
}

#define ENTRIES 200000u

static void *consume(void *arg)
{
    struct ring *r = arg;
    uint64_t k = 0;
    while (k < ENTRIES) {
        size_t n;
        uint8_t *p = ring_peek(r, &n);
        if (!p)
            continue;
        if (!holds(p, n, k))
            return (void *)(uintptr_t)(k + 1);
        ring_release(r);
        k++;
    }
    return NULL;
}

static void two_threads_agree(void **state)
{
    (void)state;
    struct ring *r = ring_create(SMALL);
    pthread_t consumer;
    void *wrong = NULL;
    assert_int_equal(pthread_create(&consumer, NULL, consume, r), 0);
    for (uint64_t k = 0; k < ENTRIES;)
        k += put(r, k, 0) ? 1 : 0;
    pthread_join(consumer, &wrong);
    assert_null(wrong);
    ring_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_keep_order_across_many_wraps),
        cmocka_unit_test(full_ring_refuses_and_recovers),
        cmocka_unit_test(room_is_kept_free),
        cmocka_unit_test(high_water_is_the_most_since_asked),
        cmocka_unit_test(little_memory_is_touched),
        cmocka_unit_test(segments_are_filled_to_their_last_byte),
        cmocka_unit_test(two_threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
