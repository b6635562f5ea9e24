/* Bodies built ahead: right ones in the right order, never more than aimed at, in two threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../recorder/ahead.h"

#define REQUESTS 40u
#define WARMUPS 5u

static struct options options;
static struct workload *workload;

static int make_workload(void **state)
{
    (void)state;
    char *argv[] = {"tokentape-record",
                    "capacity",
                    "--base-url",
                    "http://127.0.0.1:1/v1",
                    "--model",
                    "m",
                    "--requests",
                    "40",
                    "--warmup",
                    "5",
                    "--ctx-tokens",
                    "512",
                    "--max-model-len",
                    "8192",
                    "--prompt-cache-mode",
                    "unique",
                    NULL};
    enum options_action action;
    return options_parse(16, argv, "20260101T000000Z", &options, &action, NULL) == TT_OK &&
                   workload_create(&workload, &options, 8192, NULL) == TT_OK
               ? 0
               : -1;
}

static int free_workload(void **state)
{
    (void)state;
    workload_free(workload);
    options_free(&options);
    return 0;
}

static void expect_body(const struct body *body, uint32_t request)
{
    uint8_t *bytes;
    size_t n;
    assert_non_null(body);
    assert_int_equal(workload_body(workload, request, &bytes, &n, NULL), TT_OK);
    assert_int_equal(body->n, n);
    assert_memory_equal(body->bytes, bytes, n);
    assert_memory_equal(body->sha256, workload->requests[request].sha256, 32);
    free(bytes);
}

static void warmups_start_first(void **state)
{
    (void)state;
    assert_int_equal(ahead_request(workload, 0), REQUESTS);
    assert_int_equal(ahead_request(workload, WARMUPS - 1), REQUESTS + WARMUPS - 1);
    assert_int_equal(ahead_request(workload, WARMUPS), 0);
    assert_int_equal(ahead_request(workload, WARMUPS + REQUESTS - 1), REQUESTS - 1);
}

static void as_many_as_aimed_at(void **state)
{
    (void)state;
    struct ahead *a = ahead_create(workload, 16);
    assert_false(ahead_build_one(a)); /* nothing aimed at yet */
    ahead_aim(a, 0, REQUESTS + WARMUPS, 3, SIZE_MAX);
    assert_false(ahead_is_ready(a));
    for (int i = 0; i < 3; i++)
        assert_true(ahead_build_one(a));
    assert_false(ahead_build_one(a));
    assert_true(ahead_is_ready(a));
    ahead_aim(a, 0, REQUESTS + WARMUPS, 16, 1); /* the bytes held are over that */
    assert_false(ahead_build_one(a));
    ahead_aim(a, 0, 4, 16, SIZE_MAX);
    assert_true(ahead_build_one(a));
    assert_false(ahead_build_one(a)); /* the end */
    ahead_free(a);
}

static void taken_in_order_skipped_or_built_now(void **state)
{
    (void)state;
    struct ahead *a = ahead_create(workload, 8);
    ahead_aim(a, 0, REQUESTS + WARMUPS, 4, SIZE_MAX);
    while (ahead_build_one(a)) {
    }
    static const uint32_t orders[] = {0, 2, 3, 9, 10};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        struct body *body = ahead_take(a, orders[i]);
        expect_body(body, ahead_request(workload, orders[i]));
        body_release(body);
    }
    assert_true(ahead_build_one(a));
    struct body *body = ahead_take(a, 11); /* not one that was passed meanwhile */
    expect_body(body, ahead_request(workload, 11));
    body_release(body);
    assert_true(ahead_build_one(a)); /* one is left in the queue */
    ahead_free(a);
}

static atomic_bool stop;

static void *build_on(void *ahead)
{
    while (!atomic_load(&stop))
        ahead_build_one(ahead);
    return NULL;
}

static void two_threads_agree(void **state)
{
    (void)state;
    struct ahead *a = ahead_create(workload, 4);
    pthread_t builder;
    atomic_store(&stop, false);
    ahead_aim(a, 0, REQUESTS + WARMUPS, 4, SIZE_MAX);
    assert_int_equal(pthread_create(&builder, NULL, build_on, a), 0);
    for (uint32_t order = 0; order < REQUESTS + WARMUPS; order++) {
        struct body *body = ahead_take(a, order);
        expect_body(body, ahead_request(workload, order));
        body_release(body);
    }
    atomic_store(&stop, true);
    pthread_join(builder, NULL);
    ahead_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warmups_start_first),
        cmocka_unit_test(as_many_as_aimed_at),
        cmocka_unit_test(taken_in_order_skipped_or_built_now),
        cmocka_unit_test(two_threads_agree),
    };
    return cmocka_run_group_tests(tests, make_workload, free_workload);
}
