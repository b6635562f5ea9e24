/* One request of the trace with what its row or its failure says of the answer. */
#include <stdio.h>
#include <string.h>

#include "audit_parts.h"

/* Everything that is told as a time since START. */
static const char *const times[] = {
    "connect_ms",           "done_ms",    "end_ms",          "finish_ms",         "first_byte_ms", "first_content_ms",
    "first_reasoning_ms",   "headers_ms", "last_content_ms", "last_reasoning_ms", "role_ms",       "tls_ms",
    "ttfo_after_upload_ms", "upload_ms",  "usage_ms"};

enum { TIMES = sizeof times / sizeof *times };

/* Nothing happens before its START; what was never started has no times at all. */
static void check_start(struct audit *a, const char *place, const struct json_node *r)
{
    bool started = audit_is(r, "start_offset_ms", JSON_NUMBER);
    for (size_t i = 0; i < TIMES; i++) {
        struct opt_double t = audit_double(r, times[i]);
        if (t.has)
            audit_expect(a, started && t.v >= 0, "%s.%s is %.9g of a request that %s", place, times[i], t.v,
                         started ? "began at 0" : "was never started");
    }
    struct opt_double start = audit_double(r, "start_offset_ms");
    audit_expect(a, !start.has || start.v >= 0, "%s.start_offset_ms %.9g is before the run", place, start.v);
}

/* A call is not over before the last thing in it. */
static void check_elapsed(struct audit *a, const char *place, const struct json_node *r, const struct json_node *f)
{
    struct opt_double elapsed = audit_double(f, "elapsed_ms");
    if (!elapsed.has)
        return;
    for (size_t i = 0; i < TIMES; i++) {
        struct opt_double t = audit_double(r, times[i]);
        if (t.has)
            audit_expect(a, t.v <= elapsed.v, "%s.%s %.9g is after the end of the call, elapsed_ms %.9g", place,
                         times[i], t.v, elapsed.v);
    }
    audit_expect(a, elapsed.v == 0 || audit_is(r, "start_offset_ms", JSON_NUMBER),
                 "%s was never started, but took elapsed_ms %.9g", place, elapsed.v);
}

/* Bytes come behind a head, and what they mean behind the first of them. */
static void check_arrival(struct audit *a, const char *place, const struct json_node *r, bool received)
{
    const struct json_node *tape = json_node_get(a->trace, "tape");
    struct opt_u64 lost = audit_count(tape, "lost_reads");
    if (!audit_text_is(tape, "state", "complete") || !lost.has || lost.v > 0)
        return; /* a head may be what is missing */
    audit_expect(a, !received || audit_is(r, "headers_ms", JSON_NUMBER), "%s.headers_ms is null, with a response",
                 place);
    audit_expect(a, !audit_is(r, "first_byte_ms", JSON_NUMBER) || audit_is(r, "headers_ms", JSON_NUMBER),
                 "%s.headers_ms is null, with bytes behind it", place);
}

static void check_meaning(struct audit *a, const char *place, const struct json_node *r)
{
    static const char *const events[] = {"done_ms", "finish_ms", "first_content_ms", "first_reasoning_ms",
                                         "role_ms", "usage_ms"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        audit_expect(a, !audit_is(r, events[i], JSON_NUMBER) || audit_is(r, "first_byte_ms", JSON_NUMBER),
                     "%s.first_byte_ms is null, but there is %s", place, events[i]);
    if (audit_is(r, "done_ms", JSON_NUMBER)) /* the answer ends with it */
        audit_expect_double(a, place, r, "end_ms", audit_double(r, "done_ms"));
}

/* The first output less the upload, where both are and stand in that order. */
static void check_after_upload(struct audit *a, const char *place, const struct json_node *r)
{
    struct opt_double upload = audit_double(r, "upload_ms"), output = audit_double(r, "first_reasoning_ms"),
                      content = audit_double(r, "first_content_ms");
    if (!output.has || (content.has && content.v < output.v))
        output = content;
    bool both = upload.has && output.has && upload.v <= output.v;
    audit_expect(a, both == audit_is(r, "ttfo_after_upload_ms", JSON_NUMBER),
                 "%s.ttfo_after_upload_ms does not go with upload_ms and the first output", place);
}

/* What a usage object says was told when it came. */
static void check_usage(struct audit *a, const char *place, const struct json_node *r, const struct json_node *told,
                        const struct json_node *usage)
{
    bool counted = audit_is(r, "cached_tokens", JSON_NUMBER) || audit_is(r, "reasoning_tokens", JSON_NUMBER) ||
                   audit_is(told, "prompt_tokens", JSON_NUMBER) || audit_is(told, "output_tokens", JSON_NUMBER) ||
                   (usage && usage->children > 0);
    audit_expect(a, !counted || audit_is(r, "usage_ms", JSON_NUMBER), "%s.usage_ms is null, but tokens are counted",
                 place);
}

/* One chunk is the first and the last. */
static void check_single(struct audit *a, const char *place, const struct json_node *r, const struct json_node *told)
{
    static const char *const keys[][3] = {{"content_chunks", "first_content_ms", "last_content_ms"},
                                          {"reasoning_chunks", "first_reasoning_ms", "last_reasoning_ms"}};
    for (size_t i = 0; i < 2; i++)
        if (audit_count(told, keys[i][0]).v == 1)
            audit_expect_double(a, place, r, keys[i][2], audit_double(r, keys[i][1]));
}

/* Where no content came, nothing was seen in it. */
static void check_silence(struct audit *a, const char *place, const struct json_node *seen, const char *name)
{
    static const char *const counts[] = {"foreign_marker_count", "observed_marker_count", "observed_code_words",
                                         "observed_extra_words"};
    char inner[AUDIT_PLACE_BYTES + 40];
    snprintf(inner, sizeof inner, "%s: %s", place, name);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (json_node_get(seen, counts[i]))
            audit_expect_count(a, inner, seen, counts[i], 0);
    if (json_node_get(seen, "marker_at_start"))
        audit_expect_bool(a, inner, seen, "marker_at_start", false);
}

void audit_answer(struct audit *a, const char *place, const struct json_node *r, const struct json_node *told,
                  bool is_row)
{
    const struct json_node *metadata = is_row ? told : json_node_get(told, "response_metadata");
    struct opt_u64 content = audit_count(metadata, "content_chunks");
    check_start(a, place, r);
    if (!is_row)
        check_elapsed(a, place, r, told);
    check_arrival(a, place, r, is_row || audit_true(told, "response_received"));
    check_meaning(a, place, r);
    check_after_upload(a, place, r);
    check_usage(a, place, r, told, json_node_get(metadata, "usage"));
    check_single(a, place, r, metadata);
    if (!content.has || content.v > 0)
        return;
    check_silence(a, place, json_node_get(r, "canary_full"), "canary_full");
    check_silence(a, place, json_node_get(r, "controlled_full"), "controlled_full");
    check_silence(a, place, json_node_get(told, "request_canary"), "request_canary");
    check_silence(a, place, json_node_get(told, "controlled_output"), "controlled_output");
}
