/* Whole answers. Each one comes in three framings and, in each, in one read, in
 * two reads cut at every place, and byte by byte. The facts must not depend on
 * the cut, and every time must be that of the read with the last byte it needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analyzer/stream.h"

/* Text that grows to a bound. */
struct text {
    char s[2048];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, args);
    va_end(args);
    assert_true(n >= 0 && t->n + (size_t)n < sizeof t->s);
    t->n += (size_t)n;
}

static void put_count(struct text *t, const char *name, uint64_t n)
{
    if (n)
        put(t, "%s=%llu ", name, (unsigned long long)n);
}

static void put_opt(struct text *t, struct opt_u64 n)
{
    if (n.has)
        put(t, "%llu,", (unsigned long long)n.v);
    else
        put(t, "-,");
}

/* Every fact that does not depend on how the bytes were cut into reads. */
static struct text describe(const struct stream_facts *f)
{
    struct text t = {"", 0};
    put_count(&t, "ev", f->events);
    put_count(&t, "after", f->events_after_done);
    put_count(&t, "comm", f->comments);
    put_count(&t, "notjson", f->payloads_not_json);
    put_count(&t, "nochoice", f->payloads_without_choices);
    put_count(&t, "unk", f->unknown_fields);
    put_count(&t, "r", f->reasoning_chunks);
    put_count(&t, "c", f->content_chunks);
    put_count(&t, "chars", f->content_chars);
    put_count(&t, "bytes", f->content_bytes);
    put_count(&t, "tool", f->tool_call_chunks);
    put_count(&t, "refuse", f->refusal_chunks);
    for (size_t i = 0; i < f->finish_reason_count; i++)
        put(&t, "fin<%s> ", f->finish_reasons[i]);
    if (f->usage.seen) {
        put(&t, "usage ");
        put_opt(&t, f->usage.prompt_tokens);
        put_opt(&t, f->usage.completion_tokens);
        put_opt(&t, f->usage.total_tokens);
        put_opt(&t, f->usage.cached_tokens);
        put_opt(&t, f->usage.reasoning_tokens);
        put(&t, "%llu ", (unsigned long long)f->usage.odd_numbers);
    }
    if (f->error_seen)
        put(&t, "err<%s> ", f->error_kind);
    put(&t, "%s%s%s", f->done_seen ? "DONE " : "", f->visible_content_truncated ? "CUT " : "",
        f->body_complete ? "whole" : "broken");
    if (f->body_fault)
        put(&t, " (%s)", f->body_fault);
    return t;
}

/* Labels in order with their times. */
struct label_log {
    struct text names;
    uint64_t times[256];
    bool counts[256]; /* of an event, not of a comment or a stray line */
    size_t n;
};

static void log_label(void *ctx, uint64_t time_ns, const char *label)
{
    struct label_log *log = ctx;
    assert_true(log->n < 256);
    log->times[log->n] = time_ns;
    log->counts[log->n++] = strcmp(label, "comment") != 0;
    put(&log->names, "%s ", label);
}

struct head_pair {
    const char *name, *value;
};

/* A packed flat array as record HEAD holds it. */
static enum tt_status give_head(struct stream *s, uint64_t time_ns, const char *status, const struct head_pair *pairs,
                                size_t n)
{
    uint8_t packed[512];
    size_t at = 1;
    assert_true(2 * n < 16);
    packed[0] = (uint8_t)(0x90 | 2 * n);
    for (size_t i = 0; i < 2 * n; i++) {
        const char *word = i % 2 ? pairs[i / 2].value : pairs[i / 2].name;
        size_t length = strlen(word);
        assert_true(length < 256 && at + length + 2 < sizeof packed);
        packed[at++] = 0xd9;
        packed[at++] = (uint8_t)length;
        memcpy(packed + at, word, length);
        at += length;
    }
    return stream_head(s, time_ns, tt_view_str(status), tt_view_of(packed, at));
}

#define HEAD_NS 1000u
#define FIRST_NS 10000u
#define END_NS 900000u

