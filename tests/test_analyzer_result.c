#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/json_tree.h"
#include "../analyzer/result.h"
#include "../analyzer/result_parts.h"
#include "../analyzer/utc.h"

#define MS 1000000u
#define REQUESTS 8u

struct made {
    struct run run;
    struct request requests[REQUESTS];
    char markers[REQUESTS][24];
    char *finish[1];
};

static void fill_options(struct run_options *options)
{
    *options = (struct run_options){.base_url = "http://127.0.0.1:8000/v1",
                                    .model = "mock",
                                    .engine = "mock-engine",
                                    .gpu = "none",
                                    .context_seed = "0",
                                    .prompt_cache_mode = "unique",
                                    .controlled_output_policy = "strict",
                                    .thinking_mode = "enabled",
                                    .prompt_generator = "test",
                                    .connections = "fresh",
                                    .endpoint = "chat",
                                    .requests = REQUESTS,
                                    .concurrency = 4,
                                    .max_tokens = 2048,
                                    .response_words = 16,
                                    .margin = 1024,
                                    .context_tokens = 32768,
                                    .max_context_tokens = {true, 327680},
                                    .request_canaries = true,
                                    .timeout_s = 900,
                                    .chars_per_token = 3};
}

static void no_times(struct stream_facts *f)
{
    f->head_ns = f->first_byte_ns = f->last_byte_ns = f->role_ns = f->first_reasoning_ns = f->last_reasoning_ns =
        f->first_content_ns = f->last_content_ns = f->first_tool_call_ns = f->last_tool_call_ns = f->usage_ns =
            f->finish_ns = f->done_ns = f->error_ns = f->first_comment_ns = f->last_comment_ns = f->end_ns = TAPE_NONE;
}

static void fill_answer(struct made *made, struct request *r)
{
    struct stream_facts *f = &r->facts;
    f->head_seen = f->event_stream = f->has_content_type = f->body_complete = f->done_seen = true;
    f->http_status = 200;
    f->reasoning_chunks = 90;
    f->content_chunks = 25;
    f->usage = (struct usage_facts){
        .seen = true, .prompt_tokens = {true, 25279}, .completion_tokens = {true, 120}, .total_tokens = {true, 25399}};
    f->finish_reason_count = 1;
    f->finish_reasons = made->finish;
    f->first_reasoning_ns = r->start_ns + 500 * MS;
    f->first_content_ns = r->start_ns + 800 * MS;
    f->end_ns = r->start_ns + 1000 * MS;
    f->canary = (struct canary_facts){true, 1, 0, true, true};
    f->controlled = (struct controlled_facts){16, 0, true, true, ADHERENCE_YES};
    f->canary_full = f->canary;
    f->controlled_full = f->controlled;
    r->verdict.response_received = r->verdict.has_metadata = r->verdict.has_timing = true;
}

static void fill_request(struct made *made, size_t i)
{
    struct request *r = &made->requests[i];
    snprintf(made->markers[i], sizeof made->markers[i], "ANVIL_REQ_0_%05zu", i);
    *r = (struct request){.number = i,
                          .context_tokens = 32768,
                          .body_bytes = 1000,
                          .marker = made->markers[i],
                          .planned = true,
                          .start_ns = (uint64_t)(10 + i) * MS,
                          .http_version = "1.1",
                          .done_reason = "complete",
                          .http_status = 200,
                          .has_facts = true};
    r->conn_ns = r->send_first_ns = r->send_last_ns = r->start_ns + MS;
    r->last_ns = r->done_ns = r->start_ns + 1001 * MS;
    no_times(&r->facts);
    fill_answer(made, r);
}

/* A run in which everything succeeds, of the seed's shape. */
static void make(struct made *made)
{
    memset(made, 0, sizeof *made);
    made->finish[0] = "stop";
    fill_options(&made->run.options);
    made->run.tape.state = READER_COMPLETE;
    made->run.tape.has_end = true;
    made->run.recorder_version = "0.1.0";
    made->run.has_run_start = true;
    made->run.run_start_ns = 5 * MS;
    made->run.run_end_ns = 2005 * (uint64_t)MS + 123456;
    made->run.last_time_ns = 2006 * (uint64_t)MS;
    made->run.run_start_realtime_ns = 1790043514969457888u;
    made->run.run_end_realtime_ns = 1790043562853709461u;
    made->run.end_reason = "complete";
    made->run.count = REQUESTS;
    made->run.requests = made->requests;
    for (size_t i = 0; i < REQUESTS; i++)
        fill_request(made, i);
}

