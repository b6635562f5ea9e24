/* Body framing: every body whole, cut at every place, and byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "../analyzer/dechunk.h"

struct taken {
    struct dechunk d;
    uint8_t payload[8192];
    size_t n;
    enum tt_status status;
};

static void begin(struct taken *t, enum body_framing framing, uint64_t length)
{
    memset(t, 0, sizeof *t);
    dechunk_begin(&t->d, framing, length);
}

/* Fed from an allocation of its own size, so that a sanitizer sees one byte too many. */
static void feed(struct taken *t, const char *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    struct tt_view in = tt_view_of(copy, n), payload;
    while ((t->status = dechunk_next(&t->d, &in, &payload)) == TT_OK && payload.n > 0) {
        assert_true(t->n + payload.n <= sizeof t->payload);
        memcpy(t->payload + t->n, payload.p, payload.n);
        t->n += payload.n;
    }
    if (t->status == TT_OK)
        assert_int_equal(in.n, 0);
    free(copy);
}

static void expect_same(const struct taken *a, const struct taken *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->payload, b->payload, a->n);
    assert_int_equal(a->d.payload_bytes, a->n);
    assert_int_equal(a->d.chunks, b->d.chunks);
    assert_int_equal(a->d.trailer_bytes, b->d.trailer_bytes);
    assert_int_equal(a->d.surplus_bytes, b->d.surplus_bytes);
    assert_int_equal(a->d.complete, b->d.complete);
    assert_int_equal(a->status, b->status);
    assert_ptr_equal(a->d.fault, b->d.fault);
}

/* Takes a body in every way of cutting it in two, and in single bytes. */
static struct taken take_any_way(enum body_framing framing, uint64_t length, const char *body, size_t n)
{
    static struct taken whole, other;
    begin(&whole, framing, length);
    feed(&whole, body, n);
    for (size_t cut = 0; cut <= n; cut++) {
        begin(&other, framing, length);
        feed(&other, body, cut);
        feed(&other, body + cut, n - cut);
        expect_same(&whole, &other);
    }
    begin(&other, framing, length);
    for (size_t i = 0; i < n; i++)
        feed(&other, body + i, 1);
    if (n > 0)
        expect_same(&whole, &other);
    return whole;
}

static void expect_chunked(const char *body, const char *payload, uint64_t chunks)
{
    struct taken t = take_any_way(BODY_CHUNKED, 0, body, strlen(body));
    if (t.status != TT_OK || !t.d.complete)
        fail_msg("%s: %s", body, t.d.fault ? t.d.fault : "not complete");
    assert_int_equal(t.n, strlen(payload));
    assert_memory_equal(t.payload, payload, t.n);
    assert_int_equal(t.d.chunks, chunks);
    assert_int_equal(t.d.surplus_bytes, 0);
}

static void takes_chunks(void **state)
{
    (void)state;
    expect_chunked("0\r\n\r\n", "", 0);
    expect_chunked("5\r\nhello\r\n0\r\n\r\n", "hello", 1);
    expect_chunked("5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n", "hello world", 3);
    expect_chunked("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", 2);
    expect_chunked("10\r\n0123456789abcdef\r\n0\r\n\r\n", "0123456789abcdef", 1);
    expect_chunked("0005\r\nhello\r\n000\r\n\r\n", "hello", 1);
    expect_chunked("5;name=value\r\nhello\r\n0;last\r\n\r\n", "hello", 1);
    expect_chunked("5 ; a=\"quoted; text\"\r\nhello\r\n0\t\r\n\r\n", "hello", 1);
    expect_chunked("5 \r\n\r\n\r\n\r\r\n0\r\n\r\n", "\r\n\r\n\r", 1);
    expect_chunked("5\nhello\n0\n\n", "hello", 1);
}

static void takes_trailers(void **state)
{
    (void)state;
    static const char body[] = "3\r\nabc\r\n0\r\nX-Sum: 17\r\nY:\r\n\r\n";
    struct taken t = take_any_way(BODY_CHUNKED, 0, body, sizeof body - 1);
    assert_true(t.d.complete);
    assert_int_equal(t.d.trailer_bytes, strlen("X-Sum: 17\r\nY:\r\n"));
}

static void counts_what_follows_the_end(void **state)
{
    (void)state;
    static const char body[] = "1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK";
    struct taken t = take_any_way(BODY_CHUNKED, 0, body, sizeof body - 1);
    assert_true(t.d.complete);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.d.surplus_bytes, strlen("HTTP/1.1 200 OK"));
}

static void is_incomplete_when_cut(void **state)
{
    (void)state;
    static const char body[] = "5;x\r\nhello\r\n0\r\nT: 1\r\n\r\n";
    for (size_t n = 0; n < sizeof body - 1; n++) {
        struct taken t = take_any_way(BODY_CHUNKED, 0, body, n);
        assert_int_equal(t.status, TT_OK);
        assert_false(t.d.complete);
        assert_null(t.d.fault);
    }
}

