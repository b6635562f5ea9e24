#include "analyzer_tapes.h"

#include "../analyzer/json_tree.h"
#include "../analyzer/trace.h"
#include "../analyzer/warnings.h"

struct traced {
    struct run *run;
    struct json_out *json;
    struct json_tree *tree;
    const struct json_node *root;
};

static struct traced trace_of(const char *path)
{
    struct traced t = {.run = load_judged(path), .json = json_out_create(2)};
    struct tt_error err;
    assert_non_null(t.json);
    assert_int_equal(trace_write(t.json, t.run), TT_OK);
    if (json_tree_parse(&t.tree, json_out_bytes(t.json), &err) != TT_OK)
        fail_msg("%s", err.line);
    t.root = json_tree_root(t.tree);
    return t;
}

static void traced_free(struct traced *t)
{
    json_tree_free(t->tree);
    json_out_free(t->json);
    run_free(t->run);
}

static const struct json_node *get(const struct json_node *n, const char *key)
{
    const struct json_node *v = json_node_get(n, key);
    if (!v)
        fail_msg("no key %s", key);
    return v;
}

static void is(const struct json_node *object, const char *key, const char *text)
{
    const struct json_node *v = get(object, key);
    bool same = v->type == JSON_NULL ? strcmp(text, "null") == 0
                : v->type == JSON_TRUE || v->type == JSON_FALSE
                    ? strcmp(text, v->type == JSON_TRUE ? "true" : "false") == 0
                    : tt_view_equal(v->text, text);
    if (!same)
        fail_msg("%s is %.*s, not %s", key, (int)v->text.n, (const char *)v->text.p, text);
}

static void make_tape(const char *path)
{
    struct maker_options options = {.requests = 3, .canaries = true, .response_words = 2};
    struct maker m = maker_begin(path, &options, true);
    put_answer(&m, 0, 1, DELTA("content", "ANVIL_REQ_0_00000 code code"));
    put_start(&m, 1, 3);
    put_head(&m, 1, 31);
    put_read(&m, 1, 33, ": ping\n\n" DELTA("content", "no marker") FINISH);
    put_done(&m, 1, 34);
    maker_finish(&m, 101);
}

static void test_every_key_is_there(void **state)
{
    (void)state;
    static const char *const keys[] = {"accounts", "analyzer_version", "connections",      "format_version", "overlap",
                                       "policy",   "prompt_generator", "recorder_version", "requests",       "tape",
                                       "timing",   "warnings"};
    static const char *const request_keys[] = {"client_error_e2e_ms",
                                               "client_error_start_ms",
                                               "client_error_ttfo_ms",
                                               "client_error_ttft_ms",
                                               "start_offset_ms",
                                               "connect_ms",
                                               "tls_ms",
                                               "upload_ms",
                                               "ttfo_after_upload_ms",
                                               "headers_ms",
                                               "role_ms",
                                               "first_reasoning_ms",
                                               "last_reasoning_ms",
                                               "first_content_ms",
                                               "last_content_ms",
                                               "usage_ms",
                                               "finish_ms",
                                               "done_ms",
                                               "end_ms",
                                               "finish_reasons",
                                               "stream_terminal_observed",
                                               "cached_tokens",
                                               "reasoning_tokens",
                                               "tool_call_chunks",
                                               "comments",
                                               "canary_full",
                                               "controlled_full",
                                               "foreign_markers_in_reasoning",
                                               "in_flight_at_start",
                                               "overlap_prefill_share",
                                               "reasons",
                                               "retry_after_s"};
    const char *path = tape_path("keys.tape");
    make_tape(path);
    struct traced t = trace_of(path);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        get(t.root, keys[i]);
    assert_int_equal(t.root->children, sizeof keys / sizeof keys[0]);
    const struct json_node *requests = get(t.root, "requests");
    assert_int_equal(requests->children, 3);
    for (const struct json_node *r = requests->child; r; r = r->next)
        for (size_t i = 0; i < sizeof request_keys / sizeof request_keys[0]; i++)
            get(r, request_keys[i]);
    traced_free(&t);
}