static void judge(struct request *r, enum failure_class failure, const char *type, const char *message, bool received,
                  bool metadata, bool timing)
{
    r->verdict = (struct verdict){.failure = failure,
                                  .error_type = type,
                                  .response_received = received,
                                  .has_metadata = metadata,
                                  .has_timing = timing};
    snprintf(r->verdict.message, sizeof r->verdict.message, "%s", message);
}

static struct json_tree *write_tree(const struct run *run, bool schema_exact)
{
    struct json_out *o = json_out_create(2);
    struct result_options options = {schema_exact};
    struct json_tree *tree = NULL;
    struct tt_error err = {0};
    if (result_write(run, &options, o, &err) != TT_OK)
        fail_msg("%s", err.line);
    struct tt_view text = json_out_bytes(o);
    assert_true(text.n > 2 && text.p[text.n - 1] == '\n' && text.p[text.n - 2] == '}');
    if (json_tree_parse(&tree, text, &err) != TT_OK)
        fail_msg("%s", err.line);
    json_out_free(o);
    return tree;
}

static struct json_tree *load_seed(void)
{
    const char *folder = getenv("TOKENTAPE_FIXTURES");
    char path[1024];
    struct json_tree *tree = NULL;
    struct tt_error err = {0};
    snprintf(path, sizeof path, "%s/seed-capacity-artifact.json", folder ? folder : "fixtures");
    if (json_tree_load(&tree, path, 1u << 20, &err) != TT_OK)
        fail_msg("%s", err.line);
    return tree;
}

static const struct json_node *get(const struct json_tree *tree, const char *key)
{
    const struct json_node *node = json_node_get(json_tree_root(tree), key);
    if (!node)
        fail_msg("no key %s", key);
    return node;
}

static void expect_number(const struct json_node *object, const char *key, const char *text)
{
    const struct json_node *node = json_node_get(object, key);
    if (!node || node->type != JSON_NUMBER || !tt_view_equal(node->text, text))
        fail_msg("%s is %.*s, expected %s", key, node ? (int)node->text.n : 0, node ? (const char *)node->text.p : "",
                 text);
}

static void expect_text(const struct json_node *object, const char *key, const char *text)
{
    const struct json_node *node = json_node_get(object, key);
    if (!node || node->type != JSON_STRING || !tt_view_equal(node->text, text))
        fail_msg("%s is %.*s, expected %s", key, node ? (int)node->text.n : 0, node ? (const char *)node->text.p : "",
                 text);
}

static void expect_type(const struct json_node *object, const char *key, enum json_token type)
{
    const struct json_node *node = json_node_get(object, key);
    if (!node || node->type != type)
        fail_msg("%s has type %d, expected %d", key, node ? (int)node->type : -1, (int)type);
}

static bool same_kind(const struct json_node *a, const struct json_node *b)
{
    if (a->type == JSON_NUMBER && b->type == JSON_NUMBER)
        return json_number_is_integer(a->text) == json_number_is_integer(b->text);
    bool bools = (a->type == JSON_TRUE || a->type == JSON_FALSE) && (b->type == JSON_TRUE || b->type == JSON_FALSE);
    return bools || a->type == b->type;
}

/* Same keys, same types (integer and float apart), all the way down. */
static void expect_shape(const struct json_node *ours, const struct json_node *seeds, const char *where)
{
    if (!same_kind(ours, seeds))
        fail_msg("%s: type %d, the seed has %d", where, (int)ours->type, (int)seeds->type);
    if (seeds->type == JSON_OBJECT_BEGIN) {
        for (const struct json_node *child = seeds->child; child; child = child->next) {
            const struct json_node *other = json_node_get(ours, (const char *)child->key.p);
            if (!other)
                fail_msg("%s: no key %s", where, (const char *)child->key.p);
            expect_shape(other, child, (const char *)child->key.p);
        }
        if (ours->children != seeds->children)
            fail_msg("%s: %zu keys, the seed has %zu", where, ours->children, seeds->children);
    } else if (seeds->type == JSON_ARRAY_BEGIN) {
        assert_int_equal(ours->children, seeds->children);
        for (const struct json_node *a = ours->child, *b = seeds->child; a; a = a->next, b = b->next)
            expect_shape(a, b, where);
    }
}

