/* Event-stream framing: each stream whole, cut in two at every place, and byte
 * by byte must give the same events, and the events the grammar says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "../analyzer/sse.h"

/* What was called, as text: E<type|id|data>, C<comment>, D, U<line>. */
struct calls_log {
    char text[4096];
    size_t n;
};

static void add(struct calls_log *log, struct tt_view v)
{
    for (size_t i = 0; i < v.n && log->n + 1 < sizeof log->text; i++)
        log->text[log->n++] = v.p[i] ? (char)v.p[i] : '0';
}

static void log_event(void *ctx, const struct sse_event *event)
{
    assert_non_null(event->data.p);
    add(ctx, tt_view_str("E<"));
    add(ctx, event->type.p ? event->type : tt_view_str("-"));
    add(ctx, tt_view_str("|"));
    add(ctx, event->id.p ? event->id : tt_view_str("-"));
    add(ctx, tt_view_str("|"));
    add(ctx, event->data);
    add(ctx, tt_view_str(">"));
}

static void log_comment(void *ctx, struct tt_view text)
{
    add(ctx, tt_view_str("C<"));
    add(ctx, text);
    add(ctx, tt_view_str(">"));
}

static void log_done(void *ctx)
{
    add(ctx, tt_view_str("D"));
}

static void log_unknown(void *ctx, struct tt_view line)
{
    add(ctx, tt_view_str("U<"));
    add(ctx, line);
    add(ctx, tt_view_str(">"));
}

static struct sse *open_log(struct calls_log *log)
{
    memset(log, 0, sizeof *log);
    struct sse_calls calls = {log_event, log_comment, log_done, log, log_unknown};
    struct sse *s = sse_create(&calls, NULL);
    assert_non_null(s);
    return s;
}

/* From an allocation of its own size that is gone before the next piece comes. */
static void feed(struct sse *s, const char *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    assert_int_equal(sse_feed(s, tt_view_of(copy, n)), TT_OK);
    memset(copy, '#', n);
    free(copy);
}

static void feed_text(struct sse *s, const char *text)
{
    feed(s, text, strlen(text));
}

static void check(const char *stream, size_t n, size_t cut, bool bytewise, bool clean, const char *expected)
{
    struct calls_log log;
    struct sse *s = open_log(&log);
    if (bytewise) {
        for (size_t i = 0; i < n; i++)
            feed(s, stream + i, 1);
    } else {
        feed(s, stream, cut);
        feed(s, stream + cut, n - cut);
    }
    assert_int_equal(sse_finish(s, clean), TT_OK);
    sse_free(s);
    assert_string_equal(log.text, expected);
}

static void check_all(const char *stream, size_t n, bool clean, const char *expected)
{
    for (size_t cut = 0; cut <= n; cut++)
        check(stream, n, cut, false, clean, expected);
    check(stream, n, 0, true, clean, expected);
}

#define STREAM(stream, expected) check_all(stream, sizeof(stream) - 1, true, expected)
#define BROKEN_STREAM(stream, expected) check_all(stream, sizeof(stream) - 1, false, expected)

static void ends_lines_in_every_way(void **state)
{
    (void)state;
    STREAM("data: a\n\ndata: b\n\n", "E<-|-|a>E<-|-|b>");
    STREAM("data: a\r\n\r\ndata: b\r\n\r\n", "E<-|-|a>E<-|-|b>");
    STREAM("data: a\r\rdata: b\r\r", "E<-|-|a>E<-|-|b>");
    STREAM("data: a\n\rdata: b\r\n\n", "E<-|-|a>E<-|-|b>");
    STREAM("data: a\r\ndata: b\ndata: c\rdata: d\r\n\r", "E<-|-|a\nb\nc\nd>");
    STREAM("\n\n\r\r\n\r\ndata: a\n\n\n\n", "E<-|-|a>");
}

static void takes_fields(void **state)
{
    (void)state;
    STREAM("data:a\n\ndata:  a\n\ndata:\ta \n\n", "E<-|-|a>E<-|-| a>E<-|-|\ta >");
    STREAM("data: a\ndata: b\ndata:\ndata:c\n\n", "E<-|-|a\nb\n\nc>");
    STREAM("data\n\n", "E<-|-|>");
    STREAM("data:\n\n", "E<-|-|>");
    STREAM("data\ndata\n\n", "E<-|-|\n>");
    STREAM("data\ndata: x\n\n", "E<-|-|\nx>");
    STREAM("data: a:b: c\n\n", "E<-|-|a:b: c>");
    STREAM("event: error\ndata: x\n\ndata: y\n\n", "E<error|-|x>E<-|-|y>");
    STREAM("event: a\nevent: bb\ndata: x\nevent\n\n", "E<|-|x>");
    STREAM("id: 7\ndata: x\n\nid\ndata: y\n\ndata: z\n\n", "E<-|7|x>E<-||y>E<-|-|z>");
    STREAM("data: x\nid: long-identifier\nevent: t\n\n", "E<t|long-identifier|x>");
    STREAM("event: lonely\n\ndata: x\n\n", "E<-|-|x>");
    STREAM("id: 7\nid: a\0b\ndata: x\n\n", "E<-|7|x>");
}

