/* The trace of this program's own results: what it says twice, and what has to fit. */
#include <math.h>
#include <stdio.h>

#include "audit_parts.h"
#include "reason.h"

static bool is_type(const struct json_node *f, enum reason_code code)
{
    return audit_text_is(f, "error_type", reason_describe(code)->error_type);
}

void audit_trace_accounts(struct audit *a)
{
    const struct json_node *accounts = json_node_get(a->trace, "accounts");
    uint64_t cancelled = 0, not_sent = 0, failed = 0;
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next) {
        bool off = is_type(f, REASON_CANCELLED), unsent = is_type(f, REASON_NOT_SENT) || is_type(f, REASON_NOT_BUILT);
        cancelled += off;
        not_sent += unsent;
        failed += !off && !unsent;
    }
    audit_expect_count(a, "trace.accounts", accounts, "planned", a->requests);
    audit_expect_count(a, "trace.accounts", accounts, "succeeded", a->rows ? a->rows->children : 0);
    audit_expect_count(a, "trace.accounts", accounts, "failed", failed);
    audit_expect_count(a, "trace.accounts", accounts, "cancelled", cancelled);
    audit_expect_count(a, "trace.accounts", accounts, "not_sent", not_sent);
    if (!audit_true(accounts, "hold"))
        audit_cannot(a, "trace.accounts.hold is false: the recorder's own counts are not those of the tape");
}

void audit_trace_requests(struct audit *a)
{
    const struct json_node *requests = json_node_get(a->trace, "requests");
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    if (!requests || requests->type != JSON_ARRAY_BEGIN)
        return;
    audit_expect(a, requests->children == a->requests, "trace.requests has %zu of %llu requests", requests->children,
                 (unsigned long long)a->requests);
    for (const struct json_node *r = requests->child; r; r = r->next, i++)
        audit_expect_count(a, audit_place(place, "trace.requests", i), r, "request_index", i);
}

/* Null behaves as later than everything. */
static double at(const struct json_node *r, const char *key)
{
    struct opt_double v = audit_double(r, key);
    return v.has ? v.v : INFINITY;
}

static void expect_equal(struct audit *a, const char *place, const struct json_node *row, const char *key, double want)
{
    audit_expect_double(a, place, row, key, (struct opt_double){isfinite(want), want});
}

static void check_row(struct audit *a, const char *place, const struct json_node *row, const struct json_node *r)
{
    double reasoning = at(r, "first_reasoning_ms"), content = at(r, "first_content_ms");
    expect_equal(a, place, row, "time_to_first_output_ms", reasoning < content ? reasoning : content);
    expect_equal(a, place, row, "ttft_ms", content);
    expect_equal(a, place, row, "e2e_ms", at(r, "end_ms"));
}

/* A channel has chunks exactly when it has a first time. */
static void check_channels(struct audit *a, const char *place, const struct json_node *r, const struct json_node *told)
{
    static const char *const keys[][2] = {{"content_chunks", "first_content_ms"},
                                          {"reasoning_chunks", "first_reasoning_ms"}};
    for (size_t i = 0; i < 2; i++) {
        struct opt_u64 chunks = audit_count(told, keys[i][0]);
        if (chunks.has)
            audit_expect(a, (chunks.v > 0) == audit_is(r, keys[i][1], JSON_NUMBER), "%s.%s does not go with %llu %s",
                         place, keys[i][1], (unsigned long long)chunks.v, keys[i][0]);
    }
}

/* Of results that name no policy: the error_type comes first, and none twice. */
static bool reasons_are_good(const struct json_node *reasons, const struct json_node *type)
{
    for (const struct json_node *n = reasons->child; n; n = n->next) {
        if (n->type != JSON_STRING || reasons->children > 64)
            return false;
        for (const struct json_node *m = n->next; m; m = m->next)
            if (m->type == JSON_STRING && tt_view_equal(m->text, (const char *)n->text.p))
                return false;
    }
    return reasons->child && tt_view_equal(reasons->child->text, (const char *)type->text.p);
}

static void check_reasons(struct audit *a, const char *place, const struct json_node *r, const struct json_node *f)
{
    const struct json_node *reasons = json_node_get(r, "reasons"), *type = json_node_get(f, "error_type");
    const struct json_node *metadata = json_node_get(f, "response_metadata");
    char inner[AUDIT_PLACE_BYTES + 40];
    if (reasons && a->names_policy)
        audit_reasons(a, place, reasons, f);
    else if (reasons && !f)
        audit_expect(a, reasons->children == 0, "%s.reasons is not empty, although it succeeded", place);
    else if (reasons && type && type->type == JSON_STRING)
        audit_expect(a, reasons_are_good(reasons, type), "%s.reasons does not begin with its error_type %.60s", place,
                     (const char *)type->text.p);
    snprintf(inner, sizeof inner, "%s.finish_reasons", place);
    audit_expect_same(a, inner, json_node_get(r, "finish_reasons"), "response_metadata",
                      json_node_get(metadata, "finish_reasons"));
    snprintf(inner, sizeof inner, "%s.stream_terminal_observed", place);
    audit_expect_same(a, inner, json_node_get(r, "stream_terminal_observed"), "response_metadata",
                      json_node_get(metadata, "stream_terminal_observed"));
}