static void shape_is_the_seeds(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    struct json_tree *ours = write_tree(&made.run, true), *seed = load_seed();
    assert_int_equal(json_tree_root(ours)->children, 41);
    assert_int_equal(get(ours, "metrics")->children, 159);
    expect_shape(json_tree_root(ours), json_tree_root(seed), "result");
    json_tree_free(ours);
    json_tree_free(seed);
}

static void sentences_are_the_seeds_but_for_the_clock(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    struct json_tree *ours = write_tree(&made.run, true), *seed = load_seed();
    const struct json_node *texts = get(ours, "timing_methodology");
    for (const struct json_node *s = get(seed, "timing_methodology")->child; s; s = s->next)
        if (!tt_view_equal(s->key, "clock") && !tt_view_equal(s->key, "artifact_timestamps"))
            expect_text(texts, (const char *)s->key.p, (const char *)s->text.p);
    expect_text(texts, "clock", "client CLOCK_MONOTONIC, read once per received buffer");
    const struct json_node *stamps = json_node_get(texts, "artifact_timestamps");
    assert_memory_equal(stamps->text.p, "CLOCK_REALTIME Unix timestamps;", 31);
    expect_text(get(ours, "metric_population"), "failure_policy",
                (const char *)json_node_get(get(seed, "metric_population"), "failure_policy")->text.p);
    expect_text(json_tree_root(ours), "timestamp_precision", (const char *)get(seed, "timestamp_precision")->text.p);
    json_tree_free(ours);
    json_tree_free(seed);
}

static void values_of_a_good_run(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    struct json_tree *tree = write_tree(&made.run, true);
    const struct json_node *root = json_tree_root(tree);
    expect_text(root, "run_id", "benchmark-20260922T021834Z");
    expect_text(root, "started_at", "2026-09-22T02:18:34Z");
    expect_text(root, "finished_at", "2026-09-22T02:19:22Z");
    expect_number(root, "started_at_unix_ns", "1790043514969457888");
    expect_number(root, "finished_at_unix_ns", "1790043562853709461");
    expect_number(root, "wall_clock_ms", "2000.123456");
    expect_number(root, "completed", "8");
    expect_number(root, "failed", "0");
    expect_number(root, "responses_received", "8");
    expect_number(root, "context_seed", "0");
    expect_text(root, "measurement_protocol", "capacity-v4-reasoning");
    expect_number(get(tree, "context_distribution"), "32768", "8");
    expect_number(get(tree, "metrics"), "output_tokens", "960");
    expect_number(get(tree, "metrics"), "throughput_tok_s", "479.9703723888532");
    expect_type(root, "performance_eligible", JSON_TRUE);
    const struct json_node *row = get(tree, "request_timings")->child;
    expect_number(row, "time_to_first_output_ms", "500.0");
    expect_number(row, "ttft_ms", "800.0");
    expect_number(row, "e2e_ms", "1000.0");
    expect_number(row, "decode_tok_s", "238.0");
    json_tree_free(tree);
}

static void trace_is_one_key_more(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    struct json_tree *with = write_tree(&made.run, false);
    assert_int_equal(json_tree_root(with)->children, 42);
    expect_type(json_tree_root(with), "trace", JSON_OBJECT_BEGIN);
    json_tree_free(with);
}

static void make_failures(struct made *made)
{
    make(made);
    struct request *r = made->requests;
    judge(&r[1], FAILURE_REQUEST_ERROR, "http_429", "HTTP status 429", false, false, false);
    judge(&r[2], FAILURE_REQUEST_ERROR, "transport", "the connection broke", true, true, false);
    judge(&r[3], FAILURE_STREAM_VALIDATION, "no_visible_content", "no visible content", true, true, true);
    r[3].facts.first_content_ns = TAPE_NONE;
    r[3].facts.content_chunks = 0;
    judge(&r[4], FAILURE_CANARY, "capture_limit", "capture cut", true, true, true);
    r[4].facts.canary.passed = r[4].facts.canary.capture_complete = false;
    judge(&r[5], FAILURE_CONTROLLED_OUTPUT, "words", "15 words of 16", true, true, true);
    r[5].facts.usage = (struct usage_facts){.seen = true};
    judge(&r[6], FAILURE_RUNNER_ERROR, "not_sent", "never started", false, false, false);
    r[6].start_ns = r[6].done_ns = TAPE_NONE;
    r[6].has_facts = false;
    judge(&r[7], FAILURE_RUNNER_ERROR, "not_recorded", "the tape ends before DONE", true, true, false);
    r[7].done_ns = TAPE_NONE;
}