struct answer {
    const uint8_t *body;
    size_t n;
    enum body_framing framing;
    size_t length; /* of the payload */
    bool clean;
    enum stream_endpoint endpoint;
};

static struct stream *open_answer(const struct answer *a, struct label_log *log)
{
    struct stream_options options = {.endpoint = a->endpoint};
    struct stream *s = stream_create(&options);
    char length[24];
    assert_non_null(s);
    memset(log, 0, sizeof *log);
    stream_watch(s, log_label, log);
    snprintf(length, sizeof length, "%zu", a->length);
    struct head_pair pairs[] = {{"Content-Type", "text/event-stream"}, {"", ""}};
    if (a->framing == BODY_CHUNKED)
        pairs[1] = (struct head_pair){"Transfer-Encoding", "chunked"};
    else if (a->framing == BODY_LENGTH)
        pairs[1] = (struct head_pair){"Content-Length", length};
    assert_int_equal(give_head(s, HEAD_NS, "HTTP/1.1 200 OK", pairs, 2), TT_OK);
    return s;
}

static void give_read(struct stream *s, uint64_t time_ns, const uint8_t *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, p, n);
    assert_int_equal(stream_read(s, time_ns, tt_view_of(copy, n)), TT_OK);
    free(copy);
}

/* Byte i comes at FIRST_NS + i: what time a thing has says which byte it waited for. */
static struct text take_bytewise(const struct answer *a, struct label_log *log, uint64_t *end_ns)
{
    struct stream *s = open_answer(a, log);
    for (size_t i = 0; i < a->n; i++)
        give_read(s, FIRST_NS + i, a->body + i, 1);
    assert_int_equal(stream_end(s, END_NS, a->clean), TT_OK);
    struct text facts = describe(stream_facts(s));
    *end_ns = stream_facts(s)->end_ns;
    assert_int_equal(stream_facts(s)->reads, a->n);
    assert_int_equal(stream_facts(s)->events_sharing_a_read, 0);
    stream_free(s);
    return facts;
}

/* The read, out of two cut at `cut`, that a byte of take_bytewise() is in. */
static uint64_t read_of(uint64_t byte_ns, size_t cut)
{
    if (byte_ns == END_NS)
        return END_NS;
    return byte_ns - FIRST_NS < cut ? 1 : 2;
}

static uint64_t expected_sharing(const struct label_log *bytewise, size_t cut)
{
    uint64_t events[3] = {0}, last_ns = 0;
    for (size_t i = 0; i < bytewise->n; i++) {
        if (bytewise->counts[i] && bytewise->times[i] != last_ns)
            events[read_of(bytewise->times[i], cut)]++;
        last_ns = bytewise->counts[i] ? bytewise->times[i] : last_ns;
    }
    return (events[1] > 1 ? events[1] : 0) + (events[2] > 1 ? events[2] : 0);
}

static void expect_cut(const struct answer *a, size_t cut, const char *facts, const struct label_log *bytewise,
                       uint64_t bytewise_end_ns)
{
    struct label_log log;
    struct stream *s = open_answer(a, &log);
    give_read(s, 1, a->body, cut);
    give_read(s, 2, a->body + cut, a->n - cut);
    assert_int_equal(stream_end(s, END_NS, a->clean), TT_OK);
    const struct stream_facts *f = stream_facts(s);
    struct text got = describe(f);
    assert_string_equal(got.s, facts);
    assert_string_equal(log.names.s, bytewise->names.s);
    for (size_t i = 0; i < log.n; i++)
        assert_int_equal(log.times[i], read_of(bytewise->times[i], cut));
    assert_int_equal(f->end_ns, read_of(bytewise_end_ns, cut));
    if (f->unknown_fields == 0) /* a stray line that is an error has a label and is no event */
        assert_int_equal(f->events_sharing_a_read, expected_sharing(bytewise, cut));
    stream_free(s);
}