/* The complete text and the capture are one and the same where nothing was cut. */
static void check_full(struct audit *a, const char *place, const struct json_node *r, const struct json_node *told,
                       const char *full, const char *key)
{
    const struct json_node *seen = json_node_get(r, full), *capture = json_node_get(told, key);
    char x[AUDIT_PLACE_BYTES + 60];
    if (!audit_true(capture, "capture_complete") || !seen || seen->children > 16)
        return;
    for (const struct json_node *n = seen->child; n; n = n->next) {
        snprintf(x, sizeof x, "%s.%s.%.30s", place, full, (const char *)n->key.p);
        audit_expect_same(a, x, n, key, json_node_get(capture, (const char *)n->key.p));
    }
}

/* Each request of the trace with its row or its failure; all three lists ascend. */
void audit_trace_rows(struct audit *a)
{
    const struct json_node *requests = json_node_get(a->trace, "requests");
    const struct json_node *row = a->rows->child, *f = a->failures ? a->failures->child : NULL;
    char place[AUDIT_PLACE_BYTES], other[AUDIT_PLACE_BYTES];
    size_t i = 0, row_at = 0;
    for (const struct json_node *r = requests ? requests->child : NULL; r; r = r->next, i++) {
        bool is_row = row && audit_count(row, "request_index").v == i;
        bool is_failure = f && audit_count(f, "request_index").v == i;
        audit_place(place, "trace.requests", i);
        if (is_row)
            check_row(a, audit_place(other, "request_timings", row_at), row, r);
        if (is_row != is_failure) {
            audit_answer(a, place, r, is_row ? row : f, is_row);
            check_reasons(a, place, r, is_failure ? f : NULL);
            check_channels(a, place, r, is_row ? row : json_node_get(f, "response_metadata"));
            check_full(a, place, r, is_row ? row : f, "canary_full", "request_canary");
            check_full(a, place, r, is_row ? row : f, "controlled_full", "controlled_output");
        }
        row = is_row ? row->next : row;
        row_at += is_row;
        f = is_failure ? f->next : f;
    }
}

static void expect_order(struct audit *a, const char *place, const struct json_node *r, const char *early,
                         const char *late)
{
    struct opt_double x = audit_double(r, early), y = audit_double(r, late);
    if (x.has && y.has)
        audit_expect(a, x.v <= y.v, "%s: %s %.9g is after %s %.9g", place, early, x.v, late, y.v);
}

static void expect_both(struct audit *a, const char *place, const struct json_node *r, const char *x, const char *y)
{
    audit_expect(a, audit_is(r, x, JSON_NUMBER) == audit_is(r, y, JSON_NUMBER), "%s has one of %s and %s", place, x, y);
}

static void check_request_times(struct audit *a, const char *place, const struct json_node *r, double wall)
{
    static const char *const pairs[][2] = {
        {"upload_ms", "headers_ms"},
        {"headers_ms", "first_byte_ms"},
        {"first_byte_ms", "first_reasoning_ms"},
        {"first_byte_ms", "first_content_ms"},
        {"first_byte_ms", "role_ms"},
        {"first_byte_ms", "finish_ms"},
        {"first_byte_ms", "usage_ms"},
        {"first_byte_ms", "done_ms"},
        {"role_ms", "end_ms"},
        {"first_reasoning_ms", "last_reasoning_ms"},
        {"first_content_ms", "last_content_ms"},
        {"last_reasoning_ms", "end_ms"},
        {"last_content_ms", "end_ms"},
        {"finish_ms", "end_ms"},
        {"usage_ms", "end_ms"},
        {"done_ms", "end_ms"},
        {"first_byte_ms", "end_ms"},
    };
    struct opt_double after = audit_double(r, "ttfo_after_upload_ms"), upload = audit_double(r, "upload_ms"),
                      start = audit_double(r, "start_offset_ms"), end = audit_double(r, "end_ms");
    const struct json_node *reasons = json_node_get(r, "finish_reasons");
    double reasoning = at(r, "first_reasoning_ms"), content = at(r, "first_content_ms"),
           output = reasoning < content ? reasoning : content;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_order(a, place, r, pairs[i][0], pairs[i][1]);
    expect_both(a, place, r, "first_reasoning_ms", "last_reasoning_ms");
    expect_both(a, place, r, "first_content_ms", "last_content_ms");
    if (after.has && upload.has && isfinite(output))
        audit_expect(a, llround(after.v * 1e6) == llround(output * 1e6) - llround(upload.v * 1e6),
                     "%s.ttfo_after_upload_ms %.9g is not the first output %.9g less upload_ms %.9g", place, after.v,
                     output, upload.v);
    if (start.has && end.has)
        audit_expect(a, llround((start.v + end.v) * 1e6) <= llround(wall * 1e6),
                     "%s begins at %.9g and takes %.9g ms, longer than the run, %.9g", place, start.v, end.v, wall);
    bool finished = reasons && reasons->children > 0;
    audit_expect(a, finished == audit_is(r, "finish_ms", JSON_NUMBER), "%s.finish_ms does not go with finish_reasons",
                 place);
    audit_expect(a, audit_true(r, "stream_terminal_observed") == (audit_is(r, "done_ms", JSON_NUMBER) || finished),
                 "%s.stream_terminal_observed does not go with done_ms and finish_reasons", place);
}