static void passes_over_what_is_not_an_event(void **state)
{
    (void)state;
    STREAM(": ping\n\n:\n:a:b\ndata: x\n: inside\n\n", "C< ping>C<>C<a:b>C< inside>E<-|-|x>");
    STREAM("foo: bar\nDATA: x\n data: y\ndata : z\nerror\n\n", "U<foo: bar>U<DATA: x>U< data: y>U<data : z>U<error>");
    STREAM("{\"error\": {\"code\": 500}}\n\n", "U<{\"error\": {\"code\": 500}}>");
    STREAM("", "");
    STREAM("\n", "");
}

static void keeps_odd_bytes(void **state)
{
    (void)state;
    STREAM("data: a\0b\n\n", "E<-|-|a0b>");
    STREAM("data: \xff\xfe\xc3\n\n", "E<-|-|\xff\xfe\xc3>");
    STREAM("data: a\x0b\x0c\xc2\x85z\n\n", "E<-|-|a\x0b\x0c\xc2\x85z>");
}

static void steps_over_one_leading_bom(void **state)
{
    (void)state;
    STREAM("\xef\xbb\xbf"
           "data: a\n\n",
           "E<-|-|a>");
    STREAM("\xef\xbb\xbf\xef\xbb\xbf"
           "data: a\n\n",
           "U<\xef\xbb\xbf"
           "data: a>");
    STREAM("\xef\xbb"
           "data: a\n\n",
           "U<\xef\xbb"
           "data: a>");
    STREAM("\xef\n\n", "U<\xef>");
    STREAM("\xef\xbb", "U<\xef\xbb>");
    STREAM("\xef\xbb\xbf", "");
    STREAM("data: a\n\n\xef\xbb\xbf"
           "data: b\n\n",
           "E<-|-|a>U<\xef\xbb\xbf"
           "data: b>");
}

static void sees_done_at_its_line_end(void **state)
{
    (void)state;
    STREAM("data: x\n\ndata: [DONE]\n\n", "E<-|-|x>DE<-|-|[DONE]>");
    STREAM("data:[DONE]\r\n\r\n", "DE<-|-|[DONE]>");
    STREAM("data:  \t[DONE] \n\n", "DE<-|-| \t[DONE] >");
    STREAM("data: [done]\n\ndata: [DONE]x\n\ndata: \"[DONE]\"\n\n", "E<-|-|[done]>E<-|-|[DONE]x>E<-|-|\"[DONE]\">");
    STREAM("data: x\ndata: [DONE]\n\n", "E<-|-|x\n[DONE]>");
    BROKEN_STREAM("data: [DONE]\n", "D");
    BROKEN_STREAM("data: [DONE]", "");
    STREAM("data: [DONE]", "DE<-|-|[DONE]>");
}

static void ends_clean_or_not(void **state)
{
    (void)state;
    STREAM("data: a\n\ndata: b\n", "E<-|-|a>E<-|-|b>");
    STREAM("data: a\n\ndata: b", "E<-|-|a>E<-|-|b>");
    STREAM("data: a\n\n: b", "E<-|-|a>C< b>");
    STREAM("data: a\r", "E<-|-|a>");
    BROKEN_STREAM("data: a\n\ndata: b\n", "E<-|-|a>");
    BROKEN_STREAM("data: a\n\ndata: b", "E<-|-|a>");
    BROKEN_STREAM("data: a\n\nevent: x", "E<-|-|a>");
}

/* The event is there with the byte that ends its blank line, not one later. */
static void delivers_at_once(void **state)
{
    (void)state;
    struct calls_log log;
    struct sse *s = open_log(&log);
    feed_text(s, "data: a\r\n\r");
    assert_string_equal(log.text, "E<-|-|a>");
    feed_text(s, "\ndata: b\n");
    assert_string_equal(log.text, "E<-|-|a>");
    feed_text(s, "\n");
    assert_string_equal(log.text, "E<-|-|a>E<-|-|b>");
    feed_text(s, "data: [DONE]\r");
    assert_string_equal(log.text, "E<-|-|a>E<-|-|b>D");
    sse_free(s);
}

