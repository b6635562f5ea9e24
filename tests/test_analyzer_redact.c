/* Redaction of answers: whatever the bytes and however they are cut, the redacted ones
 * give the same facts, framing, times and verdicts, and hold no text. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/redact_body.h"
#include "../analyzer/stream.h"
#include "../analyzer/unicode.h"
#include "../format/pack.h"

#define MAX_BYTES (64u << 10)
#define MARKER "ANVIL_REQ_42_00007"

struct answer {
    uint8_t bytes[MAX_BYTES];
    size_t n;
    bool chunked, event_stream;
    enum stream_endpoint endpoint;
};

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

static void add(struct answer *a, const void *p, size_t n)
{
    if (n > MAX_BYTES - a->n)
        n = MAX_BYTES - a->n;
    memcpy(a->bytes + a->n, p, n);
    a->n += n;
}

static void insert(struct answer *a, size_t at, const char *text)
{
    size_t n = strlen(text);
    if (a->n + n > MAX_BYTES)
        return;
    memmove(a->bytes + at + n, a->bytes + at, a->n - at);
    memcpy(a->bytes + at, text, n);
    a->n += n;
}

/* Bytes that mean something to one of the layers. */
static void damage(struct answer *a)
{
    static const char *const pieces[] = {MARKER,
                                         "ANVIL_REQ_-1_00009",
                                         "ANVIL_REQ_",
                                         " code ",
                                         "code",
                                         "_",
                                         "\\u00e9",
                                         "\\ud83d",
                                         "\\ude00",
                                         "\\u0000",
                                         "\\n",
                                         "\xc3\xa9",
                                         "\xe2\x80\x9c",
                                         "\xf0\x9f\x98\x80",
                                         "\xc2\xa0",
                                         "\xff",
                                         "\xe4",
                                         "\"",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "[DONE]",
                                         "data:",
                                         "data: ",
                                         "\r",
                                         "\n",
                                         "\n\n",
                                         "\r\n",
                                         "event: error\n",
                                         "error: ",
                                         ": note\n",
                                         "\"content\":\"",
                                         "\"reasoning\":\"",
                                         "\"type\":\"",
                                         "\"usage\":{",
                                         "\"index\":",
                                         "0",
                                         "1e5",
                                         "null",
                                         "\x01"};
    for (uint64_t k = draw(4) + 1; k > 0 && a->n > 0; k--) {
        size_t at = (size_t)draw(a->n);
        if (draw(3) == 0)
            a->bytes[at] = (uint8_t)draw(256);
        else
            insert(a, at, pieces[draw(sizeof pieces / sizeof *pieces)]);
    }
}

static void wrap_in_chunks(struct answer *to, const struct answer *from)
{
    to->n = 0;
    to->chunked = true;
    for (size_t at = 0; at < from->n;) {
        size_t n = (size_t)draw(200) + 1;
        char size[40];
        n = n < from->n - at ? n : from->n - at;
        snprintf(size, sizeof size, draw(5) ? "%zx\r\n" : "%zX;note=facade\r\n", n);
        add(to, size, strlen(size));
        add(to, from->bytes + at, n);
        add(to, "\r\n", 2);
        at += n;
    }
    add(to, "0\r\nX-Trailer: deadbeef words\r\n\r\n", 32);
}

static struct stream *begin(const struct answer *a)
{
    struct stream_options o = {.endpoint = a->endpoint,
                               .observe = {.marker = tt_view_str(MARKER), .response_words = 3, .strict = true}};
    struct stream *s = stream_create(&o);
    struct pack head = {0};
    assert_non_null(s);
    pack_array(&head, a->chunked ? 4 : 2);
    pack_str(&head, tt_view_str("content-type"));
    pack_str(&head, tt_view_str(a->event_stream ? "text/event-stream" : "application/json"));
    if (a->chunked) {
        pack_str(&head, tt_view_str("transfer-encoding"));
        pack_str(&head, tt_view_str("chunked"));
    }
    assert_int_equal(stream_head(s, 0, tt_view_str("HTTP/1.1 200 OK"), tt_view_of(head.bytes, head.len)), TT_OK);
    pack_free(&head);
    return s;
}