static const struct json_node *nth(const struct json_node *array, size_t n)
{
    const struct json_node *node = array->child;
    while (n--)
        node = node->next;
    return node;
}

static void failures_and_rows_partition_the_requests(void **state)
{
    (void)state;
    struct made made;
    make_failures(&made);
    struct json_tree *tree = write_tree(&made.run, true);
    const struct json_node *failures = get(tree, "failures"), *root = json_tree_root(tree);
    assert_int_equal(failures->children, 7);
    assert_int_equal(get(tree, "request_timings")->children, 1);
    expect_number(nth(get(tree, "request_timings"), 0), "request_index", "0");
    for (size_t i = 0; i < 7; i++) {
        char index[8];
        snprintf(index, sizeof index, "%zu", i + 1);
        expect_number(nth(failures, i), "request_index", index);
    }
    expect_number(root, "completed", "1");
    expect_number(root, "failed", "7");
    expect_number(root, "responses_received", "6");
    expect_type(root, "performance_eligible", JSON_FALSE);
    expect_type(get(tree, "metrics"), "throughput_tok_s", JSON_NULL);
    expect_type(get(tree, "metrics"), "throughput_performance_eligible", JSON_FALSE);
    expect_type(get(tree, "metric_population"), "aggregate_throughput_eligible", JSON_FALSE);
    expect_number(get(tree, "metric_population"), "attempted_requests", "8");
    expect_number(get(tree, "metric_population"), "excluded_requests", "7");
    expect_number(get(tree, "metrics"), "e2e_stddev_ms", "0.0");
    json_tree_free(tree);
}

static void each_failure_says_what_it_can(void **state)
{
    (void)state;
    struct made made;
    make_failures(&made);
    struct json_tree *tree = write_tree(&made.run, true);
    const struct json_node *failures = get(tree, "failures"), *f = nth(failures, 0);
    expect_text(f, "failure_class", "request_error");
    expect_number(f, "elapsed_ms", "1001.0");
    assert_int_equal(f->children, 9); /* the keys every failure has */
    f = nth(failures, 1);
    assert_int_equal(f->children, 13);
    expect_type(f, "response_timing", JSON_NULL);
    expect_type(f, "response_metadata", JSON_OBJECT_BEGIN);
    f = nth(failures, 2);
    expect_text(f, "failure_class", "stream_validation_failed");
    expect_type(f, "response_timing", JSON_NULL); /* no content, so no row */
    f = nth(failures, 3);
    expect_text(f, "failure_class", "request_canary_failed");
    expect_type(f, "response_timing", JSON_OBJECT_BEGIN);
    expect_type(json_node_get(f, "request_canary"), "passed", JSON_FALSE);
    f = nth(failures, 4);
    expect_text(f, "failure_class", "controlled_output_failed");
    expect_text(json_node_get(f, "response_metadata"), "output_token_source", "content_chunks");
    expect_type(json_node_get(f, "response_timing"), "output_tokens", JSON_NULL);
    expect_type(json_node_get(f, "response_timing"), "decode_tok_s", JSON_NULL);
    assert_int_equal(json_node_get(json_node_get(f, "response_metadata"), "usage")->children, 0);
    f = nth(failures, 5);
    expect_text(f, "failure_class", "runner_error");
    expect_number(f, "elapsed_ms", "0.0");
    f = nth(failures, 6);
    expect_number(f, "elapsed_ms", "1989.0"); /* until the last recorded time */
    json_tree_free(tree);
}

static void expect_failure_bytes(const struct made *made, size_t i, const char *want)
{
    struct json_out *o = json_out_create(0);
    result_write_failure(o, &made->run, &made->requests[i]);
    struct tt_view got = json_out_bytes(o);
    if (!tt_view_equal(got, want))
        fail_msg("got %.*s\nexpected %s", (int)got.n, (const char *)got.p, want);
    json_out_free(o);
}

