#include "analyzer_tapes.h"

#include "../analyzer/reason.h"
#include "../analyzer/observe.h"

/* What one request meets, and what it must be called. The answer's bytes come at
 * 20 ms, DONE at 61 ms. */
struct sad_case {
    const char *status_line;    /* NULL: no head */
    const char *content_type;   /* NULL: text/event-stream */
    const char *header, *value; /* one more header, or NULL */
    const char *body;
    uint64_t curl_code;
    const char *reason, *error;
    const char *error_type;
    enum failure_class class;
    bool received, metadata, timing;
    const char *message; /* must be part of it, or NULL */
};

#define OK_LINE "HTTP/1.1 200 OK"
#define REQUEST_ERROR FAILURE_REQUEST_ERROR, false, false, false
#define BODY_ERROR FAILURE_REQUEST_ERROR, true, true, false
#define STREAM_UNTIMED FAILURE_STREAM_VALIDATION, true, true, false
#define STREAM_TIMED FAILURE_STREAM_VALIDATION, true, true, true
#define GOOD DELTA("content", "a") STOP FINISH

static const struct sad_case cases[] = {
    {NULL, NULL, NULL, NULL, NULL, 6, "fault", NULL, "dns_error", REQUEST_ERROR, "code 6"},
    {NULL, NULL, NULL, NULL, NULL, 5, "fault", NULL, "proxy_error", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 7, "fault", "Connection refused", "connect_refused", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 7, "fault", "No route to host", "connect_error", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 60, "fault", NULL, "tls_error", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 55, "fault", NULL, "send_error", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 0, "timeout", NULL, "header_timeout", REQUEST_ERROR, "900 s"},
    {NULL, NULL, NULL, NULL, NULL, 28, "fault", NULL, "header_timeout", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 56, "fault", NULL, "no_response", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 52, "fault", NULL, "no_response", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 1, "fault", NULL, "not_http", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 27, "fault", NULL, "client_error", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 99, "fault", NULL, "transport_error", REQUEST_ERROR, "code 99"},
    {NULL, NULL, NULL, NULL, NULL, 56, "stale_connection", NULL, "stale_connection", REQUEST_ERROR, NULL},
    {NULL, NULL, NULL, NULL, NULL, 0, "complete", NULL, "no_response", REQUEST_ERROR, NULL},
    {"HTTP/1.1 429 Too Many", NULL, "retry-after", "7", "{}", 0, "complete", NULL, "http_status", REQUEST_ERROR,
     "HTTP 429, Retry-After 7 s"},
    {"HTTP/1.1 503 x", NULL, "retry-after", "Wed, 21 Oct 2026 07:28:00 GMT", "", 0, "complete", NULL, "http_status",
     REQUEST_ERROR, "HTTP 503"},
    {"HTTP/1.1 500 x", NULL, NULL, NULL, "secret text", 18, "fault", NULL, "http_status", REQUEST_ERROR, "HTTP 500"},
    {"HTTP/1.1 307 x", NULL, NULL, NULL, "", 0, "complete", NULL, "redirect_refused", REQUEST_ERROR, "HTTP 307"},
    {OK_LINE, NULL, NULL, NULL, ": hi\n\n", 0, "timeout", NULL, "inactivity_timeout_before_output", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a"), 0, "timeout", NULL, "inactivity_timeout", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("reasoning", "a"), 0, "timeout", NULL, "inactivity_timeout", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a"), 56, "fault", NULL, "connection_reset", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, GOOD, 56, "fault", NULL, "connection_reset", BODY_ERROR, "behind [DONE]"},
    {OK_LINE, NULL, "content-length", "5000", DELTA("content", "a"), 18, "fault", NULL, "truncated_body", BODY_ERROR,
     NULL},
    {OK_LINE, NULL, "content-length", "5000", GOOD, 0, "complete", NULL, "truncated_body", BODY_ERROR, NULL},
    {OK_LINE, NULL, "transfer-encoding", "chunked", "zz\r\n", 56, "fault", NULL, "bad_chunk", BODY_ERROR, NULL},
    {OK_LINE, NULL, "content-length", "x", GOOD, 0, "complete", NULL, "bad_framing", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a"), 0, "done_grace", NULL, "body_never_ended", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a"), 92, "fault", NULL, "http2_error", BODY_ERROR, NULL},
    {OK_LINE, NULL, NULL, NULL, "", 0, "complete", NULL, "empty_body", STREAM_UNTIMED, NULL},
    {OK_LINE, NULL, "content-encoding", "gzip", "\x1f\x8b", 0, "complete", NULL, "compressed_body", STREAM_UNTIMED,
     NULL},
    {OK_LINE, "application/json", NULL, NULL, "{\"error\":1}", 0, "complete", NULL, "not_an_event_stream",
     STREAM_UNTIMED, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a") "data: {\"error\":{\"code\":429}}\n\n" FINISH, 0, "complete",
     NULL, "in_band_error", STREAM_TIMED, "429"},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a") "event: error\ndata: {\"type\":\"sk-very-own\"}\n\n", 0,
     "complete", NULL, "in_band_error", STREAM_TIMED, "an error inside the stream after 1"},
    {OK_LINE, NULL, NULL, NULL, STOP FINISH, 0, "complete", NULL, "empty_finish", STREAM_UNTIMED, NULL},
    {OK_LINE, NULL, NULL, NULL, FINISH, 0, "complete", NULL, "no_output", STREAM_UNTIMED, NULL},
    {NULL, NULL, NULL, NULL, NULL, 0, "timeout", NULL, "dns_error", REQUEST_ERROR, "within the timeout (900 s)"},
    {OK_LINE, NULL, NULL, NULL,
     DELTA("reasoning", "a") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n" FINISH, 0,
     "complete", NULL, "no_visible_output", STREAM_UNTIMED, "max_tokens was reached"},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a"), 0, "complete", NULL, "no_terminal", STREAM_TIMED, NULL},
    {OK_LINE, NULL, NULL, NULL, "data: not json\n\n", 0, "complete", NULL, "no_output", STREAM_UNTIMED, NULL},
    {OK_LINE, NULL, NULL, NULL, DELTA("content", "a"), 0, "cancelled", NULL, "cancelled", FAILURE_RUNNER_ERROR, true,
     true, false, NULL},
    {NULL, NULL, NULL, NULL, NULL, 0, "cancelled", NULL, "cancelled", FAILURE_RUNNER_ERROR, false, false, false, NULL},
};

