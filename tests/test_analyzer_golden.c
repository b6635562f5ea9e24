/* Published artifacts against our arithmetic: the rows of each, through the code
 * that `result` uses, must give its stored derived fields and metrics bit for bit. */
#include "golden.h"

#include <math.h>

#include "../analyzer/artifact.h"
#include "../analyzer/metrics.h"

#define MAX_BYTES (4u << 20)

struct totals {
    unsigned artifacts, without_rows, rows, failure_rows, row_fields, keys, distribution_keys, adjacent_wall;
    unsigned not_cache, not_chunks, not_ours;
};

static struct json_tree *load(const char *path)
{
    struct json_tree *tree = NULL;
    struct tt_error err;
    if (json_tree_load(&tree, path, MAX_BYTES, &err) != TT_OK)
        fail_msg("%s: %s", path, err.line);
    return tree;
}

/* The stored text must be the text we would print: same bits and same type. */
static void expect_text(const struct json_node *stored, struct opt_double ours, const char *path, const char *key)
{
    char text[32] = "null";
    size_t n = 4;
    if (ours.has)
        n = json_out_repr(ours.v, text);
    struct tt_view want = stored->type == JSON_NULL ? tt_view_str("null") : stored->text;
    if (want.n != n || memcmp(want.p, text, n) != 0)
        fail_msg("%s: %s is %.*s, recomputed %.*s", path, key, (int)want.n, (const char *)want.p, (int)n, text);
}

static unsigned expect_row(const struct json_node *node, const struct row *row, const char *path)
{
    const struct {
        const char *key;
        struct opt_double ours;
    } fields[] = {
        {"generation_ms", {true, row->generation_ms}},
        {"visible_generation_ms", {true, row->visible_generation_ms}},
        {"effective_prefill_tok_s", row->effective_prefill_tok_s},
        {"decode_tok_s", row->decode_tok_s},
        {"mean_inter_token_latency_ms", row->time_per_output_token_ms},
        {"mean_time_per_output_token_ms", row->time_per_output_token_ms},
        {"tpot_ms", row->time_per_output_token_ms},
    };
    unsigned compared = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct json_node *stored = json_node_get(node, fields[i].key);
        if (!stored)
            continue;
        expect_text(stored, fields[i].ours, path, fields[i].key);
        compared++;
    }
    return compared;
}

static void expect_rows(const struct artifact *a, const struct json_node *root, const char *path, struct totals *t)
{
    const struct json_node *node = a->row_nodes;
    for (size_t i = 0; i < a->n; i++, node = node->next)
        t->row_fields += expect_row(node, &a->rows[i], path);
    t->rows += (unsigned)a->n;
    const struct json_node *failures = json_node_get(root, "failures");
    for (node = failures ? failures->child : NULL; node; node = node->next) {
        const struct json_node *timing = json_node_get(node, "response_timing");
        struct row row;
        struct tt_error err;
        if (!timing || timing->type == JSON_NULL)
            continue;
        assert_int_equal(artifact_read_row(&row, timing, "response_timing", &err), TT_OK);
        t->row_fields += expect_row(timing, &row, path);
        t->failure_rows++;
    }
}

/* Rows do not hold cached tokens, and before August they held no chunk counts. */
static bool cannot_be_recomputed(const struct artifact *a, const char *key, struct totals *t)
{
    if (strcmp(key, "prefix_cache_hit_avg") == 0) {
        t->not_cache++;
        return true;
    }
    if (a->generation < ARTIFACT_AUGUST && strcmp(key, "content_chunks") == 0) {
        t->not_chunks++;
        return true;
    }
    return false;
}

/* One artifact divided by wall seconds that are the double below its
 * wall_clock_ms / 1000; nothing else may differ, and it only there. */
static bool is_adjacent_wall(const struct artifact *a, const struct metrics *m, const char *path, const char *key,
                             const struct json_node *stored)
{
    double want, seconds = a->wall_clock_ms / 1000, tokens = (double)m->output_tokens.v;
    if (strcmp(key, "throughput_tok_s") != 0 || !strstr(path, "capacity-32k-c1-reasoning-v4-max2048") ||
        !json_node_double(stored, &want) || tokens / seconds == want)
        return false;
    return tokens / nextafter(seconds, 0) == want || tokens / nextafter(seconds, INFINITY) == want;
}

static void expect_sources(const struct json_node *stored, const struct metrics *m)
{
    uint64_t usage = 0, chunks = 0;
    json_node_u64(json_node_get(stored, "usage"), &usage);
    json_node_u64(json_node_get(stored, "content_chunks"), &chunks);
    assert_int_equal(usage, m->usage_sources);
    assert_int_equal(chunks, m->chunk_sources);
    assert_int_equal(stored->children, (usage > 0) + (chunks > 0));
}

