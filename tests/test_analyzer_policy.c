/* Policies: the built-in ones are what they say, a user's is refused where it is wrong, a result says
 * which one it was made under, and check goes by that. */
#include "analyzer_line.h"

#include "../analyzer/check.h"
#include "../analyzer/json_tree.h"
#include "../analyzer/reason.h"
#include "../analyzer/result.h"

static struct policy built_in(const char *name)
{
    struct policy p;
    struct tt_error err = {0};
    if (policy_load(&p, name, &err) != TT_OK)
        fail_msg("%s: %s", name, err.line);
    return p;
}

/* capacity.json and the effects in the table are one thing. */
static void test_capacity_is_the_standard(void **state)
{
    (void)state;
    struct policy file = built_in("capacity"), standard, zero = {.name = ""};
    char a[17], b[17], c[17];
    policy_begin(&standard);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        enum reason_effect want = reason_describe((enum reason_code)code)->standard;
        if (policy_effect(&file, (enum reason_code)code) != want ||
            policy_effect(&standard, (enum reason_code)code) != want ||
            policy_effect(&zero, (enum reason_code)code) != want)
            fail_msg("%s is not %s", reason_describe((enum reason_code)code)->id, reason_effect_name(want));
    }
    policy_fingerprint(&file, a);
    policy_fingerprint(&standard, b);
    policy_fingerprint(&zero, c);
    assert_string_equal(a, b);
    assert_string_equal(a, c);
    assert_string_equal(a, "94a8a0f7855416c8"); /* another one is another version: count it up in capacity.json */
    assert_string_equal(policy_name(&zero), "capacity");
    assert_true(file.version == 1 && !file.own && !policy_is_changed(&file));
}

static void test_serving_comparison_is_the_plan(void **state)
{
    (void)state;
    struct policy p = built_in("serving-comparison");
    static const enum reason_code excluding[] = {
        REASON_MARKER_NOT_FIRST,   REASON_FOREIGN_MARKER,       REASON_FOREIGN_MARKER_IN_REASONING,
        REASON_CAPTURE_INCOMPLETE, REASON_CONTROLLED_NOT_EXACT, REASON_CANARIES_OFF,
        REASON_FINISH_NOT_ALLOWED, REASON_USAGE_NOT_EXACT,      REASON_USAGE_MISSING,
        REASON_NO_TERMINAL,        REASON_NO_VISIBLE_OUTPUT};
    for (size_t i = 0; i < sizeof excluding / sizeof *excluding; i++)
        assert_int_equal(policy_effect(&p, excluding[i]), REASON_EXCLUDES);
    assert_int_equal(policy_effect(&p, REASON_NOT_ALL_COMPLETE), REASON_WITHHOLDS);
    assert_int_equal(policy_effect(&p, REASON_PROTOCOL_DIFFERS), REASON_WITHHOLDS);
    assert_true(policy_allows_finish(&p, "stop") && !policy_allows_finish(&p, "content_filter"));
    char print[17];
    policy_fingerprint(&p, print);
    assert_string_equal(
        print, "ed4ff194acd88b6e"); /* another one is another version: count it up in serving-comparison.json */
}

/* ---- a user's file ---- */

#define HEAD "{\"policy\":\"mine\",\"version\":1,\"meaning\":\"m\","
#define LISTS "\"excludes\":[],\"withholds\":[],\"warns\":[]}"
#define FIRST "\"parameters\":{\"capture\":\"first-8192\"},"

static const char *write_policy(const char *text, size_t n)
{
    const char *path = tape_path("policy.json");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    return path;
}

static void fingerprint_allowing(const char *allowed, char out[17])
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     HEAD "\"parameters\":{\"capture\":\"complete\",\"finish_reasons\":[%s]},"
                          "\"excludes\":[\"finish_reason_not_allowed\"],\"withholds\":[],\"warns\":[]}",
                     allowed);
    const char *path = write_policy(text, (size_t)n);
    struct policy p;
    struct tt_error err = {0};
    assert_int_equal(policy_load(&p, path, &err), TT_OK);
    policy_fingerprint(&p, out);
    unlink(path);
}

