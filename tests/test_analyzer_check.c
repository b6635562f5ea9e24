/* check: what it compares, what it shows, what it refuses; the tree comparison under it. */
#include "analyzer_tapes.h"

#include "../analyzer/check.h"
#include "../analyzer/result.h"

struct seen {
    char text[1024];
    unsigned n;
};

static void note(void *user, const struct diff_entry *e)
{
    static const char marks[] = {[DIFF_VALUE] = '!', [DIFF_MISSING] = '-', [DIFF_EXTRA] = '+', [DIFF_ORDER] = '~'};
    struct seen *s = user;
    size_t n = strlen(s->text);
    uint64_t request;
    snprintf(s->text + n, sizeof s->text - n, "%s%c%s", s->n++ ? " " : "", marks[e->kind], e->path);
    n = strlen(s->text);
    if (json_node_u64(e->request, &request))
        snprintf(s->text + n, sizeof s->text - n, "@%llu", (unsigned long long)request);
}

static struct json_tree *parse(const char *text)
{
    struct json_tree *tree;
    struct tt_error err = {0};
    if (json_tree_parse(&tree, tt_view_str(text), &err) != TT_OK)
        fail_msg("%s: %s", text, err.line);
    return tree;
}

static void expect_with(const char *claimed, const char *ours, struct diff_options options, const char *want)
{
    struct json_tree *a = parse(claimed), *b = parse(ours);
    struct seen seen = {"", 0};
    options.each = note;
    options.user = &seen;
    struct tt_error err = {0};
    uint64_t compared = 0;
    assert_int_equal(diff_trees(json_tree_root(a), json_tree_root(b), &options, &compared, &err), TT_OK);
    assert_string_equal(seen.text, want);
    json_tree_free(a);
    json_tree_free(b);
}

static void expect_diff(const char *claimed, const char *ours, bool by_value, uint64_t ulp, const char *want)
{
    expect_with(claimed, ours, (struct diff_options){.by_value = by_value, .ulp = ulp}, want);
}

static void trees_differ_by_path(void **state)
{
    (void)state;
    expect_diff("{\"a\":1,\"b\":[true,{\"c\":null}]}", "{\"a\":1,\"b\":[true,{\"c\":null}]}", false, 0, "");
    expect_diff("{\"a\":2,\"b\":[true,{\"c\":0}]}", "{\"a\":1,\"b\":[true,{\"c\":null}]}", false, 0, "!a !b[1].c");
    expect_diff("{\"b\":1,\"c\":2}", "{\"a\":1,\"b\":1}", false, 0, "-a +c");
    expect_diff("{\"b\":1,\"a\":1}", "{\"a\":1,\"b\":1}", false, 0, "~a");
    expect_diff("{\"b\":1,\"a\":1}", "{\"a\":1,\"b\":1}", true, 0, "");
    expect_diff("[1,2,3]", "[1,3]", false, 0, "![1] +[2]");
    expect_diff("{\"a\":[]}", "{\"a\":{}}", false, 0, "!a");
    expect_diff("\"x\"", "\"x\\u0000\"", false, 0, "!");
    expect_diff("{\"a\":\"1\"}", "{\"a\":1}", true, 9, "!a");
    expect_diff("{\"a\":1,\"a.b\":2,\"a[0]\":3,\"\":4}", "{\"a\":1}", true, 0, "+[\"\"] +[\"a.b\"] +[\"a[0]\"]");
}

static void numbers_by_text_or_by_value(void **state)
{
    (void)state;
    expect_diff("[5.0]", "[5]", false, 0, "![0]");
    expect_diff("[5.0]", "[5]", true, 0, "");
    expect_diff("[0.30000000000000004]", "[0.3]", true, 0, "![0]");
    expect_diff("[0.30000000000000004]", "[0.3]", true, 1, "");
    expect_diff("[9007199254740993]", "[9007199254740992]", true, 4096, "![0]"); /* integers are no measurements */
    expect_diff("[-5e-324]", "[5e-324]", true, 1, "![0]");
    expect_diff("[-5e-324]", "[5e-324]", true, 2, "");
    /* what we count is a count, and to the last digit */
    expect_diff("[1790043514000000001.0]", "[1790043514000000000]", true, 4096, "![0]");
    expect_diff("[1790043514000000000.00]", "[1790043514000000000]", true, 0, "");
    expect_diff("[4.000000000000001]", "[4]", true, 4096, "![0]");
    expect_diff("[4e0]", "[4]", true, 0, "");
    expect_diff("[40.0]", "[4]", true, 0, "![0]");
    expect_diff("[-4.0]", "[-4]", true, 0, "");
    expect_diff("[4]", "[4.000000000000001]", true, 1, "");
    assert_int_equal(diff_ulps(0.0, -0.0), 0);
    assert_int_equal(diff_ulps(1.0, 1.0000000000000002), 1);
}

#define ROW(i, v) "{\"request_index\":" #i ",\"v\":" #v "}"

