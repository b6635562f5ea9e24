/* Failures: each class with what it brings along, and the timing with the metadata. */
#include <stdio.h>

#include "audit_parts.h"
#include "reason.h"
#include "result.h"

#define MESSAGE_CHARS 2048u

enum failure_class audit_class_of(const struct json_node *f)
{
    for (enum failure_class c = FAILURE_REQUEST_ERROR; c <= FAILURE_RUNNER_ERROR; c++)
        if (audit_text_is(f, "failure_class", result_failure_class_name(c)))
            return c;
    return FAILURE_NONE;
}

static void check_message(struct audit *a, const char *place, const struct json_node *f)
{
    const struct json_node *message = json_node_get(f, "error_message");
    if (a->generation >= ARTIFACT_MODERN || json_node_get(f, "error_message_truncated"))
        audit_expect(a, message != NULL, "%s.error_message is missing", place);
    if (!message || message->type != JSON_STRING)
        return;
    size_t chars = 0;
    for (size_t i = 0; i < message->text.n; i++)
        chars += (message->text.p[i] & 0xc0) != 0x80;
    audit_expect(a, chars > 0 && chars <= MESSAGE_CHARS, "%s.error_message has %zu characters", place, chars);
    audit_expect(a, chars == MESSAGE_CHARS || !audit_true(f, "error_message_truncated"),
                 "%s.error_message_truncated is true of %zu characters", place, chars);
    audit_expect(a, json_node_get(f, "error_message_truncated") != NULL, "%s.error_message_truncated is missing",
                 place);
}

/* Observed are answers that came as far as that: with this program every one. */
static void check_observed(struct audit *a, const char *place, const struct json_node *f, const char *key, bool asked)
{
    bool answer = json_node_get(f, "response_metadata") != NULL;
    audit_expect(a, (json_node_get(f, key) != NULL) == (asked && answer), "%s.%s %s", place, key,
                 asked && answer ? "is missing" : "is there, although nothing asked for it or nothing came");
}

bool audit_class_fits(const struct reason_entry *e, enum failure_class class, const struct json_node *failure)
{
    bool no_answer = e->class == FAILURE_STREAM_VALIDATION && !e->phase && !audit_true(failure, "response_received");
    return class == (no_answer ? FAILURE_REQUEST_ERROR : e->class);
}

/* This program's error_type stands in one table, with its class; a message of its own never is cut. */
static void check_type(struct audit *a, const char *place, const struct json_node *f, enum failure_class class)
{
    bool known = false;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES && !known; code++) {
        const struct reason_entry *e = reason_describe((enum reason_code)code);
        known = audit_class_fits(e, class, f) && audit_text_is(f, "error_type", e->error_type);
    }
    audit_expect(a, known, "%s.error_type is none of its failure_class", place);
    audit_expect_bool(a, place, f, "error_message_truncated", false);
}

/* What a class says must be seen in what was observed. */
static void check_cause(struct audit *a, const char *place, const struct json_node *f, enum failure_class class)
{
    const struct json_node *canary = json_node_get(f, "request_canary"),
                           *controlled = json_node_get(f, "controlled_output");
    if (class == FAILURE_CANARY)
        audit_expect(a, canary && !audit_true(canary, "passed"), "%s failed for its canary, which passed or is missing",
                     place);
    if (class != FAILURE_CONTROLLED_OUTPUT)
        return;
    audit_expect(a, controlled && !audit_true(controlled, "passed"),
                 "%s failed for its controlled output, which passed or is missing", place);
    audit_expect(a, !canary || audit_true(canary, "passed") || !audit_canaries_count(a),
                 "%s failed for its controlled output, but its canary did first", place);
    audit_expect(a, audit_text_is(a->root, "controlled_output_policy", "strict"),
                 "%s failed for its controlled output, which the run only observed", place);
}

/* Metadata and timing come with a response and only then. */
static void check_parts(struct audit *a, const char *place, const struct json_node *f, enum failure_class class)
{
    bool received = audit_true(f, "response_received"),
         late = class == FAILURE_STREAM_VALIDATION || class == FAILURE_CANARY || class == FAILURE_CONTROLLED_OUTPUT;
    audit_expect(a, received || !late, "%s judges an answer, but response_received is false", place);
    audit_expect(a, !received || a->ours || late, "%s is a %s, but response_received is true", place,
                 result_failure_class_name(class));
    audit_expect(a, audit_is(f, "response_metadata", JSON_OBJECT_BEGIN) == received, "%s.response_metadata %s", place,
                 received ? "is missing, although there was a response" : "is there, without a response");
    audit_expect(a, (json_node_get(f, "response_timing") != NULL) == received, "%s.response_timing %s", place,
                 received ? "is missing, although there was a response" : "is there, without a response");
    if (class != FAILURE_RUNNER_ERROR || a->ours) { /* another program's runner knows neither */
        audit_expect(a, json_node_get(f, "elapsed_ms") != NULL, "%s.elapsed_ms is missing", place);
        audit_expect(a, json_node_get(f, "planned_context_tokens") != NULL, "%s.planned_context_tokens is missing",
                     place);
    }
    audit_expect_bool(a, place, f, "performance_eligible", false);
}

/* No failure is what can be said of all of them, then. */
static void check_none(struct audit *a)
{
    if (a->failures && a->failures->children == 0)
        audit_expect_count(a, "", a->root, "failed", 0);
}

