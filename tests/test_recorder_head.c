/* Response heads: what is kept, what is dropped, how the body is framed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../format/record.h"
#include "../recorder/head.h"

static bool feed(struct head *h, const char *line)
{
    return head_line(h, (const uint8_t *)line, strlen(line));
}

static void expect_headers(const struct head *h, const char *const *expected, size_t count)
{
    struct pack p = {0};
    struct tape_scalar v;
    size_t cursor = 0, seen = 0;
    head_pack(h, &p);
    assert_false(p.failed);
    while (tape_array_next(tt_view_of(p.bytes, p.len), &cursor, &v, NULL) == TT_OK) {
        assert_true(seen < count);
        assert_int_equal(v.type, TAPE_STR);
        assert_true(tt_view_equal(v.text, expected[seen++]));
    }
    assert_int_equal(seen, count);
    pack_free(&p);
}

static void allowed_headers_are_kept_as_they_came(void **state)
{
    (void)state;
    static const char *const expected[] = {"Content-Type",          "text/event-stream; charset=utf-8",
                                           "transfer-ENCODING",     "chunked",
                                           "x-request-id",          "abc",
                                           "Server-Timing",         "total;dur=5",
                                           "X-RateLimit-Remaining", "7",
                                           "openai-processing-ms",  "12",
                                           "Retry-After",           ""};
    struct head h = {0};
    assert_false(feed(&h, "HTTP/1.1 200 OK\r\n"));
    assert_false(feed(&h, "Content-Type: text/event-stream; charset=utf-8\r\n"));
    assert_false(feed(&h, "transfer-ENCODING:chunked\r\n"));
    assert_false(feed(&h, "Set-Cookie: session=1\r\n"));
    assert_false(feed(&h, "x-request-id: \t abc  \r\n"));
    assert_false(feed(&h, "Server-Timing: total;dur=5\r\n"));
    assert_false(feed(&h, "X-RateLimit-Remaining: 7\r\n"));
    assert_false(feed(&h, "openai-processing-ms: 12\r\n"));
    assert_false(feed(&h, "openai-organization: me\r\n"));
    assert_false(feed(&h, "no colon here\r\n"));
    assert_false(feed(&h, "Retry-After:\r\n"));
    assert_true(feed(&h, "\r\n"));
    assert_int_equal(h.status, 200);
    assert_true(h.chunked && h.event_stream && !h.compressed);
    assert_memory_equal(h.status_line, "HTTP/1.1 200 OK", h.status_bytes);
    assert_int_equal(h.status_bytes, 15);
    expect_headers(&h, expected, sizeof(expected) / sizeof(expected[0]));
}

static void a_new_status_line_begins_a_new_head(void **state)
{
    (void)state;
    struct head h = {0};
    feed(&h, "HTTP/1.1 103 Early Hints\r\n");
    feed(&h, "content-encoding: gzip\r\n");
    feed(&h, "transfer-encoding: chunked\r\n");
    assert_true(feed(&h, "\r\n"));
    assert_int_equal(h.status, 103);
    assert_true(h.compressed);
    feed(&h, "HTTP/1.0 404\n");
    feed(&h, "Content-Encoding: identity\n");
    assert_true(feed(&h, "\n"));
    assert_int_equal(h.status, 404);
    assert_false(h.compressed || h.chunked || h.event_stream);
    assert_int_equal(h.fields, 1);
}

static void too_much_is_dropped_and_nothing_breaks(void **state)
{
    (void)state;
    struct head h = {0};
    char line[HEAD_TEXT_BYTES + 64];
    feed(&h, "HTTP/1.1 200 OK\r\n");
    int n = snprintf(line, sizeof(line), "x-request-id-big: ");
    memset(line + n, 'v', sizeof(line) - (size_t)n);
    assert_false(head_line(&h, (const uint8_t *)line, sizeof(line)));
    assert_int_equal(h.fields, 0);
    for (int i = 0; i < 3 * HEAD_MAX_HEADERS; i++)
        feed(&h, "date: d\r\n");
    assert_int_equal(h.fields, HEAD_MAX_HEADERS);
    char status[400] = "HTTP/1.1 599 ";
    memset(status + 13, 'r', sizeof(status) - 13);
    assert_false(head_line(&h, (const uint8_t *)status, sizeof(status)));
    assert_int_equal(h.status_bytes, HEAD_STATUS_BYTES);
    assert_int_equal(h.status, 599);
    feed(&h, "HTTP/1.1 99999999999999999999\r\n");
    assert_true(h.status < 10000);
}

static void the_list_is_the_list(void **state)
{
    (void)state;
    static const char *const no[] = {"set-cookie",
                                     "authorization",
                                     "www-authenticate",
                                     "x-forwarded-for",
                                     "location",
                                     "content-typ",
                                     "content-types",
                                     "alt-svc",
                                     "via",
                                     ""};
    static const char *const yes[] = {"CONTENT-LENGTH",     "date",        "server",
                                      "x-envoy-request-id", "x-timing-ms", "x-ratelimit-limit-tokens"};
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(head_allows((const uint8_t *)no[i], strlen(no[i])));
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(head_allows((const uint8_t *)yes[i], strlen(yes[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allowed_headers_are_kept_as_they_came),
        cmocka_unit_test(a_new_status_line_begins_a_new_head),
        cmocka_unit_test(too_much_is_dropped_and_nothing_breaks),
        cmocka_unit_test(the_list_is_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