static void expect_answer(const struct answer *a, const char *facts, const char *labels)
{
    struct label_log bytewise;
    uint64_t end_ns;
    struct text got = take_bytewise(a, &bytewise, &end_ns);
    if (strcmp(got.s, facts) != 0 || strcmp(bytewise.names.s, labels) != 0)
        fail_msg("%.*s\n  gives  %s | %s\n  not    %s | %s", (int)a->n, (const char *)a->body, got.s, bytewise.names.s,
                 facts, labels);
    for (size_t cut = 0; cut <= a->n; cut++)
        expect_cut(a, cut, facts, &bytewise, end_ns);
}

/* Chunks of seven bytes: their edges fall anywhere in an event. */
static size_t put_chunked(const char *payload, size_t n, uint8_t *out, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i += 7) {
        size_t piece = n - i < 7 ? n - i : 7;
        at += (size_t)snprintf((char *)out + at, room - at, "%zX\r\n", piece);
        memcpy(out + at, payload + i, piece);
        memcpy(out + at + piece, "\r\n", 2);
        at += piece + 2;
        assert_true(at + 32 < room);
    }
    memcpy(out + at, "0\r\n\r\n", 5);
    return at + 5;
}

static void expect_stream(const char *payload, size_t n, enum stream_endpoint endpoint, const char *facts,
                          const char *labels)
{
    static uint8_t chunked[16384];
    struct text whole = {"", 0};
    put(&whole, "%s%swhole", facts, facts[0] ? " " : "");
    struct answer a = {(const uint8_t *)payload, n, BODY_CLOSE, n, true, endpoint};
    expect_answer(&a, whole.s, labels);
    if (n > 0) {
        a.framing = BODY_LENGTH;
        a.clean = false; /* what comes behind a whole body does not matter */
        expect_answer(&a, whole.s, labels);
    }
    a = (struct answer){chunked, put_chunked(payload, n, chunked, sizeof chunked), BODY_CHUNKED, n, true, endpoint};
    expect_answer(&a, whole.s, labels);
}

#define STREAM(payload, facts, labels) expect_stream(payload, sizeof(payload) - 1, STREAM_CHAT, facts, labels)
#define DELTA(members) "data: {\"choices\":[{\"index\":0,\"delta\":{" members "},\"finish_reason\":null}]}\n\n"
#define ROLE DELTA("\"role\":\"assistant\",\"content\":\"\"")
#define A DELTA("\"content\":\"a\"")
#define B DELTA("\"content\":\"bb\"")
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define USAGE "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12}}\n\n"
#define DONE "data: [DONE]\n\n"

static void reads_a_plain_answer(void **state)
{
    (void)state;
    STREAM(ROLE A B STOP USAGE DONE, "ev=6 nochoice=1 c=2 chars=3 bytes=3 fin<stop> usage 10,2,12,-,-,0 DONE",
           "role content content finish usage done ");
    STREAM(A STOP, "ev=2 c=1 chars=1 bytes=1 fin<stop>", "content finish ");
    STREAM(A DONE, "ev=2 c=1 chars=1 bytes=1 DONE", "content done ");
    STREAM(A, "ev=1 c=1 chars=1 bytes=1", "content ");
    STREAM("", "", "");
    STREAM(DONE, "ev=1 DONE", "done ");
}

static void reads_reasoning(void **state)
{
    (void)state;
    STREAM(ROLE DELTA("\"reasoning_content\":\"t\"") DELTA("\"reasoning_content\":\"u\",\"content\":null")
               DELTA("\"reasoning_content\":\"v\",\"content\":\"w\"") A DONE,
           "ev=6 r=3 c=2 chars=2 bytes=2 DONE", "role reasoning reasoning reasoning content content done ");
    STREAM(DELTA("\"reasoning\":\"t\"") DELTA("\"reasoning_details\":[{\"text\":\"u\"},{\"summary\":\"v\"}]")
               DELTA("\"reasoning\":\"\",\"reasoning_content\":null"),
           "ev=3 r=2", "reasoning reasoning other ");
}

