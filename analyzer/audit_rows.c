/* The rows: what follows from their own times and counts. */
#include <math.h>

#include "audit_parts.h"

#define KEY_FIRST "time_to_first_output_ms"

static void check_formulas(struct audit *a, const char *place, const struct json_node *node, bool success)
{
    struct row row;
    struct tt_error err = {0};
    (void)success;
    if (artifact_read_row(&row, node, place, &err) != TT_OK) {
        audit_cannot(a, "%s", err.line);
        return;
    }
    audit_expect_double(a, place, node, "generation_ms", (struct opt_double){true, row.generation_ms});
    audit_expect_double(a, place, node, "visible_generation_ms", (struct opt_double){true, row.visible_generation_ms});
    audit_expect_double(a, place, node, "effective_prefill_tok_s", row.effective_prefill_tok_s);
    audit_expect_double(a, place, node, "decode_tok_s", row.decode_tok_s);
    audit_expect_double(a, place, node, "mean_inter_token_latency_ms", row.time_per_output_token_ms);
    audit_expect_double(a, place, node, "mean_time_per_output_token_ms", row.time_per_output_token_ms);
    audit_expect_double(a, place, node, "tpot_ms", row.time_per_output_token_ms);
}

void audit_rows_formulas(struct audit *a)
{
    audit_each_timing(a, check_formulas);
}

static void check_times(struct audit *a, const char *place, const struct json_node *row, bool success)
{
    struct opt_double first = audit_double(row, KEY_FIRST), ttft = audit_double(row, "ttft_ms"),
                      e2e = audit_double(row, "e2e_ms"), wall = audit_double(a->root, "wall_clock_ms");
    (void)success;
    if (!ttft.has || !e2e.has)
        return;
    if (!first.has)
        first = ttft;
    audit_expect(a, first.v >= 0 && first.v <= ttft.v && ttft.v <= e2e.v,
                 "%s: first output %.9g, content %.9g and end %.9g ms are not in that order", place, first.v, ttft.v,
                 e2e.v);
    /* Another program reads its clock twice for one delta. */
    if (a->ours && audit_count(row, "reasoning_chunks").has && audit_count(row, "reasoning_chunks").v == 0)
        audit_expect(a, first.v == ttft.v, "%s: without reasoning the first output (%.9g ms) is content (%.9g ms)",
                     place, first.v, ttft.v);
    audit_expect(a, !wall.has || e2e.v <= wall.v, "%s.e2e_ms %.9g is longer than the run, %.9g ms", place, e2e.v,
                 wall.v);
}

/* No more than `concurrency` requests at a time: their lengths fill that many lanes at most. */
void audit_rows_times(struct audit *a)
{
    struct opt_double wall = audit_double(a->root, "wall_clock_ms");
    struct opt_u64 lanes = audit_count(a->root, "concurrency");
    double sum = 0;
    audit_each_timing(a, check_times);
    for (const struct json_node *row = a->rows->child; row; row = row->next)
        sum += audit_double(row, "e2e_ms").v;
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next)
        sum += audit_double(f, "elapsed_ms").v;
    if (wall.has && lanes.has)
        audit_expect(a, sum <= wall.v * (double)lanes.v * (1 + 1e-9),
                     "the requests took %.9g ms together, more than %llu at a time can in %.9g ms", sum,
                     (unsigned long long)lanes.v, wall.v);
}

static void check_tokens(struct audit *a, const char *place, const struct json_node *row, bool success)
{
    bool usage = audit_text_is(row, "output_token_source", "usage");
    (void)success;
    audit_expect(a, usage || audit_text_is(row, "output_token_source", "content_chunks"),
                 "%s.output_token_source is neither usage nor content_chunks", place);
    audit_expect(a, audit_count(row, "output_tokens").has == usage,
                 usage ? "%s.output_tokens is null, although its source is usage"
                       : "%s.output_tokens is given, although its source is content_chunks",
                 place);
}

void audit_rows_tokens(struct audit *a)
{
    audit_each_timing(a, check_tokens);
}