void audit_failures_class(struct audit *a)
{
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    check_none(a);
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next, i++) {
        enum failure_class class = audit_class_of(f);
        audit_place(place, "failures", i);
        check_message(a, place, f);
        if (a->generation < ARTIFACT_MODERN)
            continue;
        if (!audit_expect(a, class != FAILURE_NONE, "%s.failure_class is none that there is", place))
            continue;
        check_parts(a, place, f, class);
        check_cause(a, place, f, class);
        if (a->ours)
            check_type(a, place, f, class);
        if (!a->ours && class != FAILURE_CANARY && class != FAILURE_CONTROLLED_OUTPUT)
            continue;
        check_observed(a, place, f, "request_canary", audit_true(a->root, "request_canaries"));
        check_observed(a, place, f, "controlled_output", audit_count(a->root, "response_words").v > 0);
    }
}

static void expect_usage(struct audit *a, const char *place, const struct json_node *timing, const char *key,
                         struct opt_u64 usage)
{
    if (usage.has)
        audit_expect_count(a, place, timing, key, usage.v);
    else
        audit_expect_text(a, place, timing, key, NULL);
}

/* A capture is complete exactly when it was not cut. */
static void check_capture(struct audit *a, const char *place, const struct json_node *f, const char *key)
{
    const struct json_node *seen = json_node_get(f, key), *metadata = json_node_get(f, "response_metadata");
    if (seen && metadata)
        audit_expect(a, audit_true(seen, "capture_complete") != audit_true(metadata, "visible_content_truncated"),
                     "%s.%s.capture_complete contradicts visible_content_truncated", place, key);
}

static void check_metadata(struct audit *a, const char *place, const struct json_node *metadata)
{
    const struct json_node *usage = json_node_get(metadata, "usage"),
                           *reasons = json_node_get(metadata, "finish_reasons");
    bool counted = audit_count(usage, "completion_tokens").has;
    audit_expect_text(a, place, metadata, "output_token_source", counted ? "usage" : "content_chunks");
    audit_expect(a, !reasons || reasons->children == 0 || audit_true(metadata, "stream_terminal_observed"),
                 "%s.stream_terminal_observed is false, although there is a finish reason", place);
}

/* One answer, told twice. */
static void check_timing(struct audit *a, const char *place, const struct json_node *f, const struct json_node *timing,
                         const struct json_node *metadata)
{
    static const char *const in_metadata[] = {"content_chunks", "output_token_source", "reasoning_chunks",
                                              "visible_content_truncated"};
    static const char *const in_failure[] = {"controlled_output", "planned_context_tokens", "request_canary",
                                             "request_index"};
    const struct json_node *usage = json_node_get(metadata, "usage");
    struct opt_double elapsed = audit_double(f, "elapsed_ms"), e2e = audit_double(timing, "e2e_ms");
    char inner[AUDIT_PLACE_BYTES + 20], x[AUDIT_PLACE_BYTES + 60], y[AUDIT_PLACE_BYTES + 60];
    snprintf(inner, sizeof inner, "%s.response_timing", place);
    for (size_t i = 0; i < sizeof in_metadata / sizeof *in_metadata; i++) {
        snprintf(x, sizeof x, "%s.%s", inner, in_metadata[i]);
        snprintf(y, sizeof y, "%s.response_metadata", place);
        audit_expect_same(a, x, json_node_get(timing, in_metadata[i]), y, json_node_get(metadata, in_metadata[i]));
    }
    for (size_t i = 0; i < sizeof in_failure / sizeof *in_failure; i++) {
        snprintf(x, sizeof x, "%s.%s", inner, in_failure[i]);
        audit_expect_same(a, x, json_node_get(timing, in_failure[i]), place, json_node_get(f, in_failure[i]));
    }
    expect_usage(a, inner, timing, "prompt_tokens", audit_count(usage, "prompt_tokens"));
    expect_usage(a, inner, timing, "output_tokens", audit_count(usage, "completion_tokens"));
    audit_expect(a, !elapsed.has || !e2e.has || elapsed.v >= e2e.v,
                 "%s.elapsed_ms %.9g is shorter than its e2e_ms %.9g", place, elapsed.v, e2e.v);
}

void audit_failures_timing(struct audit *a)
{
    struct opt_double wall = audit_double(a->root, "wall_clock_ms");
    char place[AUDIT_PLACE_BYTES], inner[AUDIT_PLACE_BYTES + 20];
    size_t i = 0;
    check_none(a);
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next, i++) {
        const struct json_node *timing = json_node_get(f, "response_timing"),
                               *metadata = json_node_get(f, "response_metadata");
        struct opt_double elapsed = audit_double(f, "elapsed_ms");
        audit_place(place, "failures", i);
        snprintf(inner, sizeof inner, "%s.response_metadata", place);
        if (metadata && metadata->type == JSON_OBJECT_BEGIN)
            check_metadata(a, inner, metadata);
        check_capture(a, place, f, "request_canary");
        check_capture(a, place, f, "controlled_output");
        if (timing && timing->type == JSON_OBJECT_BEGIN)
            check_timing(a, place, f, timing, metadata);
        if (elapsed.has && wall.has)
            audit_expect(a, elapsed.v >= 0 && elapsed.v <= wall.v, "%s.elapsed_ms %.9g is longer than the run, %.9g ms",
                         place, elapsed.v, wall.v);
    }
}