static void put_case(struct maker *m, const struct sad_case *c)
{
    put_start(m, 0, 2);
    if (c->status_line || c->curl_code > 20) { /* else the connection never stood */
        put_conn(m, 0, 3);
    }
    if (c->error_type && strcmp(c->error_type, "header_timeout") == 0 && c->curl_code == 0)
        put_conn(m, 0, 3);
    if (c->status_line) {
        const char *headers[] = {"content-type", c->content_type ? c->content_type : "text/event-stream", c->header,
                                 c->value, NULL};
        put_head_with(m, 0, 10, c->status_line, headers);
        if (c->body[0])
            put_read(m, 0, 20, c->body);
    }
    put_done_with(m, 0, 61, c->curl_code, c->reason, c->error);
}

static void check_case(const struct sad_case *c, const struct request *r)
{
    const struct verdict *v = &r->verdict;
    if (v->failure != c->class || strcmp(v->error_type, c->error_type) != 0)
        fail_msg("%s: judged %s (class %d): %s", c->error_type, v->error_type, v->failure, v->message);
    if (v->response_received != c->received || v->has_metadata != c->metadata || v->has_timing != c->timing)
        fail_msg("%s: received %d metadata %d timing %d", c->error_type, v->response_received, v->has_metadata,
                 v->has_timing);
    if (!v->message[0] || (c->message && !strstr(v->message, c->message)))
        fail_msg("%s says '%s'", c->error_type, v->message);
    assert_null(strstr(v->message, "secret"));
    assert_null(strstr(v->message, "sk-"));
}