static void bytes_of_failures(void **state)
{
    (void)state;
    struct made made;
    make_failures(&made);
    made.run.options.response_words = 0;
    made.requests[2].marker = NULL;
    expect_failure_bytes(
        &made, 1,
        "{\"elapsed_ms\": 1001.0, \"error_message\": \"HTTP status 429\", \"error_message_truncated\": "
        "false, \"error_type\": \"http_429\", \"failure_class\": \"request_error\", "
        "\"performance_eligible\": false, \"planned_context_tokens\": 32768, \"request_index\": 1, "
        "\"response_received\": false}");
    expect_failure_bytes(
        &made, 2,
        "{\"elapsed_ms\": 1001.0, \"error_message\": \"the connection broke\", \"error_message_truncated\": false, "
        "\"error_type\": \"transport\", \"failure_class\": \"request_error\", \"performance_eligible\": false, "
        "\"planned_context_tokens\": 32768, \"request_index\": 2, \"response_metadata\": {\"content_chunks\": 25, "
        "\"finish_reasons\": [\"stop\"], \"output_token_source\": \"usage\", \"reasoning_chunks\": 90, "
        "\"stream_terminal_observed\": true, \"usage\": {\"completion_tokens\": 120, \"prompt_tokens\": 25279, "
        "\"total_tokens\": 25399}, \"visible_content_truncated\": false}, \"response_received\": true, "
        "\"response_timing\": null}");
    made.requests[6].planned = false;
    made.requests[6].context_tokens = 0;
    made.requests[6].verdict.message[0] = '\0'; /* a message is never empty */
    expect_failure_bytes(&made, 6,
                         "{\"elapsed_ms\": 0.0, \"error_message\": \"not_sent\", \"error_message_truncated\": false, "
                         "\"error_type\": \"not_sent\", \"failure_class\": \"runner_error\", "
                         "\"performance_eligible\": false, \"planned_context_tokens\": null, \"request_index\": 6, "
                         "\"response_received\": false}");
}

static void nothing_succeeded(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    for (size_t i = 0; i < REQUESTS; i++)
        judge(&made.requests[i], FAILURE_CANARY, "marker", "not at the start", true, true, true);
    struct json_tree *tree = write_tree(&made.run, true);
    expect_text(json_tree_root(tree), "measurement_protocol", "capacity-v3");
    assert_int_equal(get(tree, "request_timings")->children, 0);
    assert_int_equal(get(tree, "metrics")->children, 159);
    expect_number(get(tree, "metrics"), "output_tokens", "0");
    expect_type(get(tree, "metrics"), "prompt_tokens", JSON_NULL);
    expect_type(get(tree, "metrics"), "e2e_mean_ms", JSON_NULL);
    json_tree_free(tree);
}

static void options_that_may_be_null(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    struct run_options *options = &made.run.options;
    options->context_tokens = 0;
    options->max_context_tokens.has = false;
    options->engine = NULL;
    options->context_seed = "-123456789012345678901234567890";
    options->reasoning_effort = "low";
    options->burst = options->no_thinking = true;
    options->has_temperature_requested = options->has_top_p = true;
    options->temperature_requested = options->temperature_effective = 0.7;
    options->top_p = 0.95;
    made.requests[1].context_tokens = 16000;
    made.requests[2].context_tokens = 131072;
    struct json_tree *tree = write_tree(&made.run, true);
    const struct json_node *root = json_tree_root(tree), *sampling = get(tree, "sampling");
    expect_type(root, "context_tokens", JSON_NULL);
    expect_type(root, "max_context_tokens", JSON_NULL);
    expect_type(root, "engine", JSON_NULL);
    expect_number(root, "context_seed", "-123456789012345678901234567890");
    expect_text(get(tree, "serve_flags"), "reasoning_effort", "low");
    expect_type(get(tree, "serve_flags"), "shared_prefix_burst", JSON_TRUE);
    expect_type(get(tree, "serve_flags"), "no_thinking", JSON_TRUE);
    expect_number(json_node_get(sampling, "temperature"), "requested", "0.7");
    expect_number(json_node_get(sampling, "top_p"), "effective_request", "0.95");
    expect_type(json_node_get(sampling, "top_p"), "sent", JSON_TRUE);
    const struct json_node *targets = get(tree, "context_distribution");
    assert_int_equal(targets->children, 3);
    assert_true(tt_view_equal(targets->child->key, "131072")); /* keys sort as text */
    expect_number(targets, "32768", "6");
    json_tree_free(tree);
}

static void observations_are_null_when_off(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    made.run.options.response_words = 0;
    made.run.options.request_canaries = false;
    for (size_t i = 0; i < REQUESTS; i++)
        made.requests[i].marker = NULL;
    struct json_tree *tree = write_tree(&made.run, true);
    const struct json_node *row = get(tree, "request_timings")->child;
    expect_type(row, "request_canary", JSON_NULL);
    expect_type(row, "controlled_output", JSON_NULL);
    expect_number(get(tree, "metrics"), "request_canary_samples", "0");
    expect_type(get(tree, "metrics"), "controlled_output_exact_adherence_rate", JSON_NULL);
    json_tree_free(tree);
}

