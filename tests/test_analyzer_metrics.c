#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/metrics.h"

static struct row plain_row(double first_ms, double end_ms)
{
    struct row row = {.time_to_first_output_ms = first_ms,
                      .ttft_ms = first_ms,
                      .e2e_ms = end_ms,
                      .prompt_tokens = {true, 1000},
                      .output_tokens = {true, 11},
                      .content_chunks = 10,
                      .reasoning_chunks = 3};
    row_derive(&row);
    return row;
}

static struct metrics compute(const struct row *rows, size_t n, double wall_ms, bool eligible)
{
    struct metrics m;
    struct metrics_input in = {rows, n, wall_ms, eligible};
    assert_int_equal(metrics_compute(&in, &m), TT_OK);
    return m;
}

static const struct metrics_entry *find(const struct metrics_entry *list, const char *key)
{
    for (size_t i = 0; i < METRICS_KEYS; i++)
        if (strcmp(list[i].key, key) == 0)
            return &list[i];
    fail_msg("no key %s", key);
    return NULL;
}

static void keys_are_sorted_and_159(void **state)
{
    (void)state;
    struct metrics m = compute(NULL, 0, 1, false);
    struct metrics_entry list[METRICS_KEYS];
    assert_int_equal(METRICS_KEYS, 159);
    metrics_list(&m, list);
    for (size_t i = 1; i < METRICS_KEYS; i++)
        assert_true(strcmp(list[i - 1].key, list[i].key) < 0);
}

static void nothing_succeeded(void **state)
{
    (void)state;
    struct metrics m = compute(NULL, 0, 5000, false);
    struct metrics_entry list[METRICS_KEYS];
    metrics_list(&m, list);
    unsigned nulls = 0;
    for (size_t i = 0; i < METRICS_KEYS; i++)
        nulls += list[i].type == METRICS_NULL;
    /* 12 of each distribution, prompt_tokens, rate, two throughputs, cache */
    assert_int_equal(nulls, METRICS_DISTRIBUTIONS * 12 + 5);
    assert_int_equal(find(list, "output_tokens")->type, METRICS_COUNT);
    assert_int_equal(find(list, "output_tokens")->count, 0);
    assert_int_equal(find(list, "prompt_tokens")->type, METRICS_NULL);
    assert_int_equal(find(list, "ttft_samples")->type, METRICS_COUNT);
    struct json_out *o = json_out_create(0);
    metrics_write_sources(&m, o);
    assert_true(tt_view_equal(json_out_bytes(o), "{}"));
    json_out_free(o);
}

static void values_land_under_their_names(void **state)
{
    (void)state;
    struct row rows[] = {plain_row(100, 200), plain_row(300, 500)};
    rows[1].ttft_ms = 350;
    row_derive(&rows[1]);
    struct metrics m = compute(rows, 2, 500, true);
    struct metrics_entry list[METRICS_KEYS];
    metrics_list(&m, list);
    assert_true(find(list, "time_to_first_output_max_ms")->number == 300);
    assert_true(find(list, "ttft_max_ms")->number == 350);
    assert_true(find(list, "e2e_min_ms")->number == 200);
    assert_true(find(list, "generation_mean_ms")->number == 150);
    assert_true(find(list, "tpot_p50_ms")->number == 10);
    assert_true(find(list, "mean_time_per_output_token_p99_ms")->number == 20);
    assert_true(find(list, "mean_inter_token_latency_ms_max")->number == 20);
    assert_true(find(list, "decode_tok_s_max")->number == 100);
    assert_true(find(list, "effective_prefill_tok_s_max")->number == 10000);
    assert_true(find(list, "prompt_tokens_p25")->number == 1000);
    assert_true(find(list, "completion_tokens_stddev")->number == 0);
    assert_true(find(list, "completion_tokens_stddev")->type == METRICS_DOUBLE);
    assert_true(find(list, "throughput_tok_s")->number == 44);
    assert_int_equal(find(list, "content_chunks_s")->type, METRICS_NULL);
    assert_int_equal(find(list, "prompt_tokens")->count, 2000);
    assert_int_equal(find(list, "output_tokens")->count, 22);
    assert_int_equal(find(list, "content_chunks")->count, 20);
    assert_int_equal(find(list, "reasoning_chunks")->count, 6);
    assert_int_equal(find(list, "throughput_performance_eligible")->count, 1);
}