static struct redact_body *begin_redaction(const struct answer *a, bool structure, size_t *held)
{
    static size_t held_marker_chars;
    struct redact_body_rules rules = {.structure = structure,
                                      .markers = true,
                                      .code_words = true,
                                      .held_bytes = held,
                                      .held_marker_chars = &held_marker_chars};
    assert_int_equal(held_marker_chars, 0);
    struct dechunk framing;
    dechunk_begin(&framing, a->chunked ? BODY_CHUNKED : BODY_CLOSE, 0);
    struct redact_body *b = redact_body_create(&rules, framing, a->event_stream, false);
    assert_non_null(b);
    return b;
}

/* Both streams see the same reads; a cut of 0: lengths at random. */
static void redact(const struct answer *a, bool structure, size_t cut, struct stream *was, struct stream *is,
                   uint8_t *out)
{
    size_t held = 0, lengths[64], reads = 0;
    struct redact_body *b = begin_redaction(a, structure, &held);
    for (size_t at = 0, n; at < a->n; at += n) {
        n = cut ? cut : reads < 63 ? (size_t)draw(a->n) + 1 : a->n;
        n = n < a->n - at ? n : a->n - at;
        uint8_t *exact = malloc(n);
        assert_non_null(exact);
        memcpy(exact, a->bytes + at, n);
        assert_int_equal(redact_body_read(b, tt_view_of(exact, n), out + at), TT_OK);
        if (!cut)
            lengths[reads++] = n;
        free(exact);
    }
    redact_body_end(b);
    redact_body_free(b);
    assert_int_equal(held, 0);
    for (size_t at = 0, i = 0, n; at < a->n; at += n) {
        n = cut ? cut : lengths[i++];
        n = n < a->n - at ? n : a->n - at;
        stream_read(was, at + 1, tt_view_of(a->bytes + at, n));
        stream_read(is, at + 1, tt_view_of(out + at, n));
    }
}

static void tidy_count(struct opt_u64 *o, struct opt_u64 was)
{
    o->has = was.has;
    o->v = was.v;
}

static void tidy_canary(struct canary_facts *c)
{
    struct canary_facts was = *c;
    memset(c, 0, sizeof *c);
    c->marker_at_start = was.marker_at_start;
    c->observed_marker_count = was.observed_marker_count;
    c->foreign_marker_count = was.foreign_marker_count;
    c->capture_complete = was.capture_complete;
    c->passed = was.passed;
}

/* Bytes between members, which a copy of a struct may fill with anything, become zero. */
static void tidy(struct stream_facts *f)
{
    struct usage_facts was = f->usage;
    memset(&f->usage, 0, sizeof f->usage);
    f->usage.seen = was.seen;
    f->usage.odd_numbers = was.odd_numbers;
    tidy_count(&f->usage.prompt_tokens, was.prompt_tokens);
    tidy_count(&f->usage.completion_tokens, was.completion_tokens);
    tidy_count(&f->usage.total_tokens, was.total_tokens);
    tidy_count(&f->usage.cached_tokens, was.cached_tokens);
    tidy_count(&f->usage.reasoning_tokens, was.reasoning_tokens);
    struct opt_u64 retry = f->retry_after_s;
    memset(&f->retry_after_s, 0, sizeof f->retry_after_s);
    tidy_count(&f->retry_after_s, retry);
    tidy_canary(&f->canary);
    tidy_canary(&f->canary_full);
}

static void compare(const char *name, const struct answer *a, const uint8_t *out, struct stream *was, struct stream *is)
{
    struct stream_facts x = *stream_facts(was), y = *stream_facts(is);
    assert_int_equal(x.finish_reason_count, y.finish_reason_count);
    for (size_t i = 0; i < x.finish_reason_count; i++)
        assert_string_equal(x.finish_reasons[i], y.finish_reasons[i]);
    x.finish_reasons = y.finish_reasons = NULL;
    /* one that is no plain name is text like any other, and is not told anyhow */
    bool filler = y.error_kind[0] && strspn(y.error_kind, "x") == strlen(y.error_kind);
    if (!filler && strcmp(x.error_kind, y.error_kind) != 0)
        fail_msg("%s: kind %s, was %s, of\n%.*s", name, y.error_kind, x.error_kind, (int)a->n, (const char *)a->bytes);
    memset(x.error_kind, 0, sizeof x.error_kind);
    memset(y.error_kind, 0, sizeof y.error_kind);
    tidy(&x);
    tidy(&y);
    for (size_t i = 0; i < sizeof x; i++)
        if (((uint8_t *)&x)[i] != ((uint8_t *)&y)[i])
            fail_msg("%s: facts differ at %zu of %zu\n--- was\n%.*s\n--- is\n%.*s", name, i, sizeof x, (int)a->n,
                     (const char *)a->bytes, (int)a->n, (const char *)out);
}