static void test_each_failure_has_its_name(void **state)
{
    (void)state;
    const char *path = tape_path("case.tape");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct maker_options options = {.requests = 1};
        struct maker m = maker_begin(path, &options, true);
        put_case(&m, &cases[i]);
        maker_finish(&m, 70);
        struct run *run = load_judged(path);
        check_case(&cases[i], &run->requests[0]);
        assert_false(run_performance_eligible(run));
        run_free(run);
    }
}

static struct run *judge_body(const struct maker_options *options, const char *body, const char *reason)
{
    const char *path = tape_path("body.tape");
    struct maker m = maker_begin(path, options, true);
    put_start(&m, 0, 2);
    put_head(&m, 0, 10);
    put_read(&m, 0, 20, body);
    put_done_with(&m, 0, 61, 0, reason, NULL);
    maker_finish(&m, 70);
    return load_judged(path);
}

static void expect(const struct maker_options *options, const char *body, const char *reason, const char *error_type)
{
    struct run *run = judge_body(options, body, reason);
    const struct request *r = &run->requests[0];
    bool good = strcmp(error_type, "none") == 0;
    if (strcmp(r->verdict.error_type, error_type) != 0 || request_succeeded(r) != good)
        fail_msg("judged %s, not %s: %s", r->verdict.error_type, error_type, r->verdict.message);
    assert_true(good || (r->verdict.has_metadata && r->verdict.has_timing));
    run_free(run);
}

static void test_good_answers(void **state)
{
    (void)state;
    struct maker_options one = {.requests = 1};
    expect(&one, GOOD, "complete", "none");
    expect(&one, DELTA("content", "a") STOP, "complete", "none");
    expect(&one, DELTA("content", "a") FINISH, "complete", "none");
    expect(&one, DELTA("content", "a") "data: junk\n\n" FINISH, "complete", "none");
    expect(&one, GOOD, "done_grace", "none"); /* [DONE] was seen, the body never ended */
    expect(&one, DELTA("content", "a") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n" FINISH,
           "complete", "none");
}

static void test_observations(void **state)
{
    (void)state;
    struct maker_options canary = {.requests = 1, .canaries = true};
    struct maker_options strict = {.requests = 1, .canaries = true, .strict = true, .response_words = 3};
    struct maker_options watch = {.requests = 1, .response_words = 3};
    expect(&canary, DELTA("content", "ANVIL_REQ_0_00000 yes") FINISH, "complete", "none");
    expect(&canary, DELTA("content", "yes ANVIL_REQ_0_00000") FINISH, "complete", "canary_failed");
    expect(&canary, DELTA("content", "ANVIL_REQ_0_00000 ANVIL_REQ_0_00001") FINISH, "complete", "canary_failed");
    expect(&strict, DELTA("content", "ANVIL_REQ_0_00000 code code code") FINISH, "complete", "none");
    expect(&strict, DELTA("content", "ANVIL_REQ_0_00000 code code") FINISH, "complete", "controlled_output_failed");
    expect(&strict, DELTA("content", "code code code") FINISH, "complete", "canary_failed");
    expect(&watch, DELTA("content", "code code nothing") FINISH, "complete", "none");
}

static void test_the_capture_limit_has_its_name(void **state)
{
    (void)state;
    enum { WORDS = 2000 }; /* 5 characters each: past the 8192 of the capture */
    char *body = calloc(1, WORDS * 5 + 400);
    assert_non_null(body);
    char *at = body + snprintf(body, 200, "data: {\"choices\":[{\"delta\":{\"content\":\"ANVIL_REQ_0_00000");
    for (int i = 0; i < WORDS; i++) {
        memcpy(at, " code", 5);
        at += 5;
    }
    snprintf(at, 200, "\"}}]}\n\n" FINISH);
    struct maker_options canary = {.requests = 1, .canaries = true, .response_words = WORDS, .strict = true};
    struct run *run = judge_body(&canary, body, "complete");
    assert_string_equal(run->requests[0].verdict.error_type, "capture_limit");
    assert_int_equal(run->requests[0].verdict.failure, FAILURE_CANARY);
    run_free(run);
    canary.canaries = false;
    run = judge_body(&canary, body, "complete");
    assert_string_equal(run->requests[0].verdict.error_type, "capture_limit");
    assert_int_equal(run->requests[0].verdict.failure, FAILURE_CONTROLLED_OUTPUT);
    run_free(run);
    free(body);
}