static void chunks_stand_in_for_tokens(void **state)
{
    (void)state;
    struct row rows[] = {plain_row(100, 200), plain_row(300, 500)};
    rows[1].output_tokens.has = false;
    row_derive(&rows[1]);
    struct metrics m = compute(rows, 2, 500, true);
    assert_false(m.output_tokens.has);
    assert_false(m.throughput_tok_s.has);
    assert_true(m.content_chunks_s.has && m.content_chunks_s.v == 40);
    assert_int_equal(m.distribution[METRICS_COMPLETION_TOKENS].samples, 1);
    assert_int_equal(m.distribution[METRICS_DECODE_TOK_S].samples, 1);
    assert_int_equal(m.distribution[METRICS_E2E].samples, 2);
    struct json_out *o = json_out_create(0);
    metrics_write_sources(&m, o);
    assert_true(tt_view_equal(json_out_bytes(o), "{\"content_chunks\": 1, \"usage\": 1}"));
    json_out_free(o);
}

static void throughput_needs_a_whole_run(void **state)
{
    (void)state;
    struct row rows[] = {plain_row(100, 200)};
    assert_false(compute(rows, 1, 500, false).throughput_tok_s.has);
    assert_false(compute(rows, 1, 0, true).throughput_tok_s.has);
    assert_true(compute(rows, 1, 500, true).throughput_tok_s.has);
}

static void observations_are_counted(void **state)
{
    (void)state;
    struct row rows[4];
    for (size_t i = 0; i < 4; i++) {
        rows[i] = plain_row(1, 2);
        rows[i].has_canary = i != 0;
        rows[i].canary_passed = i != 1;
        rows[i].has_controlled = true;
        rows[i].adherence = i == 0 ? ADHERENCE_NULL : i == 1 ? ADHERENCE_NO : ADHERENCE_YES;
    }
    struct metrics m = compute(rows, 4, 500, true);
    assert_int_equal(m.canary_samples, 3);
    assert_int_equal(m.canary_passed, 2);
    assert_int_equal(m.controlled_samples, 4);
    assert_int_equal(m.controlled_exact, 2);
    assert_int_equal(m.controlled_unobservable, 1);
    assert_true(m.controlled_exact_rate.has && m.controlled_exact_rate.v == 2.0 / 3);
    m = compute(rows, 1, 500, true); /* none observable */
    assert_false(m.controlled_exact_rate.has);
}

static void cache_hits_are_averaged_exactly(void **state)
{
    (void)state;
    struct row rows[5];
    for (size_t i = 0; i < 5; i++)
        rows[i] = plain_row(1, 2);
    assert_false(compute(rows, 5, 500, true).prefix_cache_hit_avg.has);
    rows[0].cached_tokens = (struct opt_u64){true, 100}; /* 0.1 */
    rows[1].cached_tokens = (struct opt_u64){true, 200};
    rows[2].cached_tokens = (struct opt_u64){true, 300};
    rows[3].cached_tokens = (struct opt_u64){true, 5};
    rows[3].prompt_tokens = (struct opt_u64){true, 0}; /* no share of nothing */
    rows[4].cached_tokens = (struct opt_u64){true, 5};
    rows[4].prompt_tokens.has = false;
    struct metrics m = compute(rows, 5, 500, true);
    assert_true(m.prefix_cache_hit_avg.has && m.prefix_cache_hit_avg.v == 0.2);
}

static void sums_past_64_bits_are_unknown(void **state)
{
    (void)state;
    struct row rows[] = {plain_row(1, 2), plain_row(1, 2)};
    rows[0].output_tokens.v = UINT64_MAX;
    rows[0].prompt_tokens.v = UINT64_MAX;
    struct metrics m = compute(rows, 2, 500, true);
    assert_false(m.output_tokens.has);
    assert_false(m.prompt_tokens.has);
    assert_false(m.throughput_tok_s.has);
    assert_false(m.content_chunks_s.has); /* tokens are known, only too many */
}

static void numbers_past_the_doubles_are_null(void **state)
{
    (void)state;
    struct row rows[] = {plain_row(1, 1.7e308), plain_row(1, 1.7e308)};
    struct metrics m = compute(rows, 2, 500, true);
    struct metrics_entry list[METRICS_KEYS];
    metrics_list(&m, list);
    assert_int_equal(find(list, "e2e_mean_ms")->type, METRICS_NULL);
    assert_int_equal(find(list, "e2e_max_ms")->type, METRICS_DOUBLE);
    struct json_out *o = json_out_create(2);
    metrics_write(&m, o);
    assert_non_null(json_out_bytes(o).p);
    json_out_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_sorted_and_159),           cmocka_unit_test(nothing_succeeded),
        cmocka_unit_test(values_land_under_their_names),     cmocka_unit_test(chunks_stand_in_for_tokens),
        cmocka_unit_test(throughput_needs_a_whole_run),      cmocka_unit_test(observations_are_counted),
        cmocka_unit_test(cache_hits_are_averaged_exactly),   cmocka_unit_test(sums_past_64_bits_are_unknown),
        cmocka_unit_test(numbers_past_the_doubles_are_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