static void counts_fields(void **state)
{
    (void)state;
    struct calls_log log;
    struct sse *s = open_log(&log);
    feed_text(s, "retry: 100\nretry: x\nretry\nretry: -1\nretry:7\nfoo\nbar: 1\ndata: x\n\n");
    assert_int_equal(sse_retry_fields(s), 2);
    assert_int_equal(sse_unknown_fields(s), 2);
    sse_free(s);
}

static void works_without_calls(void **state)
{
    (void)state;
    struct sse_calls none = {0};
    struct sse *s = sse_create(&none, NULL);
    assert_non_null(s);
    feed_text(s, ": c\nfoo\ndata: [DONE]\n\n");
    assert_int_equal(sse_finish(s, true), TT_OK);
    sse_free(s);
    sse_free(NULL);
}

/* Sizes, not bytes: what came of a large event. */
struct size_log {
    uint64_t events, bytes, comments;
};

static void size_event(void *ctx, const struct sse_event *event)
{
    struct size_log *log = ctx;
    log->events++;
    log->bytes += event->data.n;
}

static void size_comment(void *ctx, struct tt_view text)
{
    struct size_log *log = ctx;
    log->comments++;
    log->bytes += text.n;
}

static struct sse *open_sizes(struct size_log *log)
{
    *log = (struct size_log){0};
    struct sse_calls calls = {.event = size_event, .comment = size_comment, .ctx = log};
    struct sse *s = sse_create(&calls, NULL);
    assert_non_null(s);
    return s;
}

static enum tt_status feed_run(struct sse *s, const char *start, size_t n, const char *end)
{
    static uint8_t run[64 << 10];
    enum tt_status status = sse_feed(s, tt_view_str(start));
    memset(run, 'x', sizeof run);
    for (; n > 0 && status == TT_OK; n -= n < sizeof run ? n : sizeof run)
        status = sse_feed(s, tt_view_of(run, n < sizeof run ? n : sizeof run));
    return status == TT_OK ? sse_feed(s, tt_view_str(end)) : status;
}

static void takes_large_events_up_to_the_limit(void **state)
{
    (void)state;
    struct size_log log;
    struct sse *s = open_sizes(&log);
    assert_int_equal(feed_run(s, "data: ", 8 << 20, "\n\n"), TT_OK);
    assert_int_equal(log.events, 1);
    assert_int_equal(log.bytes, 8 << 20);
    assert_int_equal(feed_run(s, ":", SSE_MAX_EVENT_BYTES - 1, "\n"), TT_OK);
    assert_int_equal(log.comments, 1);
    assert_int_equal(feed_run(s, ":", SSE_MAX_EVENT_BYTES, "\n"), TT_LIMIT);
    assert_int_equal(sse_feed(s, tt_view_str("data: x\n\n")), TT_LIMIT);
    assert_int_equal(sse_finish(s, true), TT_LIMIT);
    assert_int_equal(log.events, 1);
    sse_free(s);
}

static void bounds_many_lines_of_one_event(void **state)
{
    (void)state;
    struct size_log log;
    struct sse *s = open_sizes(&log);
    enum tt_status status = TT_OK;
    int lines = 0;
    for (; status == TT_OK && lines < 100; lines++)
        status = feed_run(s, "data:", (1 << 20) - 1, "\n");
    assert_int_equal(status, TT_LIMIT);
    assert_int_equal(lines, 17); /* 16 lines and 15 joints fit */
    sse_free(s);
    s = open_sizes(&log);
    assert_int_equal(feed_run(s, "event:", SSE_MAX_NAME_BYTES, "\nid:y\n"), TT_OK);
    assert_int_equal(feed_run(s, "id:", SSE_MAX_NAME_BYTES + 1, "\n"), TT_LIMIT);
    sse_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_lines_in_every_way),
        cmocka_unit_test(takes_fields),
        cmocka_unit_test(passes_over_what_is_not_an_event),
        cmocka_unit_test(keeps_odd_bytes),
        cmocka_unit_test(steps_over_one_leading_bom),
        cmocka_unit_test(sees_done_at_its_line_end),
        cmocka_unit_test(ends_clean_or_not),
        cmocka_unit_test(delivers_at_once),
        cmocka_unit_test(counts_fields),
        cmocka_unit_test(works_without_calls),
        cmocka_unit_test(takes_large_events_up_to_the_limit),
        cmocka_unit_test(bounds_many_lines_of_one_event),
    };
    return cmocka_run_group_tests_name("sse", tests, NULL, NULL);
}