/* reason_transport.c knows stream.c's words for it. */
static void test_an_event_without_end_is_named(void **state)
{
    (void)state;
    enum { PIECE = 60000, PIECES = (64 << 20) / PIECE + 2 };
    const char *path = tape_path("long.tape");
    struct maker_options options = {.requests = 1};
    struct maker m = maker_begin(path, &options, true);
    char *text = calloc(1, PIECE + 1);
    assert_non_null(text);
    memset(text, 'x', PIECE);
    put_start(&m, 0, 2);
    put_head(&m, 0, 10);
    put_read(&m, 0, 11, "data: ");
    for (unsigned i = 0; i < PIECES; i++)
        put_read(&m, 0, 12, text);
    put_done(&m, 0, 13);
    maker_finish(&m, 14);
    free(text);
    struct run *run = load_judged(path);
    assert_string_equal(run->requests[0].verdict.error_type, "event_too_large");
    assert_int_equal(run->requests[0].verdict.failure, FAILURE_STREAM_VALIDATION);
    run_free(run);
}

static void test_a_body_that_could_not_be_built(void **state)
{
    (void)state;
    const char *path = tape_path("fault.tape");
    struct maker_options options = {.requests = 1};
    struct maker m = maker_begin(path, &options, false);
    struct tape_record rec = {.kind = TAPE_PLAN};
    rec.u.plan.context_tokens = 32;
    rec.u.plan.fault = tt_view_str("the prompt is too short");
    rec.u.plan.intended_start_ns = TAPE_NONE;
    put(&m, &rec);
    put_event(&m, 1, "run_start");
    maker_finish(&m, 2);
    struct run *run = load_judged(path);
    assert_string_equal(run->requests[0].verdict.error_type, "not_built");
    assert_int_equal(run->requests[0].verdict.failure, FAILURE_REQUEST_ERROR);
    assert_false(run->requests[0].verdict.response_received);
    run_free(run);
}

static void test_the_table_is_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < REASON_CODES; i++) {
        const struct reason_entry *e = reason_describe((enum reason_code)i);
        assert_non_null(e->error_type);
        assert_true(e->id && e->meaning && e->kept);
        if (i == REASON_NONE)
            continue;
        assert_true(e->fault && e->source && e->inputs && e->judge);
        assert_true((e->scope == REASON_OF_REQUEST) == (e->class != FAILURE_NONE)); /* only requests are excluded */
        assert_true(e->scope == REASON_OF_REQUEST || e->standard != REASON_EXCLUDES);
        for (unsigned k = 0; k < i; k++) { /* a type may stand in two classes, never twice in one; an id stands once */
            const struct reason_entry *other = reason_describe((enum reason_code)k);
            assert_false(e->class == other->class && strcmp(e->error_type, other->error_type) == 0);
            assert_string_not_equal(e->id, other->id);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_failure_has_its_name),
        cmocka_unit_test(test_good_answers),
        cmocka_unit_test(test_observations),
        cmocka_unit_test(test_the_capture_limit_has_its_name),
        cmocka_unit_test(test_an_event_without_end_is_named),
        cmocka_unit_test(test_a_body_that_could_not_be_built),
        cmocka_unit_test(test_the_table_is_whole),
    };
    return cmocka_run_group_tests_name("analyzer_eligibility", tests, tape_dir_make, tape_dir_remove);
}