static void test_values(void **state)
{
    (void)state;
    const char *path = tape_path("values.tape");
    make_tape(path);
    struct traced t = trace_of(path);
    const struct json_node *first = get(t.root, "requests")->child, *second = first->next, *third = second->next;
    is(first, "start_offset_ms", "0.0");
    is(first, "upload_ms", "4.0");
    is(first, "ttfo_after_upload_ms", "16.0");
    is(first, "headers_ms", "10.0");
    is(first, "first_reasoning_ms", "20.0");
    is(first, "first_content_ms", "40.0");
    is(first, "done_ms", "60.0");
    is(first, "end_ms", "60.0");
    is(first, "role_ms", "null");
    is(first, "in_flight_at_start", "1");
    is(first, "overlap_prefill_share", "0.3"); /* 21..33 of 21..61 */
    is(get(first, "canary_full"), "passed", "true");
    is(get(first, "controlled_full"), "exact_adherence", "true");
    assert_int_equal(get(first, "reasons")->children, 1); /* it counts all the same */
    assert_true(tt_view_equal(get(first, "reasons")->child->text, "upload_above_1_percent_of_ttfo"));
    is(second, "start_offset_ms", "2.0");
    is(second, "comments", "1");
    is(second, "in_flight_at_start", "2");
    is(second, "upload_ms", "null");
    assert_true(tt_view_equal(get(second, "reasons")->child->text, "canary_failed"));
    is(third, "start_offset_ms", "null");
    is(third, "in_flight_at_start", "null");
    is(third, "canary_full", "null");
    assert_true(tt_view_equal(get(third, "reasons")->child->text, "not_sent"));
    is(get(t.root, "overlap"), "mean_in_flight", "0.92"); /* (61 + 31) / 100 */
    is(get(t.root, "overlap"), "max_in_flight", "2");
    is(get(t.root, "overlap"), "full_concurrency_share", "0.31");
    is(get(t.root, "tape"), "state", "complete");
    is(get(t.root, "tape"), "reads", "4");
    is(get(t.root, "tape"), "id", "07070707070707070707070707070707");
    is(get(t.root, "connections"), "http_version", "1.1");
    is(get(t.root, "connections"), "insecure", "false");
    is(get(t.root, "connections"), "via", "direct");
    is(t.root, "format_version", "1.1");
    is(get(t.root, "accounts"), "planned", "3");
    is(get(t.root, "accounts"), "succeeded", "1");
    is(get(t.root, "accounts"), "failed", "1");
    is(get(t.root, "accounts"), "cancelled", "0");
    is(get(t.root, "accounts"), "not_sent", "1");
    is(get(t.root, "accounts"), "hold", "true");
    traced_free(&t);
}

static uint64_t warning_count(const struct run *run, const char *code)
{
    struct warning warnings[WARNINGS_MAX];
    size_t n = warnings_collect(run, warnings);
    for (size_t i = 0; i < n; i++)
        if (strcmp(warnings[i].code, code) == 0)
            return warnings[i].count;
    return 0;
}

static void test_warnings(void **state)
{
    (void)state;
    const char *path = tape_path("warnings.tape");
    struct maker_options options = {.requests = 3};
    struct maker m = maker_begin(path, &options, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_start(&m, 1, 3);
    put_send(&m, 1, 4, 5);
    put_head(&m, 1, 6);
    put_read(&m, 1, 900, DELTA("content", "a") DELTA("content", "a") DELTA("content", "a") "data: junk\n\n");
    put_read(&m, 1, 901,
             "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":500,\"completion_tokens\":1.5,"
             "\"prompt_tokens_details\":{\"cached_tokens\":9}}}\n\n" FINISH "data: {}\n\n");
    put_done(&m, 1, 902);
    maker_finish(&m, 950);
    struct run *run = load_judged(path);
    assert_int_equal(warning_count(run, "cached_tokens_in_unique_mode"), 1);
    assert_int_equal(warning_count(run, "upload_above_1_percent_of_ttfo"), 1);
    assert_int_equal(warning_count(run, "prompt_tokens_far_from_plan"), 1);
    assert_int_equal(warning_count(run, "burst_delivery"), 1);
    assert_int_equal(warning_count(run, "payloads_not_json"), 1);
    assert_int_equal(warning_count(run, "usage_numbers_odd"), 1);
    assert_int_equal(warning_count(run, "usage_missing"), 1);
    assert_int_equal(warning_count(run, "events_after_done"), 1);
    assert_int_equal(warning_count(run, "p95_is_max"), 2);
    assert_int_equal(warning_count(run, "shared_prefix_fills_prompt"), 0);
    run_free(run);
    struct maker_options shared = {.requests = 1, .shared = true, .shared_prefix_tokens = 1000};
    m = maker_begin(path, &shared, true);
    maker_finish(&m, 5);
    run = load_judged(path);
    assert_int_equal(warning_count(run, "shared_prefix_fills_prompt"), 1);
    assert_int_equal(warning_count(run, "p95_is_max"), 0);
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_there),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_warnings),
    };
    return cmocka_run_group_tests_name("analyzer_trace", tests, tape_dir_make, tape_dir_remove);
}