static void expect_entry(const struct json_node *stored, const struct metrics_entry *entry, const struct metrics *m,
                         const char *path)
{
    char text[24];
    switch (entry->type) {
    case METRICS_SOURCES:
        expect_sources(stored, m);
        break;
    case METRICS_BOOL:
        assert_int_equal(stored->type, entry->count ? JSON_TRUE : JSON_FALSE);
        break;
    case METRICS_COUNT:
        snprintf(text, sizeof text, "%llu", (unsigned long long)entry->count);
        if (!tt_view_equal(stored->text, text))
            fail_msg("%s: %s recomputed %s", path, entry->key, text);
        break;
    case METRICS_DOUBLE:
    case METRICS_NULL:
        expect_text(stored, (struct opt_double){entry->type == METRICS_DOUBLE, entry->number}, path, entry->key);
        break;
    }
}

static bool is_distribution_key(const char *key)
{
    static const char *const statistics[] = {"_samples", "_mean", "_stddev", "_min", "_p25", "_p50",
                                             "_p75",     "_p90",  "_p95",    "_p99", "_max"};
    static const char *const scalars[] = {"prompt_token_samples", "request_canary_samples",
                                          "controlled_output_samples"};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(key, scalars[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
        const char *at = strstr(key, statistics[i]);
        while (at && strstr(at + 1, statistics[i])) /* mean_..._mean */
            at = strstr(at + 1, statistics[i]);
        if (at && at != key)
            return true;
    }
    return false;
}

static void expect_metrics(const struct artifact *a, const char *path, struct totals *t)
{
    struct metrics m;
    struct metrics_entry entries[METRICS_KEYS];
    struct metrics_input in = {a->rows, a->n, a->wall_clock_ms, a->eligible};
    size_t found = 0;
    assert_int_equal(metrics_compute(&in, &m), TT_OK);
    metrics_list(&m, entries);
    for (size_t i = 0; i < METRICS_KEYS; i++) {
        const struct json_node *stored = json_node_get(a->metrics, entries[i].key);
        found += stored != NULL;
        if (!stored || cannot_be_recomputed(a, entries[i].key, t))
            continue;
        if (is_adjacent_wall(a, &m, path, entries[i].key, stored))
            t->adjacent_wall++;
        else
            expect_entry(stored, &entries[i], &m, path);
        t->keys++;
        t->distribution_keys += is_distribution_key(entries[i].key);
    }
    t->not_ours += (unsigned)(a->metrics->children - found);
}

static void check_artifact(const char *path, void *user)
{
    struct totals *t = user;
    struct json_tree *tree = load(path);
    struct artifact a;
    struct tt_error err;
    if (artifact_read(&a, json_tree_root(tree), &err) != TT_OK)
        fail_msg("%s: %s", path, err.line);
    unsigned keys = t->keys, fields = t->row_fields;
    t->artifacts++;
    if (a.generation == ARTIFACT_NO_ROWS) {
        t->without_rows++;
    } else {
        expect_rows(&a, json_tree_root(tree), path, t);
        expect_metrics(&a, path, t);
    }
    const char *name = strrchr(path, '/');
    print_message("# %s (%s): %zu rows, %u row fields, %u of %zu metric keys\n", name ? name + 1 : path,
                  artifact_generation_name(a.generation), a.n, t->row_fields - fields, t->keys - keys,
                  a.metrics->children);
    artifact_free(&a);
    json_tree_free(tree);
}

static void seed_recomputes(void **state)
{
    (void)state;
    struct totals t = {0};
    char path[1024];
    check_artifact(seed_path(path), &t);
    print_message("# seed: %u distribution keys, %u keys in all, bit for bit\n", t.distribution_keys, t.keys);
    assert_int_equal(t.distribution_keys, 143);
    assert_int_equal(t.keys, METRICS_KEYS - 1); /* all but prefix_cache_hit_avg */
    assert_int_equal(t.rows, 8);
    assert_int_equal(t.row_fields, 8 * 7);
    assert_int_equal(t.not_ours, 0);
}

static void golden_recomputes(void **state)
{
    (void)state;
    struct totals t = {0};
    golden_each(check_artifact, &t);
    print_message("# golden: %u artifacts (%u without rows: nothing to recompute), %u rows and %u rows of failures: "
                  "%u derived fields, %u metric keys (%u of distributions) bit for bit\n",
                  t.artifacts, t.without_rows, t.rows, t.failure_rows, t.row_fields, t.keys, t.distribution_keys);
    print_message("# not compared: prefix_cache_hit_avg %u times (rows hold no cached tokens), content_chunks %u times "
                  "(July rows hold no chunk counts), %u keys of no rule here; throughput over the double next to "
                  "wall_clock_ms / 1000: %u\n",
                  t.not_cache, t.not_chunks, t.not_ours, t.adjacent_wall);
    assert_true(t.artifacts > 0);
    assert_int_equal(t.not_ours, 0);
    assert_true(t.adjacent_wall <= 1);
}

static void write_node(struct json_out *o, const struct json_node *node)
{
    uint64_t count;
    double number = 0;
    switch (node->type) {
    case JSON_OBJECT_BEGIN:
        json_out_object(o);
        for (const struct json_node *child = node->child; child; child = child->next) {
            json_out_key(o, (const char *)child->key.p);
            write_node(o, child);
        }
        json_out_object_end(o);
        break;
    case JSON_ARRAY_BEGIN:
        json_out_array(o);
        for (const struct json_node *child = node->child; child; child = child->next)
            write_node(o, child);
        json_out_array_end(o);
        break;
    case JSON_STRING:
        json_out_string(o, node->text);
        break;
    case JSON_NUMBER:
        if (json_node_u64(node, &count))
            json_out_u64(o, count);
        else if (json_node_double(node, &number))
            json_out_double(o, number);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_out_bool(o, node->type == JSON_TRUE);
        break;
    default:
        json_out_null(o);
        break;
    }
}

/* Their files came out of json.dumps(indent=2, sort_keys=True): ours must be those bytes. */
static void expect_same_bytes(const char *path, void *unused)
{
    (void)unused;
    struct json_tree *tree = load(path);
    struct json_out *o = json_out_create(2);
    uint8_t *bytes = malloc(MAX_BYTES);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_non_null(bytes);
    size_t n = fread(bytes, 1, MAX_BYTES, f);
    fclose(f);
    write_node(o, json_tree_root(tree));
    json_out_newline(o);
    struct tt_view ours = json_out_bytes(o);
    if (ours.n != n)
        fail_msg("%s: %zu bytes written for %zu", path, ours.n, n);
    assert_memory_equal(ours.p, bytes, n);
    free(bytes);
    json_out_free(o);
    json_tree_free(tree);
}

static void golden_bytes_are_ours(void **state)
{
    (void)state;
    unsigned files = golden_each(expect_same_bytes, NULL);
    print_message("# golden: %u files written again, byte for byte\n", files);
    assert_true(files > 0);
}

/* A changed last digit must be seen, else the other tests prove nothing. */
static void one_changed_bit_is_seen(void **state)
{
    (void)state;
    char path[1024];
    struct json_tree *tree = load(seed_path(path));
    struct artifact a;
    struct metrics m, changed;
    assert_int_equal(artifact_read(&a, json_tree_root(tree), NULL), TT_OK);
    struct metrics_input in = {a.rows, a.n, a.wall_clock_ms, a.eligible};
    assert_int_equal(metrics_compute(&in, &m), TT_OK);
    a.rows[3].e2e_ms = nextafter(a.rows[3].e2e_ms, 0);
    row_derive(&a.rows[3]);
    assert_int_equal(metrics_compute(&in, &changed), TT_OK);
    assert_true(m.distribution[METRICS_E2E].max != changed.distribution[METRICS_E2E].max);
    assert_true(m.distribution[METRICS_GENERATION].max != changed.distribution[METRICS_GENERATION].max);
    artifact_free(&a);
    json_tree_free(tree);
}

static void refuse(const char *text, enum tt_status want)
{
    struct json_tree *tree = NULL;
    struct artifact a;
    struct tt_error err = {0};
    assert_int_equal(json_tree_parse(&tree, tt_view_str(text), &err), TT_OK);
    assert_int_equal(artifact_read(&a, json_tree_root(tree), &err), want);
    assert_true(err.line[0] != '\0');
    artifact_free(&a);
    json_tree_free(tree);
}

#define HEAD "{\"schema\": \"anvil-serving.benchmark/v1\", \"metrics\": {}, \"requests\": 1, "

static void odd_artifacts_are_refused(void **state)
{
    (void)state;
    refuse("[]", TT_MALFORMED);
    refuse("{\"schema\": \"other/v1\"}", TT_VERSION);
    refuse("{\"schema\": \"anvil-serving.benchmark/v1\"}", TT_MALFORMED);
    refuse(HEAD "\"request_timings\": []}", TT_MALFORMED);
    refuse(HEAD "\"wall_clock_ms\": 1, \"request_timings\": {}}", TT_MALFORMED);
    refuse(HEAD "\"wall_clock_ms\": 1, \"request_timings\": [7]}", TT_MALFORMED);
    refuse(HEAD "\"wall_clock_ms\": 1, \"request_timings\": [{\"ttft_ms\": 1, \"e2e_ms\": 1e999}]}", TT_MALFORMED);
    refuse(HEAD "\"wall_clock_ms\": 1, \"request_timings\": [{\"ttft_ms\": -1e308, \"e2e_ms\": 1e308}]}", TT_MALFORMED);
    refuse(HEAD "\"wall_clock_ms\": 1, \"request_timings\": [{\"ttft_ms\": 1, \"e2e_ms\": 2, \"prompt_tokens\": 1.5}]}",
           TT_MALFORMED);
    refuse(HEAD
           "\"wall_clock_ms\": 1, \"request_timings\": [{\"ttft_ms\": 1, \"e2e_ms\": 2, \"content_chunks\": \"1\"}]}",
           TT_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_recomputes),           cmocka_unit_test(golden_recomputes),
        cmocka_unit_test(golden_bytes_are_ours),     cmocka_unit_test(one_changed_bit_is_seen),
        cmocka_unit_test(odd_artifacts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