static void reads_other_channels(void **state)
{
    (void)state;
    STREAM(DELTA("\"tool_calls\":[{\"index\":0}]") DELTA("\"content\":null,\"tool_calls\":[{}],\"role\":\"assistant\"")
               DELTA("\"refusal\":\"no\"") DELTA("\"tool_calls\":null"),
           "ev=4 tool=2 refuse=1", "tool_call role tool_call refusal other ");
    STREAM("data: {\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n" A,
           "ev=2 nochoice=1 c=1 chars=1 bytes=1", "other content ");
    STREAM("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"hello\"},\"finish_reason\":\"stop\","
           "\"logprobs\":{\"content\":[{\"token\":\"x\"}]}}],\"usage\":{\"completion_tokens\":1}}\n\n" DONE,
           "ev=2 c=1 chars=5 bytes=5 fin<stop> usage -,1,-,-,-,0 DONE", "role content usage finish done ");
    STREAM("data: "
           "{\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"},"
           "{\"delta\":{\"reasoning\":\"c\"},\"finish_reason\":\"length\"}]}\n\n",
           "ev=1 r=1 c=2 chars=2 bytes=2 fin<stop> fin<length>", "reasoning content finish ");
}

static void reads_completion_streams(void **state)
{
    (void)state;
    static const char body[] = "data: {\"choices\":[{\"text\":\"one\",\"finish_reason\":null}]}\n\n"
                               "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n" DONE;
    expect_stream(body, sizeof body - 1, STREAM_COMPLETIONS, "ev=3 c=1 chars=3 bytes=3 fin<length> DONE",
                  "content finish done ");
    STREAM("data: {\"choices\":[{\"text\":\"one\"}]}\n\n", "ev=1", "other ");
}

static void reads_every_line_end(void **state)
{
    (void)state;
    STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n",
           "ev=2 c=1 chars=1 bytes=1 DONE", "content done ");
    STREAM("data:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\rdata:[DONE]\r\r", "ev=2 c=1 chars=1 bytes=1 DONE",
           "content done ");
    STREAM("\xef\xbb\xbf: hello\n\nevent: message\nid: 1\nretry: 5\ndata: {\"choices\":\ndata: [{\"delta\":\rdata:"
           "{\"content\":\"a\"}}]}\r\n\n: bye\n",
           "ev=1 comm=2 c=1 chars=1 bytes=1", "comment content comment ");
}

static void reads_an_unfinished_end(void **state)
{
    (void)state;
    STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", "ev=1 c=1 chars=1 bytes=1", "content ");
    STREAM(A "data: [DONE]", "ev=2 c=1 chars=1 bytes=1 DONE", "content done ");
    static const char body[] = A "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n";
    struct answer a = {(const uint8_t *)body, sizeof body - 1, BODY_CLOSE, 0, false, STREAM_CHAT};
    expect_answer(&a, "ev=1 c=1 chars=1 bytes=1 broken", "content ");
    static const char done[] = A "data: [DONE]\n";
    a = (struct answer){(const uint8_t *)done, sizeof done - 1, BODY_LENGTH, 900, true, STREAM_CHAT};
    expect_answer(&a, "ev=2 c=1 chars=1 bytes=1 DONE broken", "content done ");
}

static void ends_at_done(void **state)
{
    (void)state;
    STREAM(A DONE B USAGE "data: x\n\ndata: {\"error\":1}\n\n: c\n\nerror: x\n" DONE,
           "ev=7 after=5 comm=1 unk=1 c=1 chars=1 bytes=1 DONE", "content done other other other other comment other ");
    STREAM("data: [DONE]\ndata: more\n\n" A, "ev=2 after=1 DONE", "done other ");
}

static void keeps_the_last_usage(void **state)
{
    (void)state;
    STREAM("data: {\"choices\":[],\"usage\":{\"completion_tokens\":1}}\n\n"
           "data: {\"choices\":null,\"usage\":{\"completion_tokens\":2,\"prompt_tokens\":\"9\"}}\n\n"
           "data: {\"usage\":{}}\n\ndata: {\"usage\":null}\n\n" A,
           "ev=5 nochoice=4 c=1 chars=1 bytes=1 usage -,2,-,-,-,1", "usage usage other other content ");
}