static void test_order_makes_no_other_policy(void **state)
{
    (void)state;
    char a[17], b[17], c[17];
    fingerprint_allowing("\"stop\",\"length\",\"tool_calls\"", a);
    fingerprint_allowing("\"length\",\"tool_calls\",\"stop\"", b);
    fingerprint_allowing("\"length\",\"stop\"", c);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
}

static void refused(const char *text, size_t n, const char *part)
{
    struct policy p;
    struct tt_error err = {0};
    const char *path = write_policy(text, n);
    enum tt_status st = policy_load(&p, path, &err);
    if (st != TT_USAGE || !strstr(err.line, part) || !strstr(err.line, path) || strchr(err.line, '\n') ||
        !strstr(err.line, "; "))
        fail_msg("%.200s: %s '%s', which lacks '%s'", text, tt_status_name(st), err.line, part);
}

static void test_wrong_files_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "end"},
        {"[]", "not a JSON object"},
        {"{}", "policy is missing"},
        {HEAD FIRST "\"excludes\":[],\"withholds\":[]}", "warns is missing"},
        {HEAD FIRST "\"extra\":1," LISTS, "unknown key extra"},
        {HEAD FIRST FIRST LISTS, "twice"},
        {HEAD FIRST "\"excludes\":[\"no_such\"],\"withholds\":[],\"warns\":[]}", "unknown reason 'no_such'"},
        {HEAD FIRST "\"excludes\":[\"none\"],\"withholds\":[],\"warns\":[]}", "unknown reason 'none'"},
        {HEAD FIRST "\"excludes\":[7],\"withholds\":[],\"warns\":[]}", "excludes holds"},
        {HEAD FIRST "\"excludes\":{},\"withholds\":[],\"warns\":[]}", "excludes is no list"},
        {HEAD FIRST "\"excludes\":[\"dns_error\",\"dns_error\"],\"withholds\":[],\"warns\":[]}", "dns_error twice"},
        {HEAD FIRST "\"excludes\":[\"dns_error\"],\"withholds\":[],\"warns\":[\"dns_error\"]}",
         "dns_error both excludes and warns"},
        {HEAD FIRST "\"excludes\":[\"reads_lost\"],\"withholds\":[],\"warns\":[]}", "put it into withholds"},
        {HEAD FIRST "\"excludes\":[],\"withholds\":[],\"warns\":[\"no_row\"]}", "always excludes"},
        {HEAD FIRST "\"excludes\":[],\"withholds\":[\"no_duration\"],\"warns\":[]}", "always withholds"},
        {HEAD "\"parameters\":{}," LISTS, "lacks capture"},
        {HEAD "\"parameters\":[]," LISTS, "no object"},
        {HEAD "\"parameters\":{\"capture\":\"all\"}," LISTS, "capture is neither"},
        {HEAD "\"parameters\":{\"capture\":null}," LISTS, "capture is neither"},
        {HEAD "\"parameters\":{\"capture\":\"complete\",\"finish\":[]}," LISTS, "unknown parameter finish"},
        {HEAD "\"parameters\":{\"capture\":\"complete\",\"finish_reasons\":[\"stop\"]}," LISTS, "is not named"},
        {HEAD FIRST "\"excludes\":[\"finish_reason_not_allowed\"],\"withholds\":[],\"warns\":[]}",
         "lacks finish_reasons"},
        {HEAD "\"parameters\":{\"capture\":\"complete\",\"finish_reasons\":[]},"
              "\"excludes\":[\"finish_reason_not_allowed\"],\"withholds\":[],\"warns\":[]}",
         "no list of at least one"},
        {HEAD "\"parameters\":{\"capture\":\"complete\",\"finish_reasons\":[\"a\",\"a\"]},"
              "\"excludes\":[\"finish_reason_not_allowed\"],\"withholds\":[],\"warns\":[]}",
         "'a' twice"},
        {HEAD "\"parameters\":{\"capture\":\"complete\",\"finish_reasons\":[\"\"]},"
              "\"excludes\":[\"finish_reason_not_allowed\"],\"withholds\":[],\"warns\":[]}",
         "finish_reasons holds"},
        {"{\"policy\":\"capacity\",\"version\":1,\"meaning\":\"m\"," FIRST LISTS, "is a built-in one"},
        {"{\"policy\":\"Mine\",\"version\":1,\"meaning\":\"m\"," FIRST LISTS, "policy is no name"},
        {"{\"policy\":\"a\\u0000b\",\"version\":1,\"meaning\":\"m\"," FIRST LISTS, "policy is no name"},
        {"{\"policy\":\"mine\",\"version\":0,\"meaning\":\"m\"," FIRST LISTS, "version is no integer"},
        {"{\"policy\":\"mine\",\"version\":1.5,\"meaning\":\"m\"," FIRST LISTS, "version is no integer"},
        {"{\"policy\":\"mine\",\"version\":4294967296,\"meaning\":\"m\"," FIRST LISTS, "version is no integer"},
        {"{\"policy\":\"mine\",\"version\":NaN,\"meaning\":\"m\"," FIRST LISTS, "byte"},
        {"{\"policy\":\"mine\",\"version\":1,\"meaning\":\"\"," FIRST LISTS, "meaning is no text"},
        {HEAD FIRST LISTS " x", "byte"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

static void test_huge_and_deep_files_are_refused(void **state)
{
    (void)state;
    size_t huge = POLICY_MAX_BYTES + 1, deep = 100000;
    char *text = malloc(huge + 1);
    assert_non_null(text);
    memset(text, ' ', huge);
    refused(text, huge, "longer than");
    memset(text, '[', deep);
    text[deep] = '\0';
    refused(text, deep, "deep");
    free(text);
}

static void test_exit_statuses(void **state)
{
    (void)state;
    const char *tape = tape_path("exits.tape");
    struct maker m = maker_begin(tape, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_answer(&m, 1, 40, DELTA("content", "a"));
    maker_finish(&m, 101);
    expect(run_line("summary %s --policy capacity", tape), 0, TT_OK, NULL);
    expect(run_line("summary %s --policy serving-comparison", tape), 1, TT_OK, NULL);
    expect(run_line("summary %s --policy nosuch", tape), 2, TT_USAGE, "serving-comparison");
    expect(run_line("result %s --policy %s/absent.json", tape, tape_dir), 5, TT_IO, "check the name");
    expect(run_line("policies"), 0, TT_OK, NULL);
    expect(run_line("policies --json"), 0, TT_OK, NULL);
    expect(run_line("policies serving-comparison"), 0, TT_OK, NULL);
    expect(run_line("policies nosuch"), 2, TT_USAGE, "nosuch");
    expect(run_line("reasons"), 0, TT_OK, NULL);
    expect(run_line("reasons --json"), 0, TT_OK, NULL);
    const char *path = write_policy("{}", 2);
    expect(run_line("summary %s --policy %s", tape, path), 2, TT_USAGE, "is missing");
    expect(run_line("policies %s", path), 2, TT_USAGE, "is missing");
    static const char good[] = HEAD FIRST LISTS;
    write_policy(good, sizeof good - 1);
    expect(run_line("policies %s", path), 0, TT_OK, NULL);
    expect(run_line("summary %s --policy %s", tape, path), 0, TT_OK, NULL);
}

/* ---- deriving ---- */

static struct run *canary_run(const char *name)
{
    const char *path = tape_path(name);
    struct maker_options options = {.requests = 2, .canaries = true};
    struct maker m = maker_begin(path, &options, true);
    put_answer(&m, 0, 1, DELTA("content", "ANVIL_REQ_0_00000 a"));
    put_answer(&m, 1, 40, DELTA("content", "no marker"));
    maker_finish(&m, 101);
    return load_judged(path);
}

static void test_a_reason_can_be_left_out(void **state)
{
    (void)state;
    struct run *run = canary_run("without.tape");
    struct policy p = built_in("capacity");
    struct tt_error err = {0};
    assert_false(request_succeeded(&run->requests[1]) || run_performance_eligible(run));
    assert_int_equal(policy_without(&p, "canary_failed", &err), TT_OK);
    assert_true(policy_is_changed(&p));
    eligibility_judge(run, &p);
    assert_true(request_succeeded(&run->requests[1]) && run_performance_eligible(run));
    eligibility_judge(run, NULL); /* and back */
    assert_string_equal(run->requests[1].verdict.error_type, "canary_failed");
    assert_int_equal(policy_without(&p, "canary_failed", &err), TT_USAGE); /* it is no more named */
    assert_int_equal(policy_without(&p, "no_such", &err), TT_USAGE);
    assert_int_equal(policy_without(&p, "no_row", &err), TT_USAGE);
    policy_set_capture(&p, POLICY_CAPTURE_COMPLETE);
    assert_true(p.capture_changed);
    policy_set_capture(&p, POLICY_CAPTURE_FIRST);
    assert_false(p.capture_changed);
    run_free(run);
}

/* What no policy excludes and has no times stays out all the same, by a reason of its own. */
static void test_nothing_to_count_stays_out(void **state)
{
    (void)state;
    static const char lax[] = HEAD FIRST LISTS;
    struct policy p;
    struct tt_error err = {0};
    const char *path = tape_path("lax.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 1, DELTA("content", "a"));
    put_start(&m, 1, 40);
    put_done_with(&m, 1, 41, 7, "fault", NULL);
    maker_finish(&m, 101);
    struct run *run = load_judged(path);
    assert_string_equal(run->requests[1].verdict.error_type, "connect_error");
    assert_int_equal(policy_load(&p, write_policy(lax, sizeof lax - 1), &err), TT_OK);
    eligibility_judge(run, &p);
    assert_true(request_succeeded(&run->requests[0]));
    assert_string_equal(run->requests[1].verdict.error_type, "no_row");
    assert_int_equal(run->requests[1].verdict.failure, FAILURE_REQUEST_ERROR); /* no stream came */
    assert_true(run_performance_eligible(run));                                /* nothing withholds it */
    run_free(run);
}

/* ---- results ---- */

static struct json_tree *result_of(const struct run *run)
{
    struct json_out *o = json_out_create(2);
    struct result_options options = {.schema_exact = false};
    struct json_tree *tree;
    struct tt_error err = {0};
    assert_int_equal(result_write(run, &options, o, &err), TT_OK);
    assert_int_equal(json_tree_parse(&tree, json_out_bytes(o), &err), TT_OK);
    json_out_free(o);
    return tree;
}

static uint64_t differences(struct run *run, const struct json_tree *result, const struct policy *p)
{
    struct difference_options options = {0};
    struct check_report report;
    struct tt_error err = {0};
    eligibility_judge(run, p);
    assert_int_equal(check_result(run, json_tree_root(result), &options, &report, &err), TT_OK);
    uint64_t n = report.list.count;
    check_free(&report);
    return n;
}

static void test_a_result_says_how_it_was_made(void **state)
{
    (void)state;
    struct run *run = canary_run("claim.tape");
    struct policy made = built_in("serving-comparison"), p;
    struct tt_error err = {0};
    assert_int_equal(policy_without(&made, "marker_not_first", &err), TT_OK);
    assert_int_equal(policy_without(&made, "usage_missing", &err), TT_OK);
    policy_set_capture(&made, POLICY_CAPTURE_COMPLETE);
    eligibility_judge(run, &made);
    struct json_tree *result = result_of(run);
    assert_int_equal(policy_of_result(&p, json_tree_root(result), NULL, &err), TT_OK);
    assert_memory_equal(&p.without, &made.without, sizeof p.without);
    assert_true(p.capture_changed && p.capture == POLICY_CAPTURE_COMPLETE);
    assert_int_equal(differences(run, result, &p), 0);
    assert_true(differences(run, result, NULL) > 0);
    json_tree_free(result);
    run_free(run);
}

static void test_what_was_changed_is_told(void **state)
{
    (void)state;
    char told[POLICY_CHANGES_BYTES];
    struct policy p = built_in("capacity");
    struct tt_error err = {0};
    assert_string_equal(policy_changes(&p, told), "");
    policy_set_strict_timing(&p);
    assert_string_equal(policy_changes(&p, told), ", changed (strict timing)");
    policy_set_capture(&p, POLICY_CAPTURE_COMPLETE);
    assert_string_equal(policy_changes(&p, told), ", changed (capture complete; strict timing)");
    assert_int_equal(policy_without(&p, "canary_failed", &err), TT_OK);
    assert_int_equal(policy_without(&p, "no_output", &err), TT_OK);
    assert_string_equal(policy_changes(&p, told),
                        ", changed (without no_output, canary_failed; capture complete; strict timing)");
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) /* as many as there are */
        policy_without(&p, reason_describe((enum reason_code)code)->id, &err);
    assert_non_null(strstr(policy_changes(&p, told), " more; capture complete; strict timing)"));
}

static void test_a_result_of_an_unknown_policy_is_no_input(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"name\":\"mine\",\"source\":\"file\",\"version\":1}", "--policy FILE"},
        {"{\"name\":\"mine\",\"source\":\"built-in\",\"version\":1}", "--policy FILE"},
        {"{\"name\":\"capacity\",\"source\":\"file\",\"version\":1}", "no file may bear the name"},
        {"{\"name\":\"capacity\",\"source\":\"built-in\",\"version\":2}", "version 2"},
        {"{\"name\":\"capacity\",\"source\":\"built-in\"}", "no integer as its version"},
        {"{\"name\":\"capacity\",\"source\":\"built-in\",\"version\":1.0}", "no integer as its version"},
        {"{\"name\":\"capacity\\u0000\",\"source\":\"built-in\",\"version\":1}", "no name"},
        {"{\"name\":\"\",\"source\":\"file\",\"version\":1}", "no name"},
        {"{\"name\":\"capacity\",\"source\":\"built-in\",\"version\":1,\"without\":[\"no_such\"]}", "without"},
        {"{\"version\":1}", "no name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct json_tree *tree;
        struct policy p;
        struct tt_error err = {0};
        snprintf(text, sizeof text, "{\"trace\":{\"policy\":%s}}", cases[i][0]);
        assert_int_equal(json_tree_parse(&tree, tt_view_str(text), &err), TT_OK);
        if (policy_of_result(&p, json_tree_root(tree), NULL, &err) != TT_VERSION || !strstr(err.line, cases[i][1]))
            fail_msg("%s: '%s'", text, err.line);
        json_tree_free(tree);
    }
}

static void test_check_goes_by_the_policy(void **state)
{
    (void)state;
    static const char good[] = HEAD FIRST "\"excludes\":[\"no_terminal\"],\"withholds\":[],\"warns\":[]}";
    const char *tape = tape_path("check.tape"), *own = tape_path("own.json"), *built = tape_path("built.json");
    run_free(canary_run("check.tape"));
    const char *path = write_policy(good, sizeof good - 1);
    expect(run_line("result %s --policy %s -o %s", tape, path, own), 0, TT_OK, NULL);
    expect(run_line("result %s --policy serving-comparison -o %s", tape, built), 1, TT_OK, NULL);
    expect(run_line("check %s %s", tape, built), 0, TT_OK, NULL);
    expect(run_line("check %s %s", tape, own), 5, TT_VERSION, "--policy FILE");
    expect(run_line("check %s %s --policy %s", tape, own, path), 0, TT_OK, NULL);
    expect(run_line("check %s %s --policy capacity", tape, own), 1, TT_OK, NULL);
    static const char other[] = HEAD FIRST "\"excludes\":[\"no_output\"],\"withholds\":[],\"warns\":[]}";
    write_policy(other, sizeof other - 1); /* the same name, and nothing it changes here: its fingerprint tells */
    expect(run_line("check %s %s --policy %s", tape, own, path), 1, TT_OK, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacity_is_the_standard),
        cmocka_unit_test(test_serving_comparison_is_the_plan),
        cmocka_unit_test(test_order_makes_no_other_policy),
        cmocka_unit_test(test_wrong_files_are_refused),
        cmocka_unit_test(test_huge_and_deep_files_are_refused),
        cmocka_unit_test(test_exit_statuses),
        cmocka_unit_test(test_a_reason_can_be_left_out),
        cmocka_unit_test(test_nothing_to_count_stays_out),
        cmocka_unit_test(test_a_result_says_how_it_was_made),
        cmocka_unit_test(test_what_was_changed_is_told),
        cmocka_unit_test(test_a_result_of_an_unknown_policy_is_no_input),
        cmocka_unit_test(test_check_goes_by_the_policy),
    };
    return cmocka_run_group_tests_name("analyzer_policy", tests, tape_dir_make, tape_dir_remove);
}