static void requests_are_told_apart_by_index(void **state)
{
    (void)state;
    const char *three = "[" ROW(0, 0) "," ROW(1, 1) "," ROW(2, 2) "]";
    expect_diff("[" ROW(0, 0) "," ROW(2, 2) "]", three, false, 0, "-[1]@1");
    expect_diff("[" ROW(0, 0) "," ROW(2, 9) "]", three, false, 0, "![1].v@2 -[1]@1");
    expect_diff("[" ROW(0, 0) "," ROW(2, 2) "," ROW(1, 1) "]", three, false, 0, "~[2]");
    expect_diff("[" ROW(0, 0) "," ROW(1, 1) "," ROW(7, 2) "]", three, false, 0, "![2].request_index@7");
    expect_diff("[" ROW(0, 0) "," ROW(0, 1) "," ROW(2, 2) "]", three, false, 0, "![1].request_index@0");
    expect_diff("[" ROW(0, 0) ",{\"v\":1}," ROW(2, 2) "]", three, false, 0, "-[1].request_index");
}

/* Neither of the two says how it has to be: what both have in an odd order is no difference. */
static void peers_judge_nothing(void **state)
{
    (void)state;
    const struct diff_options peers = {.peers = true}, by_value = {.peers = true, .by_value = true};
    const char *three = "[" ROW(0, 0) "," ROW(1, 1) "," ROW(2, 2) "]";
    const char *odd = "[" ROW(0, 0) "," ROW(2, 2) "," ROW(1, 1) "]";
    expect_with("{\"b\":1,\"a\":1}", "{\"b\":1,\"a\":1}", peers, "");
    expect_with("{\"b\":1,\"a\":1}", "{\"a\":1,\"b\":1}", peers, "~a");
    expect_with("{\"a\":1,\"b\":1}", "{\"b\":1,\"a\":1}", peers, "~b");
    expect_with("{\"a\":1,\"b\":1}", "{\"b\":1,\"a\":1}", by_value, "");
    expect_with("{\"a\":1,\"c\":1}", "{\"a\":1,\"b\":2,\"c\":1}", peers, "-b");
    expect_with(odd, odd, peers, "");
    expect_with(odd, three, peers, "~[2]");
    expect_with(three, odd, peers, "~[2]");
    expect_with("[" ROW(0, 0) "," ROW(1, 1) "," ROW(7, 2) "]", three, peers, "-[2]@2 +[2]@7");
}

static void paths_find_and_cover(void **state)
{
    (void)state;
    struct json_tree *tree = parse("{\"a\":[{\"b\":7},[8]]}");
    const struct json_node *root = json_tree_root(tree), *n;
    assert_true(diff_path_find(root, "a[0].b", &n) && tt_view_equal(n->text, "7"));
    assert_true(diff_path_find(root, "a[1][0]", &n) && tt_view_equal(n->text, "8"));
    assert_true(diff_path_find(root, "a[2]", &n) && !n);
    assert_true(diff_path_find(root, "b.c[1]", &n) && !n);
    static const char *const bad[] = {"", ".", "a.", "a[", "a[]", "a[x]", "a[0]b", "a..b", "a[9999999999]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (diff_path_find(root, bad[i], &n))
            fail_msg("'%s' was taken for a path", bad[i]);
    assert_true(diff_path_covers("a", "a") && diff_path_covers("a", "a.b") && diff_path_covers("a", "a[0]"));
    assert_false(diff_path_covers("a", "ab") || diff_path_covers("a.b", "a"));
    json_tree_free(tree);
}

static void texts_show_where_they_differ(void **state)
{
    (void)state;
    char a[DIFF_VALUE_BYTES], b[DIFF_VALUE_BYTES], long_text[300];
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text, "[\"", 2);
    long_text[200] = 'A';
    memcpy(long_text + sizeof long_text - 3, "\"]", 3);
    struct json_tree *x = parse(long_text);
    long_text[200] = 'B';
    struct json_tree *y = parse(long_text);
    diff_value_texts(json_tree_root(x)->child, json_tree_root(y)->child, a, b);
    assert_true(strstr(a, "xAx") && strstr(b, "xBx") && strncmp(a, "\"...", 4) == 0);
    json_tree_free(x);
    json_tree_free(y);
}

/* A judged run and what `result` writes of it. */
static struct run *make_run(const char *name, char **json)
{
    const char *path = tape_path(name);
    struct tt_error err = {0};
    struct result_options options = {.schema_exact = false};
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_answer(&m, 1, 40, DELTA("content", "b"));
    maker_finish(&m, 200);
    struct run *run = load_judged(path);
    struct json_out *o = json_out_create(2);
    assert_int_equal(result_write(run, &options, o, &err), TT_OK);
    *json = strndup((const char *)json_out_bytes(o).p, json_out_bytes(o).n);
    json_out_free(o);
    return run;
}

