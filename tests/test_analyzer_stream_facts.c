/* Heads, named times, observations and bounds of an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analyzer/stream.h"

static struct stream *open_stream(const char *marker, uint64_t words, bool strict)
{
    struct stream_options options = {.observe = {tt_view_str(marker), words, strict}};
    struct stream *s = stream_create(&options);
    assert_non_null(s);
    return s;
}

/* Names and values in turn, packed as record HEAD holds them; NULL ends. */
static void head(struct stream *s, uint64_t time_ns, const char *status, const char *const *words)
{
    uint8_t packed[1024];
    size_t at = 1, count = 0;
    for (; words[count]; count++) {
        size_t n = strlen(words[count]);
        assert_true(count < 15 && n < 256 && at + n + 2 < sizeof packed);
        packed[at++] = 0xd9;
        packed[at++] = (uint8_t)n;
        memcpy(packed + at, words[count], n);
        at += n;
    }
    packed[0] = (uint8_t)(0x90 | count);
    assert_int_equal(stream_head(s, time_ns, tt_view_str(status), tt_view_of(packed, at)), TT_OK);
}

#define HEAD(s, time_ns, status, ...) head(s, time_ns, status, (const char *const[]){__VA_ARGS__, NULL})
#define SSE_TYPE "content-type", "text/event-stream"

static void text(struct stream *s, uint64_t time_ns, const char *bytes)
{
    assert_int_equal(stream_read(s, time_ns, tt_view_str(bytes)), TT_OK);
}

static const struct stream_facts *end(struct stream *s, uint64_t time_ns, bool clean)
{
    assert_int_equal(stream_end(s, time_ns, clean), TT_OK);
    return stream_facts(s);
}

#define DELTA(members) "data: {\"choices\":[{\"delta\":{" members "}}]}\n\n"
#define A DELTA("\"content\":\"a\"")

static void reads_heads(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        bool event_stream;
    } types[] = {{"text/event-stream", true},     {"Text/Event-Stream; charset=utf-8", true},
                 {" text/event-stream ;x", true}, {"application/json", false},
                 {"text/event-streams", false},   {"", false}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct stream *s = open_stream(NULL, 0, false);
        HEAD(s, 5, "HTTP/1.1 200 OK", "Content-TYPE", types[i].type, "content-length", "900");
        text(s, 6, A);
        const struct stream_facts *f = end(s, 7, true);
        assert_true(f->head_seen && f->has_content_type);
        assert_int_equal(f->event_stream, types[i].event_stream);
        assert_int_equal(f->events, types[i].event_stream); /* else counted in bytes, not read */
        assert_int_equal(f->payload_bytes, strlen(A));
        assert_int_equal(f->http_status, 200);
        assert_int_equal(f->head_ns, 5);
        stream_free(s);
    }
}

static void reads_without_content_type_or_head(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 5, "HTTP/2 200", "date", "x");
    text(s, 6, A);
    const struct stream_facts *f = end(s, 7, true);
    assert_false(f->has_content_type);
    assert_int_equal(f->content_chunks, 1);
    assert_int_equal(f->framing, BODY_CLOSE);
    stream_free(s);
    s = open_stream(NULL, 0, false);
    text(s, 6, A);
    f = end(s, 7, true);
    assert_false(f->head_seen);
    assert_int_equal(f->content_chunks, 1);
    stream_free(s);
}

