/* audit: no false alarm on what was published, each generation with what it can carry; its list. */
#include "golden.h"

#include "../analyzer/audit.h"

struct totals {
    size_t files, proven, unprovable;
};

static struct audit_report audit_text(const char *text, size_t n, const char *name)
{
    struct json_tree *tree;
    struct audit_report report = {0};
    struct tt_error err = {0};
    if (json_tree_parse(&tree, tt_view_of(text, n), &err) != TT_OK ||
        artifact_check_document(json_tree_root(tree), &err) != TT_OK ||
        audit_result(json_tree_root(tree), &report, &err) != TT_OK)
        fail_msg("%s: %s", name, err.line);
    json_tree_free(tree);
    return report;
}

static struct audit_report audit_file(const char *path)
{
    struct json_tree *tree;
    struct audit_report report = {0};
    struct tt_error err = {0};
    if (artifact_load(&tree, path, &err) != TT_OK || audit_result(json_tree_root(tree), &report, &err) != TT_OK)
        fail_msg("%s: %s", path, err.line);
    json_tree_free(tree);
    return report;
}

/* Nothing contradicts; what is proven and what is not, by name. */
static void expect_clean(const char *path, void *user)
{
    struct totals *t = user;
    struct audit_report r = audit_file(path);
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    const char *name = strrchr(path, '/');
    print_message("# %s (%s): %zu proven, %zu not provable:", name ? name + 1 : path,
                  artifact_generation_name(r.generation), r.proven, r.unprovable);
    for (size_t i = 0; i < n; i++) {
        if (r.findings[i].verdict == AUDIT_CONTRADICTED)
            fail_msg("%s: %s: %s", path, list[i].id, r.findings[i].text);
        if (r.findings[i].verdict == AUDIT_UNPROVABLE) {
            assert_true(r.findings[i].text[0] != '\0'); /* never without a reason */
            print_message(" %s", list[i].id);
        }
    }
    print_message("\n");
    assert_int_equal(r.proven + r.unprovable, n);
    t->files++;
    t->proven += r.proven;
    t->unprovable += r.unprovable;
}

static void golden_has_no_false_alarm(void **state)
{
    (void)state;
    struct totals t = {0};
    golden_each(expect_clean, &t);
    print_message("# figure: %zu published results audited, nothing contradicts: %zu proven, %zu not provable\n",
                  t.files, t.proven, t.unprovable);
    assert_true(t.files > 0);
}

static void seed_has_no_false_alarm(void **state)
{
    (void)state;
    struct totals t = {0};
    char path[1024];
    expect_clean(seed_path(path), &t);
    assert_true(t.proven >= 26);
}

/* A result of this program whose requests succeeded leaves nothing unproven. */
static void own_results_are_proven(void **state)
{
    (void)state;
    static const char *const names[] = {"good/plain.json", "good/reasoning.json", "good/failures.json"};
    for (size_t i = 0; i < 3; i++) {
        struct totals t = {0};
        char path[1024];
        expect_clean(fixture_path(path, names[i]), &t);
        assert_int_equal(t.unprovable, 0);
    }
}

static const struct audit_finding *finding(const struct audit_report *r, const char *id)
{
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].id, id) == 0)
            return &r->findings[i];
    fail_msg("no invariant %s", id);
    return NULL;
}

static void generations_carry_what_they_can(void **state)
{
    (void)state;
    static const char july[] =
        "{\"base_url\":\"http://h/v1\",\"completed\":1,\"concurrency\":1,\"context_tokens\":null,"
        "\"max_context_tokens\":null,\"max_tokens\":9,\"metrics\":{\"ttft_p50_ms\":1.5},"
        "\"model\":\"m\",\"requests\":1,\"run_id\":\"benchmark-20260711T072923Z\",\"schema\":\"" ARTIFACT_SCHEMA "\","
        "\"serve_flags\":{\"no_thinking\":false,\"shared_prefix_burst\":false,"
        "\"thinking_mode\":\"default\"}}";
    struct audit_report r = audit_text(july, sizeof july - 1, "July");
    assert_int_equal(r.contradicted, 0);
    assert_int_equal(r.generation, ARTIFACT_NO_ROWS);
    assert_int_equal(finding(&r, "form.keys")->verdict, AUDIT_PROVEN);
    assert_int_equal(finding(&r, "settings")->verdict, AUDIT_PROVEN);
    assert_int_equal(finding(&r, "metrics.distributions")->verdict, AUDIT_UNPROVABLE);
    assert_int_equal(finding(&r, "times.labels")->verdict, AUDIT_UNPROVABLE);
    assert_int_equal(finding(&r, "counts")->verdict, AUDIT_UNPROVABLE); /* completed <= requests is not all of it */
    assert_true(strstr(finding(&r, "counts")->text, "rows"));
}

/* Rows that cannot be read are a contradiction, and nothing that needs them is proven. */
static void unreadable_rows_prove_nothing(void **state)
{
    (void)state;
    char path[1024], *text = malloc(1 << 20);
    FILE *f = fopen(seed_path(path), "rb");
    assert_non_null(text);
    assert_non_null(f);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    text[n] = '\0';
    char *at = strstr(text, "\"ttft_ms\": 2");
    assert_non_null(at);
    memcpy(at, "\"ttft_mx\"", 9);
    struct audit_report r = audit_text(text, strlen(text), "no ttft_ms");
    assert_int_equal(finding(&r, "form.keys")->verdict, AUDIT_CONTRADICTED);
    assert_int_equal(finding(&r, "rows.formulas")->verdict, AUDIT_UNPROVABLE);
    assert_int_equal(finding(&r, "metrics.distributions")->verdict, AUDIT_UNPROVABLE);
    free(text);
}

static void list_is_in_order(void **state)
{
    (void)state;
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    assert_true(n > 30 && n <= AUDIT_INVARIANTS);
    for (size_t i = 0; i < n; i++) {
        assert_true(list[i].id[0] && list[i].meaning[0] && list[i].source[0] && list[i].check);
        assert_true(list[i].since == ARTIFACT_NO_ROWS || list[i].before);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(list[i].id, list[k].id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_has_no_false_alarm),     cmocka_unit_test(seed_has_no_false_alarm),
        cmocka_unit_test(own_results_are_proven),        cmocka_unit_test(generations_carry_what_they_can),
        cmocka_unit_test(unreadable_rows_prove_nothing), cmocka_unit_test(list_is_in_order),
    };
    return cmocka_run_group_tests_name("analyzer_audit", tests, NULL, NULL);
}