static void passes_over_bad_payloads(void **state)
{
    (void)state;
    STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\n\n"
           "data: hello\n\ndata\n\ndata: "
           "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"a\":1},\"error\":{}}}\n\n" A,
           "ev=5 notjson=4 c=1 chars=1 bytes=1", "not_json not_json not_json not_json content ");
    STREAM("data: 7\n\ndata: [\"choices\"]\n\ndata: null\n\n", "ev=3 nochoice=3", "other other other ");
}

static void sees_errors(void **state)
{
    (void)state;
    STREAM(A "data: {\"error\":{\"message\":\"boom\",\"type\":\"server_error\",\"code\":500}}\n\n" DONE,
           "ev=3 nochoice=1 c=1 chars=1 bytes=1 err<server_error> DONE", "content error done ");
    STREAM(
        "data: {\"error\":\"boom\"}\n\ndata: {\"error\":{\"code\":429}}\n\ndata: {\"error\":{\"type\":\"late\"}}\n\n",
        "ev=3 nochoice=3 err<429>", "error error error ");
    STREAM("event: error\ndata: {\"type\":\"overloaded\",\"message\":\"x\"}\n\n", "ev=1 nochoice=1 err<overloaded>",
           "error ");
    STREAM("event: error\ndata: boom\n\n", "ev=1 notjson=1 err<>", "error not_json ");
    STREAM("data: {\"object\":\"error\",\"type\":\"BadRequestError\"}\n\n", "ev=1 nochoice=1 err<BadRequestError>",
           "error ");
    STREAM(A "error: {\"code\":500,\"message\":\"x\"}\n\n", "ev=1 unk=1 c=1 chars=1 bytes=1 err<500>",
           "content error ");
    STREAM("{\"error\":{\"type\":\"t\"}}\n\nInternal Server Error\n{\"a\":1}\n", "unk=3 err<t>", "error ");
    STREAM("data: {\"error\":null,\"choices\":[]}\n\n", "ev=1 nochoice=1", "other ");
}

static void counts_characters(void **state)
{
    (void)state;
    STREAM(DELTA("\"content\":\"\\u0000\\ud800x\\ud83d\\ude00\""), "ev=1 c=1 chars=4 bytes=9", "content ");
    STREAM(DELTA("\"content\":\"\\ud83d\"") DELTA("\"content\":\"\\ude00\""), "ev=2 c=2 chars=2 bytes=6",
           "content content ");
    STREAM(DELTA("\"content\":\"\xff\xe2\x82\xc3\xa9\""), "ev=1 c=1 chars=3 bytes=8", "content ");
    STREAM(DELTA("\"content\":\"\xe2\x82\"") DELTA("\"content\":\"\xac\""), "ev=2 c=2 chars=2 bytes=6",
           "content content ");
}

static void keeps_finish_reasons(void **state)
{
    (void)state;
    STREAM("data: {\"choices\":[{\"finish_reason\":\"a\\u0000\\ud83d\\ude00\\ud800\"},{\"finish_reason\":\"\"},"
           "{\"finish_reason\": {\"x\": 1}},{\"finish_reason\":null}]}\n\n",
           "ev=1 fin<a\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd> fin<> fin<{\"x\": 1}>", "finish ");
}

static void names_framing_faults(void **state)
{
    (void)state;
    static const char body[] = "5\r\ndata:\r\nzz\r\n";
    struct answer a = {(const uint8_t *)body, sizeof body - 1, BODY_CHUNKED, 0, true, STREAM_CHAT};
    expect_answer(&a, "broken (chunk size is missing)", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_plain_answer),
        cmocka_unit_test(reads_reasoning),
        cmocka_unit_test(reads_other_channels),
        cmocka_unit_test(reads_completion_streams),
        cmocka_unit_test(reads_every_line_end),
        cmocka_unit_test(reads_an_unfinished_end),
        cmocka_unit_test(ends_at_done),
        cmocka_unit_test(keeps_the_last_usage),
        cmocka_unit_test(passes_over_bad_payloads),
        cmocka_unit_test(sees_errors),
        cmocka_unit_test(counts_characters),
        cmocka_unit_test(keeps_finish_reasons),
        cmocka_unit_test(names_framing_faults),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