static void check(const char *name, const struct answer *a, bool structure, size_t cut)
{
    uint8_t *out = calloc(1, a->n + 1);
    assert_non_null(out);
    struct stream *was = begin(a), *is = begin(a);
    redact(a, structure, cut, was, is, out);
    bool clean = draw(4) > 0;
    stream_end(was, a->n + 1, clean);
    stream_end(is, a->n + 1, clean);
    compare(name, a, out, was, is);
    stream_free(was);
    stream_free(is);
    free(out);
}

static void check_all_ways(const char *name, const struct answer *plain)
{
    static struct answer chunked;
    chunked = *plain;
    wrap_in_chunks(&chunked, plain);
    check(name, plain, true, 1 + (size_t)draw(3));
    check(name, plain, false, 0);
    check(name, &chunked, true, 0);
    check(name, &chunked, false, 0);
}

static void every_stream_of_the_corpus_keeps_its_facts(void **state)
{
    (void)state;
    const char *root = getenv("TOKENTAPE_FIXTURES"), *more = getenv("TOKENTAPE_REDACT_ROUNDS");
    char folder[256], path[512];
    size_t seen = 0;
    static struct answer whole, damaged;
    snprintf(folder, sizeof folder, "%s/sse", root ? root : "fixtures");
    DIR *d = opendir(folder);
    assert_non_null(d);
    random_state = 88172645463325252u;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".sse") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        whole.n = fread(whole.bytes, 1, MAX_BYTES, f);
        fclose(f);
        whole.event_stream = true;
        whole.endpoint = strstr(e->d_name, "completions") ? STREAM_COMPLETIONS : STREAM_CHAT;
        check_all_ways(e->d_name, &whole);
        for (unsigned long k = more ? strtoul(more, NULL, 10) : 30; k > 0; k--) {
            damaged = whole;
            damage(&damaged);
            check_all_ways(e->d_name, &damaged);
        }
        damaged = whole;
        damaged.event_stream = false;
        check_all_ways(e->d_name, &damaged);
        seen++;
    }
    closedir(d);
    assert_true(seen > 80);
}

static void redact_text_of(const char *body, bool structure, char *out)
{
    size_t held = 0;
    struct answer a = {.event_stream = true};
    struct redact_body *b = begin_redaction(&a, structure, &held);
    assert_int_equal(redact_body_read(b, tt_view_str(body), (uint8_t *)out), TT_OK);
    redact_body_end(b);
    redact_body_free(b);
    out[strlen(body)] = 0;
}