/* `json` with the first `from` replaced by `to`. */
static char *replaced(const char *json, const char *from, const char *to)
{
    const char *at = strstr(json, from);
    size_t n = strlen(json) + strlen(to) + 1;
    char *out = malloc(n);
    assert_non_null(at);
    assert_non_null(out);
    snprintf(out, n, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
    return out;
}

static struct check_report check(const struct run *run, const char *json, const struct difference_options *options,
                                 enum tt_status want)
{
    struct json_tree *tree = parse(json);
    struct check_report report;
    struct tt_error err = {0};
    enum tt_status st = check_result(run, json_tree_root(tree), options, &report, &err);
    if (st != want)
        fail_msg("check gives %s: %s", tt_status_name(st), err.line);
    json_tree_free(tree);
    return report;
}

static void masks_are_counted(void **state)
{
    (void)state;
    char *json;
    struct run *run = make_run("mask.tape", &json);
    char *port = replaced(json, "127.0.0.1:8000", "127.0.0.1:"),
         *both = replaced(port, "\"e2e_ms\": ", "\"e2e_ms\": 1");
    const char *masked[] = {"base_url", "model", "nosuch.field", "request_timings"};
    struct difference_options options = {.masked = masked, .masked_count = 3};
    struct check_report r = check(run, port, &options, TT_OK);
    assert_true(r.list.count == 0 && r.masks.differences == 1 && r.masks.at[0].differences == 1);
    assert_true(r.masks.at[1].exists && r.masks.at[1].differences == 0 && !r.masks.at[2].exists);
    check_free(&r);
    r = check(run, both, &options, TT_OK);
    assert_true(r.list.count == 1 && r.list.kept_count == 1);
    assert_string_equal(r.list.kept[0].path, "request_timings[0].e2e_ms");
    assert_string_equal(r.list.kept[0].ours, "60.0");
    assert_true(r.list.kept[0].has_request && r.list.kept[0].request == 0);
    check_free(&r);
    options.masked_count = 4;
    r = check(run, both, &options, TT_OK);
    assert_true(r.list.count == 0 && r.masks.differences == 2);
    check_free(&r);
    free(port);
    free(both);
    free(json);
    run_free(run);
}

static void another_run_is_refused(void **state)
{
    (void)state;
    const struct difference_options options = {0};
    char *json, *other_json, *id, *head;
    struct run *run = make_run("own.tape", &json);
    struct run *other = make_run("other.tape", &other_json);
    id = replaced(json, "\"id\": \"07", "\"id\": \"08");
    head = replaced(id, "\"head\": \"", "\"head\": \"");
    char *digit = strstr(head, "\"head\": \"") + strlen("\"head\": \"");
    *digit = *digit == '0' ? '1' : '0';
    struct check_report r = check(run, json, &options, TT_OK);
    assert_true(r.list.count == 0 && r.heads == ARTIFACT_HEADS_SAME);
    check_free(&r);
    r = check(run, id, &options, TT_OK); /* one of the two is a difference */
    assert_true(r.list.count == 1 && r.heads == ARTIFACT_HEADS_SAME);
    check_free(&r);
    r = check(run, head, &options, TT_FOREIGN);
    check_free(&r);
    free(id);
    free(head);
    free(json);
    free(other_json);
    run_free(run);
    run_free(other);
}

static void other_version_is_named(void **state)
{
    (void)state;
    const struct difference_options options = {0};
    char *json;
    struct run *run = make_run("version.tape", &json);
    char *other = replaced(json, "\"analyzer_version\": \"", "\"analyzer_version\": \"9");
    struct check_report r = check(run, other, &options, TT_OK);
    assert_true(r.list.count == 1 && r.version_only && r.other_version);
    check_free(&r);
    free(other);
    free(json);
    run_free(run);
}

static void documents_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        enum tt_status want;
    } cases[] = {
        {"[]", "object", TT_MALFORMED},
        {"{}", "no schema", TT_VERSION},
        {"{\"schema\": 7}", "schema", TT_VERSION},
        {"{\"schema\": \"other/v2\"}", "other/v2", TT_VERSION},
        {"{\"schema\": \"" ARTIFACT_SCHEMA "\", \"a\": [{\"x_ms\": 1e999}]}", "x_ms", TT_MALFORMED},
        {"{\"schema\": \"" ARTIFACT_SCHEMA "\", \"n\": 99999999999999999999}", "n", TT_MALFORMED},
        {"{\"schema\": \"" ARTIFACT_SCHEMA "\", \"context_seed\": 99999999999999999999, \"m\": -3}", NULL, TT_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tt_error err = {0};
        struct json_tree *tree = parse(cases[i].text);
        assert_int_equal(artifact_check_document(json_tree_root(tree), &err), cases[i].want);
        assert_true(!cases[i].part || strstr(err.line, cases[i].part));
        json_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_differ_by_path),
        cmocka_unit_test(numbers_by_text_or_by_value),
        cmocka_unit_test(requests_are_told_apart_by_index),
        cmocka_unit_test(peers_judge_nothing),
        cmocka_unit_test(paths_find_and_cover),
        cmocka_unit_test(texts_show_where_they_differ),
        cmocka_unit_test(masks_are_counted),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(other_version_is_named),
        cmocka_unit_test(documents_are_refused),
    };
    return cmocka_run_group_tests_name("analyzer_check", tests, tape_dir_make, tape_dir_remove);
}