static void names_faults(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\r\n5\r\nhello",
        "g\r\n",
        "0x5\r\nhello",
        "5g\r\nhello",
        "-1\r\n",
        " 5\r\nhello",
        "5\rhello",
        "5\r\nhelloX",
        "5\r\nhello\rX",
        "5\r\nhello0\r\n\r\n",
        "8000000000000000\r\n",
        "ffffffffffffffffff\r\n",
        "1\r\na\r\n\r\n",
        "0\r\n\rX",
        "5, 5\r\nhello",
        "{\"a\":1}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct taken t = take_any_way(BODY_CHUNKED, 0, bad[i], strlen(bad[i]));
        if (t.status != TT_MALFORMED || !t.d.fault || t.d.complete)
            fail_msg("taken: %s", bad[i]);
        feed(&t, "0\r\n\r\n", 5);
        assert_int_equal(t.status, TT_MALFORMED);
    }
}

static void takes_the_largest_size(void **state)
{
    (void)state;
    static struct taken t;
    begin(&t, BODY_CHUNKED, 0);
    feed(&t, "7fffffffffffffff\r\nabc", 21);
    assert_int_equal(t.status, TT_OK);
    assert_int_equal(t.n, 3);
}

static void bounds_lines(void **state)
{
    (void)state;
    static struct taken t;
    static char run[4096];
    static const char *const starts[] = {"5;", "", "0\r\n"};
    for (size_t i = 0; i < 3; i++) {
        memset(run, '0', sizeof run);
        begin(&t, BODY_CHUNKED, 0);
        feed(&t, starts[i], strlen(starts[i]));
        for (int k = 0; k < 5 && t.status == TT_OK; k++)
            feed(&t, run, sizeof run);
        assert_int_equal(t.status, TT_MALFORMED);
        assert_non_null(strstr(t.d.fault, "too long"));
    }
}

/* Each line has its own bound. */
static void takes_long_lines_one_by_one(void **state)
{
    (void)state;
    static struct taken t;
    static char run[10000];
    memset(run, 'x', sizeof run);
    begin(&t, BODY_CHUNKED, 0);
    feed(&t, "1;", 2);
    feed(&t, run, sizeof run);
    feed(&t, "\r\na\r\n0;", 7);
    feed(&t, run, sizeof run);
    feed(&t, "\r\n", 2);
    feed(&t, run, sizeof run);
    feed(&t, "\r\n\r\n", 4);
    assert_int_equal(t.status, TT_OK);
    assert_true(t.d.complete);
    assert_int_equal(t.d.trailer_bytes, sizeof run + 2);
}

static void bounds_trailers(void **state)
{
    (void)state;
    static struct taken t;
    begin(&t, BODY_CHUNKED, 0);
    feed(&t, "0\r\n", 3);
    for (int i = 0; i < 100000 && t.status == TT_OK; i++)
        feed(&t, "a: b\r\n", 6);
    assert_int_equal(t.status, TT_MALFORMED);
    assert_non_null(strstr(t.d.fault, "trailers"));
}

static void takes_a_length(void **state)
{
    (void)state;
    struct taken t = take_any_way(BODY_LENGTH, 5, "hello", 5);
    assert_true(t.d.complete);
    assert_int_equal(t.n, 5);
    t = take_any_way(BODY_LENGTH, 6, "hello", 5);
    assert_false(t.d.complete);
    t = take_any_way(BODY_LENGTH, 4, "hello", 5);
    assert_true(t.d.complete);
    assert_int_equal(t.n, 4);
    assert_int_equal(t.d.surplus_bytes, 1);
    t = take_any_way(BODY_LENGTH, 0, "", 0);
    assert_true(t.d.complete);
    t = take_any_way(BODY_LENGTH, UINT64_MAX, "x", 1);
    assert_false(t.d.complete);
}

static void takes_until_close(void **state)
{
    (void)state;
    struct taken t = take_any_way(BODY_CLOSE, 0, "5\r\nhello", 8);
    assert_int_equal(t.n, 8);
    assert_false(t.d.complete);
    assert_int_equal(t.d.surplus_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_chunks),
        cmocka_unit_test(takes_trailers),
        cmocka_unit_test(counts_what_follows_the_end),
        cmocka_unit_test(is_incomplete_when_cut),
        cmocka_unit_test(names_faults),
        cmocka_unit_test(takes_the_largest_size),
        cmocka_unit_test(bounds_lines),
        cmocka_unit_test(takes_long_lines_one_by_one),
        cmocka_unit_test(bounds_trailers),
        cmocka_unit_test(takes_a_length),
        cmocka_unit_test(takes_until_close),
    };
    return cmocka_run_group_tests_name("dechunk", tests, NULL, NULL);
}