void audit_trace_times(struct audit *a)
{
    const struct json_node *requests = json_node_get(a->trace, "requests");
    struct opt_double wall = audit_double(a->root, "wall_clock_ms");
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    for (const struct json_node *r = requests && wall.has ? requests->child : NULL; r; r = r->next, i++)
        check_request_times(a, audit_place(place, "trace.requests", i), r, wall.v);
}

static void check_hex(struct audit *a, const struct json_node *tape, const char *key, size_t digits)
{
    const struct json_node *n = json_node_get(tape, key);
    if (n && n->type == JSON_STRING)
        audit_expect(a, n->text.n == digits && strspn((const char *)n->text.p, "0123456789abcdef") == digits,
                     "trace.tape.%s is not %zu hex digits", key, digits);
}

static void expect_at_most(struct audit *a, const struct json_node *object, const char *key, const char *limit)
{
    struct opt_u64 x = audit_count(object, key), y = audit_count(object, limit);
    if (x.has && y.has)
        audit_expect(a, x.v <= y.v, "trace.tape.%s %llu is more than %s %llu", key, (unsigned long long)x.v, limit,
                     (unsigned long long)y.v);
}

void audit_trace_tape(struct audit *a)
{
    const struct json_node *tape = json_node_get(a->trace, "tape");
    struct opt_u64 blocks = audit_count(tape, "blocks"), bytes = audit_count(tape, "bytes");
    bool known = false;
    check_hex(a, tape, "head", 64);
    check_hex(a, tape, "id", 32);
    for (enum reader_state s = READER_WRITING; s <= READER_EDITED; s++)
        known = known || audit_text_is(tape, "state", reader_state_name(s));
    audit_expect(a, known, "trace.tape.state is none of a tape");
    expect_at_most(a, tape, "events_sharing_a_read", "events");
    expect_at_most(a, tape, "payloads_not_json", "events");
    if (blocks.has && bytes.has) /* FORMAT.md: FILE takes 80 bytes, the header of a block 100 */
        audit_expect(a, bytes.v >= 80 && (bytes.v - 80) / 100 >= blocks.v, "trace.tape: %llu blocks in %llu bytes",
                     (unsigned long long)blocks.v, (unsigned long long)bytes.v);
}

static uint64_t count_answered(const struct json_node *requests)
{
    uint64_t n = 0;
    for (const struct json_node *r = requests ? requests->child : NULL; r; r = r->next)
        n += audit_is(r, "headers_ms", JSON_NUMBER);
    return n;
}

/* An answer needs a connection, and each request has one at the most. */
void audit_trace_connections(struct audit *a)
{
    static const char *const modes[] = {"fresh", "reuse", "warm", NULL},
                             *const endpoints[] = {"chat", "completions", NULL},
                             *const ways[] = {"direct", "proxy", "unix_socket", NULL};
    const struct json_node *c = json_node_get(a->trace, "connections"), *url = json_node_get(a->root, "base_url");
    struct opt_u64 fresh = audit_count(c, "fresh"), reused = audit_count(c, "reused"), tls = audit_count(c, "tls");
    uint64_t answered = count_answered(json_node_get(a->trace, "requests")), all = fresh.v + reused.v;
    audit_expect_word(a, "trace.connections", c, "mode", modes);
    audit_expect_word(a, "trace.connections", c, "endpoint", endpoints);
    audit_expect_word(a, "trace.connections", c, "via", ways);
    if (!fresh.has || !reused.has || !tls.has || fresh.v > UINT32_MAX || reused.v > UINT32_MAX)
        return;
    audit_expect(a, all >= answered && all <= a->requests,
                 "trace.connections has %llu fresh and %llu reused for %llu requests, %llu answered",
                 (unsigned long long)fresh.v, (unsigned long long)reused.v, (unsigned long long)a->requests,
                 (unsigned long long)answered);
    audit_expect(a, tls.v <= all, "trace.connections.tls %llu is more than all %llu", (unsigned long long)tls.v,
                 (unsigned long long)all);
    if (audit_text_is(c, "mode", "fresh"))
        audit_expect(a, reused.v == 0, "trace.connections.reused is %llu, although each had to be fresh",
                     (unsigned long long)reused.v);
    if (url && url->type == JSON_STRING && strncmp((const char *)url->text.p, "http:", 5) == 0)
        audit_expect(a, tls.v == 0, "trace.connections.tls is %llu with an http base_url", (unsigned long long)tls.v);
}