static void takes_the_final_head(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 100 Continue", "content-length", "7");
    assert_false(stream_facts(s)->head_seen);
    HEAD(s, 2, "HTTP/1.1 103 Early Hints", "content-type", "x/y");
    HEAD(s, 3, "HTTP/1.1 503 Service Unavailable", "Retry-After", "120", SSE_TYPE);
    text(s, 4, A);
    HEAD(s, 5, "HTTP/1.1 200 OK", "content-type", "x/y"); /* cannot come behind a body */
    const struct stream_facts *f = end(s, 6, true);
    assert_int_equal(f->http_status, 503);
    assert_int_equal(f->head_ns, 3);
    assert_true(f->retry_after_s.has && f->retry_after_s.v == 120);
    assert_true(f->event_stream);
    stream_free(s);
    s = open_stream(NULL, 0, false);
    HEAD(s, 3, "nonsense", "retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
    assert_int_equal(stream_facts(s)->http_status, 0);
    assert_false(stream_facts(s)->retry_after_s.has);
    stream_free(s);
}

static void expect_framing(const char *name, const char *value, enum body_framing framing, bool compressed,
                           const char *fault)
{
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 200 OK", "content-length", "5", name, value);
    const struct stream_facts *f = stream_facts(s);
    if (f->framing != framing || f->compressed != compressed || strcmp(f->body_fault ? f->body_fault : "", fault) != 0)
        fail_msg("%s: %s gives %d %d %s", name, value, (int)f->framing, f->compressed,
                 f->body_fault ? f->body_fault : "");
    stream_free(s);
}

static void chooses_the_framing(void **state)
{
    (void)state;
    expect_framing("x", "y", BODY_LENGTH, false, "");
    expect_framing("Transfer-Encoding", "Chunked", BODY_CHUNKED, false, "");
    expect_framing("transfer-encoding", "gzip, chunked", BODY_CHUNKED, true, "");
    expect_framing("transfer-encoding", "chunked, gzip", BODY_CLOSE, true, "");
    expect_framing("transfer-encoding", "identity", BODY_CLOSE, false, "");
    expect_framing("content-encoding", "gzip", BODY_LENGTH, true, "");
    expect_framing("content-encoding", "identity", BODY_LENGTH, false, "");
    expect_framing("content-encoding", "", BODY_LENGTH, false, "");
    expect_framing("content-length", "5", BODY_LENGTH, false, "");
    expect_framing("content-length", "6", BODY_LENGTH, false, "two different Content-Length headers");
    expect_framing("content-length", "-1", BODY_LENGTH, false, "Content-Length is not a number");
    expect_framing("content-length", "99999999999999999999", BODY_LENGTH, false, "Content-Length is not a number");
}

static void does_not_read_compressed_bodies(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 200 OK", SSE_TYPE, "content-encoding", "br");
    text(s, 2, A);
    const struct stream_facts *f = end(s, 3, true);
    assert_true(f->compressed && f->body_complete);
    assert_int_equal(f->events, 0);
    assert_int_equal(f->body_bytes, strlen(A));
    stream_free(s);
}

static void ends_empty_answers(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 204 No Content", "date", "x");
    const struct stream_facts *f = end(s, 9, false);
    assert_true(f->body_complete);
    assert_int_equal(f->end_ns, 1);
    assert_int_equal(f->first_byte_ns, TAPE_NONE);
    stream_free(s);
    s = open_stream(NULL, 0, false); /* never connected */
    f = end(s, 9, false);
    assert_false(f->body_complete);
    assert_int_equal(f->end_ns, 9);
    stream_free(s);
}

static void refuses_broken_header_arrays(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    static const uint8_t odd[] = {0x91, 0xa1, 'x'}, cut[] = {0x92, 0xa1, 'x', 0xa5, 'y'};
    stream_head(s, 1, tt_view_str("HTTP/1.1 200 OK"), tt_view_of(odd, sizeof odd));
    assert_int_not_equal(stream_head(s, 1, tt_view_str("HTTP/1.1 200 OK"), tt_view_of(cut, sizeof cut)), TT_OK);
    assert_int_equal(stream_facts(s)->http_status, 200);
    stream_free(s);
}

static void names_times(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 200 OK", SSE_TYPE);
    text(s, 10, ": ping\n\n");
    text(s, 11, DELTA("\"role\":\"assistant\""));
    text(s, 12, DELTA("\"reasoning_content\":\"x\""));
    text(s, 13, DELTA("\"reasoning_content\":\"x\""));
    text(s, 14, A);
    text(s, 15, ":\n" A);
    text(s, 16, DELTA("\"tool_calls\":[{}]"));
    text(s, 17, DELTA("\"tool_calls\":[{}],\"role\":\"assistant\""));
    text(s, 18, "data: {\"choices\":[{\"finish_reason\":\"stop\"},{\"finish_reason\":\"x\"}]}\n\n");
    text(s, 19, "data: {\"choices\":[{\"finish_reason\":\"y\"}],\"usage\":{\"total_tokens\":1}}\n\n");
    text(s, 20, "data: {\"usage\":{\"total_tokens\":2}}\n\ndata: {\"error\":{}}\n\n");
    text(s, 21, "data: {\"error\":{}}\n\ndata: [DONE]\n");
    text(s, 22, "\n" A ": last\n");
    const struct stream_facts *f = end(s, 30, true);
    const uint64_t got[] = {f->head_ns,
                            f->first_byte_ns,
                            f->last_byte_ns,
                            f->role_ns,
                            f->first_reasoning_ns,
                            f->last_reasoning_ns,
                            f->first_content_ns,
                            f->last_content_ns,
                            f->first_tool_call_ns,
                            f->last_tool_call_ns,
                            f->usage_ns,
                            f->finish_ns,
                            f->done_ns,
                            f->error_ns,
                            f->first_comment_ns,
                            f->last_comment_ns,
                            f->end_ns};
    static const uint64_t expected[] = {1, 10, 22, 11, 12, 13, 14, 15, 16, 17, 20, 18, 21, 20, 10, 22, 21};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(got[i], expected[i]);
    assert_int_equal(f->reads, 13);
    assert_int_equal(f->events_sharing_a_read, 4);
    stream_free(s);
}

static void ends_by_framing(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 200 OK", SSE_TYPE, "transfer-encoding", "chunked");
    text(s, 2, "28\r\ndata: {\"choices\":[{\"finish_reason\":1}]}\r\n");
    text(s, 3, "0\r\n");
    text(s, 4, "\r\n");
    text(s, 5, "surplus");
    const struct stream_facts *f = end(s, 9, false);
    assert_true(f->body_complete);
    assert_int_equal(f->end_ns, 4);
    assert_int_equal(f->surplus_bytes, 7);
    assert_int_equal(f->events, 1); /* unfinished in a whole body */
    assert_int_equal(f->finish_ns, 2);
    stream_free(s);
    s = open_stream(NULL, 0, false);
    HEAD(s, 1, "HTTP/1.1 200 OK", SSE_TYPE, "content-length", "200");
    text(s, 2, A);
    f = end(s, 9, true);
    assert_false(f->body_complete);
    assert_int_equal(f->end_ns, 9);
    stream_free(s);
}

/* A long read in two records, and bytes held back, are the read they are from. */
static void takes_equal_times_for_one_read(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    text(s, 10, A);
    text(s, 10, A "data: ");
    text(s, 10, "x\n\n");
    text(s, 11, A);
    text(s, 12, A);
    text(s, 12, A);
    const struct stream_facts *f = end(s, 13, true);
    assert_int_equal(f->reads, 3);
    assert_int_equal(f->events, 6);
    assert_int_equal(f->events_sharing_a_read, 5);
    stream_free(s);
}

/* A content delta of n characters `c`, each of `each`. */
static void text_run(struct stream *s, uint64_t time_ns, const char *each, size_t n)
{
    size_t room = n * strlen(each) + 128, at = 0;
    char *payload = malloc(room);
    assert_non_null(payload);
    at += (size_t)snprintf(payload, room, "data: {\"choices\":[{\"delta\":{\"content\":\"");
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(payload + at, room - at, "%s", each);
    snprintf(payload + at, room - at, "\"}}]}\n\n");
    text(s, time_ns, payload);
    free(payload);
}

static void cuts_the_capture_by_characters(void **state)
{
    (void)state;
    for (size_t n = OBSERVE_CAPTURE_CHARS - 1; n <= OBSERVE_CAPTURE_CHARS + 1; n++) {
        struct stream *s = open_stream(NULL, 3, true);
        text_run(s, 2, "\xc3\xa9", n - 8000);
        text_run(s, 3, "\\u00e9", 8000);
        const struct stream_facts *f = end(s, 4, true);
        assert_int_equal(f->content_chars, n);
        assert_int_equal(f->content_bytes, 2 * n);
        assert_int_equal(f->visible_content_truncated, n > OBSERVE_CAPTURE_CHARS);
        assert_int_equal(f->controlled.capture_complete, n <= OBSERVE_CAPTURE_CHARS);
        assert_int_equal(f->controlled.exact_adherence, n <= OBSERVE_CAPTURE_CHARS ? ADHERENCE_NO : ADHERENCE_NULL);
        assert_int_equal(f->controlled_full.exact_adherence, ADHERENCE_NO);
        stream_free(s);
    }
}

static void observes_across_deltas(void **state)
{
    (void)state;
    struct stream *s = open_stream("ANVIL_REQ_7_00003", 2, true);
    text(s, 1, DELTA("\"reasoning\":\"I see ANVIL_REQ_7_00004 and ANVIL_REQ_7\""));
    text(s, 2, DELTA("\"reasoning\":\"_00003\""));
    text(s, 3, DELTA("\"content\":\"ANVIL_REQ_\""));
    text(s, 4, DELTA("\"content\":\"7_00003 co\""));
    text(s, 5, DELTA("\"content\":\"de code\""));
    const struct stream_facts *f = end(s, 6, true);
    assert_true(f->canary.marker_at_start && f->canary.passed && f->canary_full.passed);
    assert_int_equal(f->canary.observed_marker_count, 1);
    assert_int_equal(f->canary.foreign_marker_count, 0);
    assert_int_equal(f->reasoning_foreign_markers, 1);
    assert_int_equal(f->controlled.observed_code_words, 2);
    assert_int_equal(f->controlled.observed_extra_words, 0);
    assert_true(f->controlled.passed);
    stream_free(s);
}

/* What stands behind the capture fails only the observation of the whole text. */
static void sees_more_than_the_capture(void **state)
{
    (void)state;
    struct stream *s = open_stream("ANVIL_REQ_7_00003", 0, false);
    text(s, 1, DELTA("\"content\":\"ANVIL_REQ_7_00003 \""));
    text_run(s, 2, "x", OBSERVE_CAPTURE_CHARS - 18 - 17);
    text(s, 3, DELTA("\"content\":\"ANVIL_REQ_7_00004\"")); /* the end of the capture ends a marker */
    text(s, 4, DELTA("\"content\":\" ANVIL_REQ_7_00005\""));
    const struct stream_facts *f = end(s, 6, true);
    assert_true(f->visible_content_truncated && f->canary.marker_at_start);
    assert_int_equal(f->canary.observed_marker_count, 2);
    assert_int_equal(f->canary.foreign_marker_count, 1);
    assert_false(f->canary.capture_complete || f->canary.passed);
    assert_int_equal(f->canary_full.observed_marker_count, 3);
    assert_true(f->canary_full.capture_complete);
    stream_free(s);
}

static void bounds_finish_reasons(void **state)
{
    (void)state;
    struct stream *s = open_stream(NULL, 0, false);
    for (int i = 0; i < 1100; i++)
        text(s, (uint64_t)i, "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n");
    const struct stream_facts *f = end(s, 2000, true);
    assert_int_equal(f->finish_reason_count, STREAM_MAX_FINISH_REASONS);
    assert_int_equal(f->finish_reasons_lost, 1100 - STREAM_MAX_FINISH_REASONS);
    assert_string_equal(f->finish_reasons[STREAM_MAX_FINISH_REASONS - 1], "stop");
    stream_free(s);
}

static void cuts_finish_reasons(void **state)
{
    (void)state;
    char payload[1024];
    size_t at = (size_t)snprintf(payload, sizeof payload, "data: {\"choices\":[{\"finish_reason\":\"");
    for (int i = 0; i < 130; i++)
        at += (size_t)snprintf(payload + at, sizeof payload - at, "\xe2\x82\xac");
    snprintf(payload + at, sizeof payload - at, "\"}]}\n\n");
    struct stream *s = open_stream(NULL, 0, false);
    text(s, 1, payload);
    const struct stream_facts *f = end(s, 2, true);
    assert_int_equal(strlen(f->finish_reasons[0]), STREAM_FINISH_CHARS * 3);
    stream_free(s);
}

static void takes_half_a_million_choices(void **state)
{
    (void)state;
    static const char start[] = "data: {\"choices\":[", each[] = "{\"delta\":{\"content\":\"a\"}},",
                      last[] = "{}]}\n\n";
    struct stream *s = open_stream(NULL, 0, false);
    text(s, 1, start);
    for (int i = 0; i < 500000; i++)
        text(s, 1, each);
    text(s, 1, last);
    const struct stream_facts *f = end(s, 2, true);
    assert_int_equal(f->content_chunks, 500000);
    assert_int_equal(f->events, 1);
    stream_free(s);
}

static void names_an_event_beyond_the_limit(void **state)
{
    (void)state;
    static uint8_t run[64 << 10];
    memset(run, 'x', sizeof run);
    struct stream *s = open_stream(NULL, 0, false);
    text(s, 1, A "data: ");
    for (int i = 0; i < 260; i++)
        assert_int_equal(stream_read(s, 2, tt_view_of(run, sizeof run)), TT_OK);
    text(s, 3, "\n\n" A);
    const struct stream_facts *f = end(s, 4, true);
    assert_string_equal(f->body_fault, "an event of the stream is too long");
    assert_false(f->body_complete);
    assert_int_equal(f->events, 1);
    assert_true(f->event_too_large);
    assert_int_equal(f->body_bytes, 260 * sizeof run + 2 * strlen(A) + 8);
    stream_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_heads),
        cmocka_unit_test(reads_without_content_type_or_head),
        cmocka_unit_test(takes_the_final_head),
        cmocka_unit_test(chooses_the_framing),
        cmocka_unit_test(does_not_read_compressed_bodies),
        cmocka_unit_test(ends_empty_answers),
        cmocka_unit_test(refuses_broken_header_arrays),
        cmocka_unit_test(names_times),
        cmocka_unit_test(ends_by_framing),
        cmocka_unit_test(takes_equal_times_for_one_read),
        cmocka_unit_test(cuts_the_capture_by_characters),
        cmocka_unit_test(observes_across_deltas),
        cmocka_unit_test(sees_more_than_the_capture),
        cmocka_unit_test(bounds_finish_reasons),
        cmocka_unit_test(cuts_finish_reasons),
        cmocka_unit_test(takes_half_a_million_choices),
        cmocka_unit_test(names_an_event_beyond_the_limit),
    };
    return cmocka_run_group_tests_name("stream_facts", tests, NULL, NULL);
}