static const struct {
    const char *was, *timing, *structure;
} texts[] = {
    {"data: {\"id\":\"chat-7\",\"x\":\"Ada\",\"choices\":[{\"delta\":{\"content\":\"Ada Lovelace, 1843!\"}}]}\n\n",
     "data: {\"id\":\"xxxx!x\",\"x\":\"xxx\",\"choices\":[{\"delta\":{\"content\":\"xxx xxxxxxxx! xxxx!\"}}]}\n\n",
     "data: {\"id\":\"chat-7\",\"x\":\"xxx\",\"choices\":[{\"delta\":{\"content\":\"xxx xxxxxxxx! xxxx!\"}}]}\n\n"},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"" MARKER " code Code codes \"}}]}\n\n",
     "data: {\"choices\":[{\"delta\":{\"content\":\"" MARKER " code xxxx xxxxx \"}}]}\n\n", NULL},
    /* in pieces, escaped, at the end */
    {"data: {\"choices\":[{\"delta\":{\"content\":\"ANVIL_RE\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":"
     "\"\\u0051_42_00007 co\"}}]}\r\rdata: {\"choices\":[{\"delta\":{\"content\":\"de\"}}]}\n\n",
     "data: {\"choices\":[{\"delta\":{\"content\":\"ANVIL_RE\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":"
     "\"\\u0051_42_00007 co\"}}]}\r\rdata: {\"choices\":[{\"delta\":{\"content\":\"de\"}}]}\n\n",
     NULL},
    {"data: {\"choices\":[{\"logprobs\":{\"bytes\":[104,-1.5e3]},\"delta\":{\"tool_calls\":[{\"function\":"
     "{\"name\":\"find\",\"arguments\":\"{\\\"who\\\":1}\"}}]}}],\"usage\":{\"prompt_tokens\":31,\"d\":{\"c\":[4]}}}"
     "\n\n",
     "data: {\"choices\":[{\"xxxxxxxx\":{\"xxxxx\":[111,-1.1e1]},\"delta\":{\"tool_calls\":[{\"xxxxxxxx\":"
     "{\"xxxx\":\"xxxx\",\"xxxxxxxxx\":\"!\\\"xxx\\\"!x!\"}}]}}],\"usage\":{\"prompt_tokens\":31,\"d\":{\"c\":[4]}}}"
     "\n\n",
     "data: {\"choices\":[{\"logprobs\":{\"bytes\":[111,-1.1e1]},\"delta\":{\"tool_calls\":[{\"function\":"
     "{\"name\":\"xxxx\",\"arguments\":\"!\\\"xxx\\\"!x!\"}}]}}],\"usage\":{\"prompt_tokens\":31,\"d\":{\"c\":[4]}}}"
     "\n\n"},
    {"data: {\"error\":{\"message\":\"Ada said\",\"type\":\"rate_limit\",\"code\":429}}\n\ndata: [DONE]\n\n",
     "data: {\"error\":{\"message\":\"xxx xxxx\",\"type\":\"rate_limit\",\"code\":429}}\n\ndata: [DONE]\n\n", NULL},
    {": Ada\nid: Ada\nevent: Ada\nAda: Ada\ndata: Ada\n\n", ": xxx\nid: xxx\nevent: xxx\nxxx! xxx\ndata: !xx\n\n",
     NULL},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"\xc3\xa9\xe2\x80\x94\xf0\x9f\x98\x81 "
     "\\u00e9\\ud83d\\ude01\\ud83d.\"}}]}\n\n",
     "data: {\"choices\":[{\"delta\":{\"content\":\"\xc3\xa0\xe2\x80\xa6\xf0\x9f\x98\x80 "
     "\\u00e0\\ud83d\\ude00\\ud800!\"}}]}\n\n",
     NULL},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"Ada unended", "data: !!xxxxxxx!!!!!xxxxx!!!!xxxxxxx!!!xxx xxxxxxx",
     NULL},
};

static void text_becomes_filler(void **state)
{
    (void)state;
    char out[1024];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        redact_text_of(texts[i].was, false, out);
        assert_string_equal(out, texts[i].timing);
        redact_text_of(texts[i].was, true, out);
        assert_string_equal(out, texts[i].structure ? texts[i].structure : texts[i].timing);
    }
}

/* Longer than may be held: blurred, to the end of the event and no further. */
static void an_endless_event_is_blurred(void **state)
{
    (void)state;
    size_t held = 0, n = REDACT_MAX_EVENT_BYTES + 64;
    struct answer a = {.event_stream = true};
    static const char end[] = "\n\ndata: {\"object\":\"Ada\"}\n\n";
    uint8_t *text = malloc(n + sizeof end), *out = malloc(n + sizeof end);
    assert_true(text && out);
    memset(text, 'k', n);
    memcpy(text, "data: \"", 7);
    memcpy(text + n, end, sizeof end);
    struct redact_body *b = begin_redaction(&a, true, &held);
    assert_int_equal(redact_body_read(b, tt_view_of(text, n + sizeof end - 1), out), TT_OK);
    redact_body_end(b);
    redact_body_free(b);
    assert_null(memchr(out, 'k', n));
    assert_memory_equal(out + n, end, sizeof end - 1);
    free(text);
    free(out);
}

static void filler_is_of_the_class_it_stands_for(void **state)
{
    (void)state;
    static const uint32_t words[] = {'x', 0xe0, 0x4820, 0x20820}, others[] = {'!', 0xa1, 0x2026, 0x1f600};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(unicode_is_word(words[i]) && !unicode_is_space(words[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(!unicode_is_word(others[i]) && !unicode_is_space(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stream_of_the_corpus_keeps_its_facts),
        cmocka_unit_test(text_becomes_filler),
        cmocka_unit_test(an_endless_event_is_blurred),
        cmocka_unit_test(filler_is_of_the_class_it_stands_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