static void a_tape_without_its_end(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    made.run.tape.state = READER_TORN;
    made.run.end_reason = NULL;
    made.run.run_end_ns = made.run.run_end_realtime_ns = TAPE_NONE;
    struct json_tree *tree = write_tree(&made.run, true);
    expect_number(json_tree_root(tree), "wall_clock_ms", "2001.0");
    expect_number(json_tree_root(tree), "finished_at_unix_ns", "1790043516970457888");
    expect_type(json_tree_root(tree), "performance_eligible", JSON_FALSE);
    expect_type(get(tree, "metrics"), "throughput_tok_s", JSON_NULL);
    expect_number(json_tree_root(tree), "completed", "8");
    json_tree_free(tree);
}

static void p99_is_a_tail_from_100_on(void **state)
{
    (void)state;
    for (size_t n = 99; n <= 100; n++) {
        struct made made;
        make(&made);
        struct request *requests = calloc(n, sizeof *requests);
        assert_non_null(requests);
        for (size_t i = 0; i < n; i++) {
            requests[i] = made.requests[0];
            requests[i].number = i;
        }
        requests[0].facts.usage.completion_tokens.v = 1; /* no decode speed of this one */
        made.run.requests = requests;
        made.run.count = n;
        struct json_tree *tree = write_tree(&made.run, true);
        const struct json_node *population = get(tree, "metric_population");
        const struct json_node *by_metric = json_node_get(population, "p99_interpretation_by_metric");
        const char *want = n < 100 ? "descriptive-nearest-rank-only" : "tail-estimate";
        expect_text(population, "p99_interpretation", want);
        expect_text(by_metric, "ttft", want);
        expect_text(by_metric, "tpot", "descriptive-nearest-rank-only");
        json_tree_free(tree);
        free(requests);
    }
}

static void the_same_run_gives_the_same_bytes(void **state)
{
    (void)state;
    struct made made;
    struct result_options options = {true};
    struct json_out *a = json_out_create(2), *b = json_out_create(2);
    make_failures(&made);
    assert_int_equal(result_write(&made.run, &options, a, NULL), TT_OK);
    assert_int_equal(result_write(&made.run, &options, b, NULL), TT_OK);
    assert_int_equal(json_out_bytes(a).n, json_out_bytes(b).n);
    assert_memory_equal(json_out_bytes(a).p, json_out_bytes(b).p, json_out_bytes(a).n);
    json_out_free(a);
    json_out_free(b);
}

static void expect_utc(uint64_t seconds, const char *want, const char *compact)
{
    char text[UTC_BYTES];
    utc_format(seconds * 1000000000u + 999999999u, text);
    assert_string_equal(text, want);
    utc_format_compact(seconds * 1000000000u, text);
    assert_string_equal(text, compact);
}

static void utc_needs_no_time_zone(void **state)
{
    (void)state;
    expect_utc(0, "1970-01-01T00:00:00Z", "19700101T000000Z");
    expect_utc(951782399, "2000-02-28T23:59:59Z", "20000228T235959Z");
    expect_utc(951782400, "2000-02-29T00:00:00Z", "20000229T000000Z");
    expect_utc(1735689599, "2024-12-31T23:59:59Z", "20241231T235959Z");
    expect_utc(4107542400, "2100-03-01T00:00:00Z", "21000301T000000Z");
    char text[UTC_BYTES];
    utc_format(UINT64_MAX, text);
    assert_string_equal(text, "2554-07-21T23:34:33Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_is_the_seeds),
        cmocka_unit_test(sentences_are_the_seeds_but_for_the_clock),
        cmocka_unit_test(values_of_a_good_run),
        cmocka_unit_test(trace_is_one_key_more),
        cmocka_unit_test(failures_and_rows_partition_the_requests),
        cmocka_unit_test(each_failure_says_what_it_can),
        cmocka_unit_test(bytes_of_failures),
        cmocka_unit_test(nothing_succeeded),
        cmocka_unit_test(options_that_may_be_null),
        cmocka_unit_test(observations_are_null_when_off),
        cmocka_unit_test(a_tape_without_its_end),
        cmocka_unit_test(p99_is_a_tail_from_100_on),
        cmocka_unit_test(the_same_run_gives_the_same_bytes),
        cmocka_unit_test(utc_needs_no_time_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
