/* One limit for all streams: who loses what he holds when it is spent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../analyzer/pool.h"
#include "../analyzer/sse.h"

#define MANY 64

struct holder {
    struct pool_account account;
    unsigned dropped;
};

static struct pool pool;
static struct holder holders[MANY];

static void drop(void *owner)
{
    struct holder *h = owner;
    h->dropped++;
    pool_return(&h->account, h->account.held);
}

static void begin(size_t limit)
{
    pool = (struct pool){.limit = limit};
    for (size_t i = 0; i < MANY; i++) {
        holders[i].dropped = 0;
        pool_join(&holders[i].account, &pool, drop, &holders[i]);
    }
}

static enum tt_status take(size_t i, size_t bytes)
{
    return pool_take(&holders[i].account, bytes);
}

static void he_who_holds_most_loses(void **state)
{
    (void)state;
    begin(1000);
    assert_int_equal(take(0, 700), TT_OK);
    assert_int_equal(take(1, 100), TT_OK);
    assert_int_equal(take(2, 150), TT_OK);
    assert_int_equal(take(1, 60), TT_OK); /* not he who asks */
    assert_int_equal(holders[0].dropped, 1);
    assert_int_equal(holders[1].dropped + holders[2].dropped, 0);
    assert_int_equal(pool.used, 310);
    assert_int_equal(take(2, 600), TT_OK);
    assert_int_equal(take(2, 200), TT_LIMIT); /* he himself would hold most */
    assert_int_equal(holders[2].account.held, 750);
    assert_int_equal(take(3, 1001), TT_LIMIT);
    assert_int_equal(holders[2].dropped, 0);
}

/* As many as there is room for are dropped, no more, and those with little never. */
static void the_small_are_never_victims_of_the_large(void **state)
{
    (void)state;
    begin(1 << 20);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(take(i, 100 + i), TT_OK);
    for (size_t round = 0; round < 10000; round++) {
        size_t hog = round % 8;
        if (take(hog, 5000) == TT_LIMIT)
            drop(&holders[hog]);
        assert_true(pool.used <= pool.limit);
    }
    size_t held = 0;
    for (size_t i = 0; i < MANY; i++) {
        held += holders[i].account.held;
        if (i >= 8)
            assert_int_equal(holders[i].dropped, 0);
    }
    assert_int_equal(held, pool.used);
    for (size_t i = 0; i < MANY; i++)
        pool_return(&holders[i].account, holders[i].account.held);
    assert_int_equal(pool.used, 0);
    for (unsigned class = 0; class < POOL_CLASSES; class ++)
        assert_true(!pool.first[class] && !pool.last[class]);
}

static void without_a_pool_there_is_no_limit(void **state)
{
    (void)state;
    struct pool_account alone;
    pool_join(&alone, NULL, drop, NULL);
    assert_int_equal(pool_take(&alone, SIZE_MAX), TT_OK);
    pool_return(&alone, SIZE_MAX);
}

static void count_event(void *ctx, const struct sse_event *event)
{
    (void)event;
    ++*(unsigned *)ctx;
}

/* Streams that hold a hundred bytes go on beside others that never end a line. */
static void streams_with_little_go_on(void **state)
{
    (void)state;
    static uint8_t run[64 << 10];
    struct sse *s[MANY];
    unsigned events[MANY] = {0};
    pool = (struct pool){.limit = 4 << 20};
    memset(run, 'x', sizeof run);
    for (size_t i = 0; i < MANY; i++) {
        struct sse_calls calls = {.event = count_event, .ctx = &events[i]};
        s[i] = sse_create(&calls, &pool);
        assert_int_equal(sse_feed(s[i], tt_view_str("data: begun, and")), TT_OK);
    }
    unsigned limited = 0;
    for (size_t round = 0; round < 40; round++)
        for (size_t i = 0; i < 8; i++)
            limited += sse_feed(s[i], tt_view_of(run, sizeof run)) == TT_LIMIT;
    assert_true(limited > 0);
    for (size_t i = 8; i < MANY; i++)
        assert_int_equal(sse_feed(s[i], tt_view_str(" ended\n\n")), TT_OK);
    for (size_t i = 0; i < 8; i++) /* the last of them has room again, the others found none */
        sse_feed(s[i], tt_view_str("\n\n"));
    for (size_t i = 0; i < MANY; i++) {
        assert_true(events[i] == 1 || i < 8);
        sse_free(s[i]);
    }
    assert_int_equal(pool.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(he_who_holds_most_loses),
        cmocka_unit_test(the_small_are_never_victims_of_the_large),
        cmocka_unit_test(without_a_pool_there_is_no_limit),
        cmocka_unit_test(streams_with_little_go_on),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
