/* diff: what explains what between two results of one tape, and what it refuses. */
#include "analyzer_tapes.h"

#include "../analyzer/diff.h"
#include "../analyzer/result.h"
#include "golden.h"
#include "json_damage.h"

#define FAILURES 20u

static const struct diff_names names = {{"a.json", "b.json"}};

/* What `result` writes of the run as it was judged. The caller frees it. */
static char *result_of(const struct run *run)
{
    const struct result_options options = {.schema_exact = false};
    struct tt_error err = {0};
    struct json_out *o = json_out_create(2);
    if (result_write(run, &options, o, &err) != TT_OK)
        fail_msg("%s", err.line);
    char *json = strndup((const char *)json_out_bytes(o).p, json_out_bytes(o).n);
    json_out_free(o);
    return json;
}

/* Of fixtures/good/failures.tape; `judge` changes verdicts as another rule would. */
static char *fixture_result(void (*judge)(struct run *run))
{
    char path[1024];
    struct run *run = load_judged(fixture_path(path, "good/failures.tape"));
    assert_int_equal(run->count, FAILURES);
    if (judge)
        judge(run);
    char *json = result_of(run);
    run_free(run);
    return json;
}

/* `json` with the first `from` behind `behind` replaced by `to`; frees it. */
static char *replaced(char *json, const char *behind, const char *from, const char *to)
{
    char *at = strstr(json, behind);
    at = at ? strstr(at, from) : NULL;
    if (!at)
        fail_msg("no %s behind %s", from, behind);
    size_t n = strlen(json) + strlen(to) + 1;
    char *out = malloc(n);
    assert_non_null(out);
    snprintf(out, n, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
    free(json);
    return out;
}

/* Compares and frees both. */
static struct diff_report diff(char *a, char *b, const struct difference_options *options, enum tt_status want,
                               const char *part)
{
    struct json_tree *trees[2];
    struct diff_report report;
    struct tt_error err = {0};
    assert_int_equal(json_tree_parse(&trees[0], tt_view_str(a), &err), TT_OK);
    assert_int_equal(json_tree_parse(&trees[1], tt_view_str(b), &err), TT_OK);
    const struct json_node *roots[2] = {json_tree_root(trees[0]), json_tree_root(trees[1])};
    enum tt_status st = diff_results(roots, &names, options, &report, &err);
    if (st != want || (part && !strstr(err.line, part)))
        fail_msg("diff gives %s: %s", tt_status_name(st), err.line);
    json_tree_free(trees[0]);
    json_tree_free(trees[1]);
    free(a);
    free(b);
    return report;
}

static const struct difference_options plainly = {0};

static void refuse(char *a, char *b, enum tt_status want, const char *part)
{
    struct diff_report r = diff(a, b, &plainly, want, part);
    diff_free(&r);
}

/* Request 0, a row, is no longer one; request 11, whose words were wrong, is one. */
static void judge_otherwise(struct run *run)
{
    struct verdict *lost = &run->requests[0].verdict, *won = &run->requests[11].verdict;
    assert_int_equal(lost->failure, FAILURE_NONE);
    assert_int_equal(won->failure, FAILURE_CONTROLLED_OUTPUT);
    lost->failure = FAILURE_STREAM_VALIDATION;
    lost->error_type = "no_terminal";
    lost->reason = REASON_NO_TERMINAL;
    lost->reasons = (struct reason_set){{0}};
    reason_set_add(&lost->reasons, REASON_NO_TERMINAL);
    lost->response_received = lost->has_metadata = lost->has_timing = true;
    won->failure = FAILURE_NONE;
    won->error_type = "none";
    won->reason = REASON_NONE;
    reason_set_remove(&won->reasons, REASON_CONTROLLED_OUTPUT);
}

static void same_bytes_are_the_same(void **state)
{
    (void)state;
    struct diff_report r = diff(fixture_result(NULL), fixture_result(NULL), &plainly, TT_OK, NULL);
    assert_true(r.differences == 0 && r.compared > 1000 && r.one_tape && r.same_makers && r.move_count == 0);
    assert_int_equal(strlen(r.head), 64);
    diff_free(&r);
}

static void moved_requests_explain_the_numbers(void **state)
{
    (void)state;
    struct diff_report r = diff(fixture_result(NULL), fixture_result(judge_otherwise), &plainly, TT_OK, NULL);
    if (r.counts[DIFF_UNEXPLAINED] + r.contradiction_count > 0)
        fail_msg("unexplained: %s / %s", r.unexplained.kept[0].path, r.contradictions[0].text);
    assert_int_equal(r.move_count, 2);
    assert_true(r.moves[0].request == 0 && r.moves[0].was.place == MOVE_ROW && r.moves[0].is.place == MOVE_FAILURE);
    assert_string_equal(r.moves[0].is.type, "no_terminal");
    assert_string_equal(r.moves[0].is.class, "stream_validation_failed");
    assert_string_equal(r.moves[0].is.reasons, "no_terminal");
    assert_true(r.moves[1].request == 11 && r.moves[1].is.place == MOVE_ROW);
    assert_string_equal(r.moves[1].was.type, "controlled_output_failed");
    assert_true(r.headline_differs[headline_find("metrics.ttft_mean_ms")]);
    assert_false(r.headline_differs[headline_find("completed")]); /* one out, one in */
    assert_true(r.counts[DIFF_DERIVED] > 20);
    diff_free(&r);
}

static void judge_one_out(struct run *run)
{
    judge_otherwise(run);
    run->requests[11].verdict.failure = FAILURE_CONTROLLED_OUTPUT;
    run->requests[11].verdict.error_type = "controlled_output_failed";
}

static void judge_for_another_reason(struct run *run)
{
    struct verdict *v = &run->requests[10].verdict;
    assert_string_equal(v->error_type, "canary_failed");
    v->error_type = "canary_capture_limit";
}

static void another_reason_is_a_move(void **state)
{
    (void)state;
    struct diff_report r = diff(fixture_result(NULL), fixture_result(judge_for_another_reason), &plainly, TT_OK, NULL);
    assert_true(r.counts[DIFF_UNEXPLAINED] == 0 && r.move_count == 1 && r.moves[0].request == 10);
    assert_string_equal(r.moves[0].was.type, "canary_failed");
    assert_string_equal(r.moves[0].is.type, "canary_capture_limit");
    assert_true(r.counts[DIFF_HEADLINE] + r.counts[DIFF_DERIVED] == 0);
    diff_free(&r);
}

static void expect_unexplained(char *a, char *b, const char *path)
{
    struct diff_report r = diff(a, b, &plainly, TT_OK, NULL);
    bool found = false;
    for (size_t i = 0; i < r.unexplained.kept_count; i++)
        found = found || strcmp(r.unexplained.kept[i].path, path) == 0;
    if (!found)
        fail_msg("%s is explained; %llu others are not, first %s", path, (unsigned long long)r.unexplained.count,
                 r.unexplained.kept[0].path);
    diff_free(&r);
}

#define ROWS "\"request_timings\""

static void measurements_may_not_move(void **state)
{
    (void)state;
    /* a time, in a row that stayed; in one that became a failure; in a failure that stayed one; in the trace */
    expect_unexplained(fixture_result(NULL), replaced(fixture_result(NULL), ROWS, "\"ttft_ms\": ", "\"ttft_ms\": 1"),
                       "request_timings[0].ttft_ms");
    expect_unexplained(
        fixture_result(NULL),
        replaced(fixture_result(judge_one_out), "\"request_index\": 0", "\"ttft_ms\": ", "\"ttft_ms\": 1"),
        "request_timings[0].ttft_ms");
    expect_unexplained(
        replaced(fixture_result(judge_one_out), "\"request_index\": 0", "\"ttft_ms\": ", "\"ttft_ms\": 1"),
        fixture_result(NULL), "failures[0].response_timing.ttft_ms");
    expect_unexplained(fixture_result(NULL),
                       replaced(fixture_result(NULL), "\"failures\"", "\"elapsed_ms\": ", "\"elapsed_ms\": 1"),
                       "failures[0].elapsed_ms");
    expect_unexplained(fixture_result(NULL),
                       replaced(fixture_result(NULL), "\"trace\"", "\"end_ms\": ", "\"end_ms\": 1"),
                       "trace.requests[0].end_ms");
    expect_unexplained(fixture_result(NULL), replaced(fixture_result(NULL), "{", "\"model\": \"", "\"model\": \"x"),
                       "model");
}

static void sums_follow_from_rows(void **state)
{
    (void)state;
    /* with the rows as they were, a sum that changed has no reason */
    expect_unexplained(fixture_result(NULL),
                       replaced(fixture_result(NULL), "\"metrics\"", "\"e2e_p50_ms\": ", "\"e2e_p50_ms\": 1"),
                       "metrics.e2e_p50_ms");
    expect_unexplained(fixture_result(NULL),
                       replaced(fixture_result(NULL), "{", "\"completed\": 3", "\"completed\": 4"), "completed");
    /* with requests that moved it may change, but not to anything */
    struct diff_report r =
        diff(fixture_result(NULL),
             replaced(fixture_result(judge_otherwise), "\"metrics\"", "\"e2e_mean_ms\": ", "\"e2e_mean_ms\": 1"),
             &plainly, TT_OK, NULL);
    assert_true(r.contradiction_count == 1 && r.contradictions[0].side == 1);
    assert_string_equal(r.contradictions[0].invariant, "metrics.distributions");
    diff_free(&r);
}

static void requests_do_not_vanish(void **state)
{
    (void)state;
    expect_unexplained(fixture_result(NULL),
                       replaced(fixture_result(NULL), ROWS, "\"request_index\": 19", "\"request_index\": 77"),
                       "request_timings[2]");
    refuse(fixture_result(NULL), replaced(fixture_result(NULL), ROWS, "\"request_index\": 19", "\"request_index\": 18"),
           TT_MALFORMED, "b.json: request 18 stands there twice");
    refuse(fixture_result(NULL), replaced(fixture_result(NULL), ROWS, "\"request_index\": 19", "\"request_index\": 5"),
           TT_MALFORMED, "request 5");
    refuse(replaced(fixture_result(NULL), ROWS, "\"request_index\": 19", "\"request_index\": 65536"),
           fixture_result(NULL), TT_LIMIT, "a.json: request_index 65536");
}

static void makers_explain_their_form(void **state)
{
    (void)state;
    char *other = replaced(fixture_result(NULL), "{", "\"analyzer_version\": \"", "\"analyzer_version\": \"9.");
    other = replaced(other, "\"trace\"", "\"comments\": 0,", "\"comments\": 0, \"compared\": 1,");
    struct diff_report r = diff(fixture_result(NULL), other, &plainly, TT_OK, NULL);
    assert_true(r.counts[DIFF_RULE] == 1 && r.counts[DIFF_FORM] == 1 && r.differences == 2 && !r.same_makers);
    assert_string_equal(r.told.kept[1].path, "trace.requests[0].compared");
    diff_free(&r);
    /* the same makers have the same form */
    expect_unexplained(fixture_result(NULL),
                       replaced(fixture_result(NULL), "\"trace\"", "\"comments\": 0,", "\"comments\": 0, \"x\": 1,"),
                       "trace.requests[0].x");
}

static void masks_and_ulps(void **state)
{
    (void)state;
    const char *masked[] = {"base_url", "request_timings[0].ttft_ms"};
    const struct difference_options options = {.masked = masked, .masked_count = 2};
    const struct difference_options near = {.by_value = true, .ulp = 1};
    struct diff_report r =
        diff(fixture_result(NULL), replaced(fixture_result(NULL), ROWS, "\"ttft_ms\": ", "\"ttft_ms\": 1"), &options,
             TT_OK, NULL);
    assert_true(r.differences == 0 && r.masks.differences == 1 && r.masks.at[0].exists);
    diff_free(&r);
    r = diff(fixture_result(NULL),
             replaced(fixture_result(NULL), "{", "\"completion_tokens_max\": 4.0", "\"completion_tokens_max\": 4"),
             &near, TT_OK, NULL);
    assert_int_equal(r.differences, 0);
    diff_free(&r);
}

/* One character of the value behind `key`, changed. */
static char *turned(char *json, const char *key)
{
    char *at = strstr(json, key) + strlen(key);
    *at = *at == '1' ? '2' : '1';
    return json;
}

static void other_tapes_are_refused(void **state)
{
    (void)state;
    static const char origin[] = "\"origin\": {\"head\": \"", rules[] = "\", \"rules\": \"timing\"}";
    char head[65] = "", copy[200];
    char *json = fixture_result(NULL);
    memcpy(head, strstr(json, "\"head\": \"") + 9, 64);
    snprintf(copy, sizeof copy, "%s%s%s", origin, head, rules);
    free(json);
    refuse(fixture_result(NULL), turned(fixture_result(NULL), "\"head\": \""), TT_FOREIGN,
           "two states of one recording: the id is the same, the other is not (head ");
    refuse(fixture_result(NULL), turned(fixture_result(NULL), "\"id\": \""), TT_FOREIGN,
           "the head is the same, the other is not (id ");
    refuse(fixture_result(NULL), turned(turned(fixture_result(NULL), "\"id\": \""), "\"head\": \""), TT_FOREIGN,
           "neither id nor head is the same");
    refuse(fixture_result(NULL),
           replaced(turned(turned(fixture_result(NULL), "\"id\": \""), "\"head\": \""), "\"tape\"", "\"origin\": null",
                    copy),
           TT_FOREIGN, "the second a copy that was made from the first");
    refuse(fixture_result(NULL), replaced(fixture_result(NULL), "\"tape\"", "\"origin\": null", copy), TT_FOREIGN,
           "only b.json says that it is of a copy");
    char *other = replaced(fixture_result(NULL), "\"tape\"", "\"origin\": null", copy);
    refuse(replaced(fixture_result(NULL), "\"tape\"", "\"origin\": null", copy), turned(other, origin), TT_FOREIGN,
           "the origin is not");
}

/* --schema-exact has no head: compared all the same, and not called proven. */
static void without_a_trace_nothing_is_proven(void **state)
{
    (void)state;
    char *json = fixture_result(NULL), *bare = fixture_result(NULL);
    char *from = strstr(bare, "\"trace\":"), *to = strstr(from, "\n  \"wall_clock_ms\"");
    memmove(from, to + 3, strlen(to + 3) + 1);
    struct diff_report r = diff(strdup(bare), strdup(bare), &plainly, TT_OK, NULL);
    assert_true(r.differences == 0 && !r.one_tape && !r.same_makers);
    diff_free(&r);
    r = diff(json, strdup(bare), &plainly, TT_OK, NULL);
    assert_true(r.differences == 1 && r.counts[DIFF_FORM] == 1 && !r.one_tape);
    assert_string_equal(r.told.kept[0].path, "trace");
    diff_free(&r);
    char *other = turned(turned(strdup(bare), "\"started_at_unix_ns\": "), "\"finished_at_unix_ns\": ");
    refuse(bare, other, TT_FOREIGN, "b.json: is the result of another run");
}

/* Whatever is done to one of two results that were the same, the other shows it, and no rule is made
 * responsible for it: a sample of what json_damage.h can do. */
static void no_damage_is_explained_away(void **state)
{
    (void)state;
    struct document d = damage_open(fixture_result(NULL));
    unsigned turn = 0, done = 0;
    for (size_t i = 1; i < d.count; i++)
        for (enum damage_kind kind = 0; kind < DAMAGE_DOUBLE; kind++) {
            const struct member *m = &d.members[i];
            if (!damage_applies(&d, m, kind) || turn++ % 29 != 0)
                continue;
            struct diff_report r;
            struct tt_error err = {0};
            struct json_tree *trees[2];
            char *text = damage_text(&d, m, kind);
            assert_int_equal(json_tree_parse(&trees[0], tt_view_str(d.text), &err), TT_OK);
            assert_int_equal(json_tree_parse(&trees[1], tt_view_str(text), &err), TT_OK);
            const struct json_node *roots[2] = {json_tree_root(trees[0]), json_tree_root(trees[1])};
            enum tt_status st = diff_results(roots, &names, &plainly, &r, &err);
            bool told = st == TT_OK && r.differences > 0 &&
                        (r.counts[DIFF_UNEXPLAINED] > 0 || r.same_makers || r.told.count > 0);
            if (!told && st != TT_FOREIGN && st != TT_MALFORMED)
                fail_msg("%s %s: %s", m->path, damage_names[kind], err.line);
            done++;
            diff_free(&r);
            json_tree_free(trees[0]);
            json_tree_free(trees[1]);
            free(text);
        }
    assert_true(done > 50);
    damage_close(&d);
}

static void published_results_are_like_themselves(const char *path, void *user)
{
    struct json_tree *tree;
    struct diff_report r;
    struct tt_error err = {0};
    (void)user;
    if (artifact_load(&tree, path, &err) != TT_OK)
        fail_msg("%s", err.line);
    const struct json_node *roots[2] = {json_tree_root(tree), json_tree_root(tree)};
    if (diff_results(roots, &names, &plainly, &r, &err) != TT_OK || r.differences > 0)
        fail_msg("%s: %llu differences from itself, %s", path, (unsigned long long)r.differences, err.line);
    diff_free(&r);
    json_tree_free(tree);
}

static void golden_is_like_itself(void **state)
{
    (void)state;
    char path[1024];
    published_results_are_like_themselves(seed_path(path), NULL);
    golden_each(published_results_are_like_themselves, NULL);
}

static void groups_of_one_cause(void **state)
{
    (void)state;
    struct move m[5] = {{.request = 9}, {.request = 3}, {.request = 4}, {.request = 1}, {.request = 5}};
    for (size_t i = 0; i < 5; i++) {
        m[i].was.place = MOVE_ROW;
        m[i].is.place = MOVE_FAILURE;
        snprintf(m[i].is.type, sizeof m[i].is.type, i == 3 ? "a" : "b");
    }
    moves_sort(m, 5);
    assert_true(m[0].request == 1 && m[1].request == 3 && m[4].request == 9);
    assert_true(moves_group(m, 5, 0) == 1 && moves_group(m, 5, 1) == 4);
}

static void headlines_have_places(void **state)
{
    (void)state;
    struct headline_value v[HEADLINES];
    char *json = fixture_result(NULL);
    struct json_tree *tree;
    struct tt_error err = {0};
    assert_int_equal(json_tree_parse(&tree, tt_view_str(json), &err), TT_OK);
    headlines_of_result(json_tree_root(tree), v);
    for (size_t i = 0; i < HEADLINES; i++) {
        assert_true(v[i].type != HEADLINE_ABSENT); /* a path that leads nowhere */
        assert_int_equal(headline_find(headline_path(i)), i);
        assert_true(headline_same(&v[i], &v[i]));
    }
    assert_int_equal(headline_find("metrics.nosuch"), HEADLINES);
    json_tree_free(tree);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_are_the_same),     cmocka_unit_test(moved_requests_explain_the_numbers),
        cmocka_unit_test(another_reason_is_a_move),    cmocka_unit_test(measurements_may_not_move),
        cmocka_unit_test(sums_follow_from_rows),       cmocka_unit_test(requests_do_not_vanish),
        cmocka_unit_test(makers_explain_their_form),   cmocka_unit_test(masks_and_ulps),
        cmocka_unit_test(other_tapes_are_refused),     cmocka_unit_test(without_a_trace_nothing_is_proven),
        cmocka_unit_test(no_damage_is_explained_away), cmocka_unit_test(golden_is_like_itself),
        cmocka_unit_test(groups_of_one_cause),         cmocka_unit_test(headlines_have_places),
    };
    return cmocka_run_group_tests_name("analyzer_diff", tests, NULL, NULL);
}
