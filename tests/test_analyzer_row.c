#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/row.h"

static struct row seed_row(void)
{
    return (struct row){.time_to_first_output_ms = 11163.305383874103,
                        .ttft_ms = 21804.419986903667,
                        .e2e_ms = 26858.828680822626,
                        .prompt_tokens = {true, 25279},
                        .output_tokens = {true, 120}};
}

/* Request 0 of the published example. */
static void derived_fields_are_those_published(void **state)
{
    (void)state;
    struct row row = seed_row();
    row_derive(&row);
    assert_true(row.generation_ms == 15695.523296948522);
    assert_true(row.visible_generation_ms == 5054.408693918958);
    assert_true(row.effective_prefill_tok_s.has && row.effective_prefill_tok_s.v == 2264.4726746001816);
    assert_true(row.decode_tok_s.has && row.decode_tok_s.v == 7.58177970549957);
    assert_true(row.time_per_output_token_ms.has && row.time_per_output_token_ms.v == 131.89515375586993);
}

/* Times as a tape gives them, chosen so that every other order of the same
 * operations ends in other bits. */
static void order_of_operations_shows(void **state)
{
    (void)state;
    struct run run = {.options.response_words = 0};
    struct request r = {.start_ns = 0, .has_facts = true};
    struct row row;
    r.facts.first_reasoning_ns = r.facts.first_content_ns = 4229553988;
    r.facts.end_ns = 6611120315;
    r.facts.usage.prompt_tokens = (struct opt_u64){true, 25279};
    r.facts.usage.completion_tokens = (struct opt_u64){true, 120};
    assert_true(row_of_request(&row, &run, &r));
    assert_true(row.generation_ms == 2381.5663270000005); /* not the rounded difference of the nanoseconds */
    assert_true(row.effective_prefill_tok_s.v == 5976.75312142156);
    assert_true(row.decode_tok_s.v == 49.96711561248069);
    assert_true(row.time_per_output_token_ms.v == 20.01316241176471);
}

static void unknown_counts_have_no_quotients(void **state)
{
    (void)state;
    struct row row = seed_row();
    row.prompt_tokens.has = row.output_tokens.has = false;
    row_derive(&row);
    assert_false(row.effective_prefill_tok_s.has);
    assert_false(row.decode_tok_s.has);
    assert_false(row.time_per_output_token_ms.has);
    assert_true(row.generation_ms > 0);
}

static void nothing_follows_the_first_token(void **state)
{
    (void)state;
    for (uint64_t tokens = 0; tokens < 2; tokens++) {
        struct row row = seed_row();
        row.output_tokens.v = tokens;
        row_derive(&row);
        assert_false(row.decode_tok_s.has);
        assert_false(row.time_per_output_token_ms.has);
        assert_true(row.effective_prefill_tok_s.has);
    }
    struct row two = seed_row();
    two.output_tokens.v = 2;
    row_derive(&two);
    assert_true(two.decode_tok_s.has && two.time_per_output_token_ms.v == two.generation_ms);
}

static void zero_divisors_have_no_quotients(void **state)
{
    (void)state;
    struct row row = seed_row();
    row.time_to_first_output_ms = 0;
    row.ttft_ms = row.e2e_ms = 0;
    row_derive(&row);
    assert_false(row.effective_prefill_tok_s.has);
    assert_false(row.decode_tok_s.has);
    /* here the divisor is a count of tokens, and the dividend may be 0 */
    assert_true(row.time_per_output_token_ms.has && row.time_per_output_token_ms.v == 0);
}

static void no_tokens_in_the_prompt_is_a_value(void **state)
{
    (void)state;
    struct row row = seed_row();
    row.prompt_tokens.v = 0;
    row_derive(&row);
    assert_true(row.effective_prefill_tok_s.has && row.effective_prefill_tok_s.v == 0);
}

static void infinite_quotients_are_none(void **state)
{
    (void)state;
    struct row row = {.time_to_first_output_ms = 5e-324 * 1000, .e2e_ms = 1e300, .prompt_tokens = {true, UINT64_MAX}};
    row_derive(&row);
    assert_false(row.effective_prefill_tok_s.has);
}

static struct request answered(void)
{
    struct request r = {.number = 3, .start_ns = 1000000007, .done_ns = 3000000000, .has_facts = true};
    r.facts.first_reasoning_ns = 1500000008;
    r.facts.first_content_ns = 2000000009;
    r.facts.end_ns = 2999999999;
    r.facts.reasoning_chunks = 4;
    r.facts.content_chunks = 2;
    r.facts.usage.prompt_tokens = (struct opt_u64){true, 100};
    r.facts.usage.cached_tokens = (struct opt_u64){true, 60};
    return r;
}

static void times_count_from_the_start(void **state)
{
    (void)state;
    struct run run = {.options.response_words = 0};
    struct request r = answered();
    struct row row;
    assert_true(row_of_request(&row, &run, &r));
    assert_true(row.time_to_first_output_ms == 500.000001);
    assert_true(row.ttft_ms == 1000.000002);
    assert_true(row.e2e_ms == 1999.999992);
    assert_true(row.generation_ms == 1999.999992 - 500.000001);
    assert_int_equal(row.reasoning_chunks, 4);
    assert_int_equal(row.content_chunks, 2);
    assert_true(row.cached_tokens.has && row.cached_tokens.v == 60);
    assert_false(row.output_tokens.has);
    assert_false(row.has_canary);
    assert_false(row.has_controlled);
}

static void first_output_may_be_content(void **state)
{
    (void)state;
    struct run run = {.options.response_words = 2};
    struct request r = answered();
    struct row row;
    r.marker = "ANVIL_REQ_0_00003";
    r.facts.canary.passed = true;
    r.facts.controlled.exact_adherence = ADHERENCE_NO;
    r.facts.first_reasoning_ns = TAPE_NONE;
    assert_true(row_of_request(&row, &run, &r));
    assert_true(row.time_to_first_output_ms == row.ttft_ms);
    assert_true(row.has_canary && row.canary_passed);
    assert_true(row.has_controlled && row.adherence == ADHERENCE_NO);
    r.facts.first_reasoning_ns = r.facts.first_content_ns + 5; /* thinking after the answer began */
    assert_true(row_of_request(&row, &run, &r));
    assert_true(row.time_to_first_output_ms == row.ttft_ms);
}

static void no_row_without_its_times(void **state)
{
    (void)state;
    struct run run = {.options.response_words = 0};
    struct row row;
    struct request r = answered();
    r.facts.first_content_ns = TAPE_NONE;
    assert_false(row_of_request(&row, &run, &r));
    r = answered();
    r.facts.end_ns = TAPE_NONE;
    assert_false(row_of_request(&row, &run, &r));
    r = answered();
    r.start_ns = TAPE_NONE;
    assert_false(row_of_request(&row, &run, &r));
    r = answered();
    r.start_ns = r.facts.first_content_ns + 1;
    assert_false(row_of_request(&row, &run, &r));
    r = answered();
    r.has_facts = false;
    assert_false(row_of_request(&row, &run, &r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_fields_are_those_published), cmocka_unit_test(order_of_operations_shows),
        cmocka_unit_test(unknown_counts_have_no_quotients),   cmocka_unit_test(nothing_follows_the_first_token),
        cmocka_unit_test(zero_divisors_have_no_quotients),    cmocka_unit_test(no_tokens_in_the_prompt_is_a_value),
        cmocka_unit_test(infinite_quotients_are_none),        cmocka_unit_test(times_count_from_the_start),
        cmocka_unit_test(first_output_may_be_content),        cmocka_unit_test(no_row_without_its_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