static void check_capture(struct audit *a, const char *place, const struct json_node *row, const char *key)
{
    const struct json_node *seen = json_node_get(row, key);
    if (seen && seen->type == JSON_OBJECT_BEGIN)
        audit_expect(a, audit_true(seen, "capture_complete") != audit_true(row, "visible_content_truncated"),
                     "%s: %s.capture_complete contradicts visible_content_truncated", place, key);
}

/* A row is a success: it has content, and passed what the run asked for. */
static void check_success(struct audit *a, const char *place, const struct json_node *row, bool success)
{
    bool strict = audit_text_is(a->root, "controlled_output_policy", "strict");
    if (audit_count(row, "content_chunks").has)
        audit_expect(a, audit_count(row, "content_chunks").v > 0, "%s: no content chunk, so no visible output", place);
    check_capture(a, place, row, "request_canary");
    check_capture(a, place, row, "controlled_output");
    if (!success || a->generation < ARTIFACT_MODERN)
        return;
    if (audit_canaries_count(a) && audit_true(a->root, "request_canaries"))
        audit_expect(a, audit_true(json_node_get(row, "request_canary"), "passed"),
                     "%s stands among the successes, its canary has not passed", place);
    if (strict && audit_words_count(a))
        audit_expect(a, audit_true(json_node_get(row, "controlled_output"), "passed"),
                     "%s stands among the successes, its controlled output has not passed", place);
}

void audit_rows_success(struct audit *a)
{
    audit_each_timing(a, check_success);
    if (a->rows->children == 0)
        audit_cannot(a, "no request succeeded");
}

/* Each time was a whole number of nanoseconds (of microseconds: libcurl's timers), divided once. */
static void check_whole(struct audit *a, const char *place, const struct json_node *object, const char *key,
                        double in_a_ms)
{
    struct opt_double ms = audit_double(object, key);
    if (ms.has && ms.v >= 0 && ms.v < 9e9)
        audit_expect(a, (double)llround(ms.v * in_a_ms) / in_a_ms == ms.v, "%s%s%s %.17g is no whole number of %s",
                     place, place[0] ? "." : "", key, ms.v, in_a_ms == 1e6 ? "nanoseconds" : "microseconds");
}

static void check_nanoseconds(struct audit *a, const char *place, const struct json_node *object, const char *key)
{
    check_whole(a, place, object, key, 1e6);
}

static void check_row_nanoseconds(struct audit *a, const char *place, const struct json_node *row, bool success)
{
    (void)success;
    check_nanoseconds(a, place, row, KEY_FIRST);
    check_nanoseconds(a, place, row, "ttft_ms");
    check_nanoseconds(a, place, row, "e2e_ms");
}

void audit_rows_nanoseconds(struct audit *a)
{
    static const char *const keys[] = {"done_ms",       "end_ms",           "finish_ms",
                                       "first_byte_ms", "first_content_ms", "first_reasoning_ms",
                                       "headers_ms",    "last_content_ms",  "last_reasoning_ms",
                                       "role_ms",       "start_offset_ms",  "ttfo_after_upload_ms",
                                       "upload_ms",     "usage_ms"};
    const struct json_node *requests = json_node_get(a->trace, "requests");
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    check_nanoseconds(a, "", a->root, "wall_clock_ms");
    audit_each_timing(a, check_row_nanoseconds);
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next, i++)
        check_nanoseconds(a, audit_place(place, "failures", i), f, "elapsed_ms");
    i = 0;
    for (const struct json_node *r = requests ? requests->child : NULL; r; r = r->next, i++) {
        audit_place(place, "trace.requests", i);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            check_nanoseconds(a, place, r, keys[k]);
        check_whole(a, place, r, "connect_ms", 1e3);
        check_whole(a, place, r, "tls_ms", 1e3);
    }
}

/* A run in which no success streamed reasoning is capacity-v3, whatever its failures did. */
void audit_protocol(struct audit *a)
{
    uint64_t reasoning = 0;
    for (const struct json_node *row = a->rows->child; row; row = row->next)
        reasoning += audit_count(row, "reasoning_chunks").v;
    audit_expect_text(a, "", a->root, "measurement_protocol", reasoning > 0 ? "capacity-v4-reasoning" : "capacity-v3");
}
