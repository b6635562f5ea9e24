/* Canary and controlled output against what Python's re and str.split give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "../analyzer/observe.h"
#include "../analyzer/unicode.h"
#include "../analyzer/utf8.h"

static const char own[] = "ANVIL_REQ_482001_00007";

static struct observe *watch(const struct observe_rules *rules, const char *text)
{
    struct observe *o = observe_create(rules);
    assert_non_null(o);
    for (struct tt_view v = tt_view_str(text); v.n > 0;)
        observe_char(o, utf8_next(&v));
    return o;
}

static void expect_canary(const char *text, bool at_start, uint64_t observed, uint64_t foreign)
{
    struct observe_rules rules = {.marker = tt_view_str(own)};
    struct canary_facts canary;
    struct controlled_facts controlled;
    struct observe *o = watch(&rules, text);
    observe_judge(o, true, &canary, &controlled);
    if (canary.marker_at_start != at_start || canary.observed_marker_count != observed ||
        canary.foreign_marker_count != foreign)
        fail_msg("%s: %d %d %d", text, canary.marker_at_start, (int)canary.observed_marker_count,
                 (int)canary.foreign_marker_count);
    assert_int_equal(canary.passed, at_start && foreign == 0);
    observe_judge(o, false, &canary, &controlled);
    assert_false(canary.passed);
    assert_false(canary.capture_complete);
    observe_free(o);
}

#define OWN "ANVIL_REQ_482001_00007"

static void finds_the_marker_at_the_start(void **state)
{
    (void)state;
    expect_canary(OWN " code code", true, 1, 0);
    expect_canary(OWN, true, 1, 0);
    expect_canary(OWN "\n", true, 1, 0);
    expect_canary(OWN "\xc2\xa0x", true, 1, 0);
    expect_canary(OWN "\xe3\x80\x80x", true, 1, 0);
    expect_canary(OWN "\x1cx", true, 1, 0);
    expect_canary(OWN "\xe2\x80\x8bx", false, 1, 0); /* U+200B is no white space */
    expect_canary(OWN ": code", false, 1, 0);
    expect_canary(" " OWN " code", false, 1, 0);
    expect_canary("\"" OWN "\"", false, 1, 0);
    expect_canary("ANVIL_REQ_482001_0000", false, 0, 0);
    expect_canary("", false, 0, 0);
    expect_canary(OWN "8", false, 0, 0);
    expect_canary(OWN "_", false, 0, 0);
    expect_canary(OWN OWN, false, 1, 0);
}

static void counts_markers_like_the_pattern(void **state)
{
    (void)state;
    expect_canary("x " OWN ", " OWN ".", false, 2, 0);
    expect_canary("ANVIL_REQ_482001_00008", false, 1, 1);
    expect_canary("ANVIL_REQ_-482001_00007", false, 1, 1);
    expect_canary("ANVIL_REQ_48200_00007 ANVIL_REQ_4820011_00007 ANVIL_REQ_0482001_00007", false, 3, 3);
    expect_canary("ANVIL_REQ_ANVIL_REQ_0_00001", false, 1, 1);
    expect_canary("AANVIL_REQ_0_00001", false, 1, 1);
    expect_canary("ANVIL_REQ_12_000011", false, 0, 0);
    expect_canary("ANVIL_REQ_12_00001_", false, 0, 0);
    expect_canary("ANVIL_REQ_12_00001a", false, 0, 0);
    expect_canary("ANVIL_REQ_12_00001\xc3\xa9", false, 0, 0);     /* e acute is a word character */
    expect_canary("ANVIL_REQ_12_00001\xe2\x82\xac", false, 1, 1); /* the euro sign is none */
    expect_canary("ANVIL_REQ_12_00001\xc2\xb2", false, 0, 0);     /* superscript two is */
    expect_canary("ANVIL_REQ_12_00001-", false, 1, 1);
    expect_canary("ANVIL_REQ_--1_00001 ANVIL_REQ_-_00001 ANVIL_REQ__00001 ANVIL_REQ_1-_00001", false, 0, 0);
    expect_canary("ANVIL_REQ_1__00001 ANVIL_REQ_1_0001 ANVIL_REQ_1_1_00001 anvil_req_1_00001", false, 0, 0);
    expect_canary("ANVIL_REQ_1_00001ANVIL_REQ_2_00002", false, 1, 1);
    expect_canary("ANVIL_REQ_1_0000ANVIL_REQ_482001_00007", false, 1, 0);
    expect_canary("ANVIL_REQ_\xd9\xa1_00001", false, 0, 0); /* an Arabic digit is not asked for */
    expect_canary("ANVIL_REQ_00000000000000000000000000000000000000000000000000000000000001_00001", false, 1, 1);
    expect_canary(OWN " ANVIL_REQ_482001_00008", true, 2, 1);
}

/* An own marker that the pattern cuts short is not what was matched. */
static void compares_whole_markers(void **state)
{
    (void)state;
    struct observe_rules rules = {.marker = tt_view_str("ANVIL_REQ_1_00001-b")};
    struct canary_facts canary;
    struct controlled_facts controlled;
    struct observe *o = watch(&rules, "ANVIL_REQ_1_00001-b ");
    observe_judge(o, true, &canary, &controlled);
    assert_int_equal(canary.observed_marker_count, 1);
    assert_int_equal(canary.foreign_marker_count, 1);
    observe_free(o);
}

static void runs_of_digits_need_no_memory(void **state)
{
    (void)state;
    struct observe_rules rules = {.marker = tt_view_str(own)};
    struct observe *o = watch(&rules, "ANVIL_REQ_");
    for (int i = 0; i < 1000000; i++)
        observe_char(o, '7');
    for (const char *p = "_00001 "; *p; p++)
        observe_char(o, (uint8_t)*p);
    struct canary_facts canary;
    struct controlled_facts controlled;
    observe_judge(o, true, &canary, &controlled);
    assert_int_equal(canary.foreign_marker_count, 1);
    observe_free(o);
}

static struct controlled_facts judge_words(const char *text, const char *marker, uint64_t words, bool strict,
                                           bool complete)
{
    struct observe_rules rules = {tt_view_str(marker), words, strict};
    struct canary_facts canary;
    struct controlled_facts controlled;
    struct observe *o = watch(&rules, text);
    observe_judge(o, complete, &canary, &controlled);
    observe_free(o);
    return controlled;
}

static void expect_words(const char *text, const char *marker, uint64_t code, uint64_t extra)
{
    struct controlled_facts f = judge_words(text, marker, 3, true, true);
    bool exact = code == 3 && extra == 0;
    if (f.observed_code_words != code || f.observed_extra_words != extra)
        fail_msg("%s: %d %d", text, (int)f.observed_code_words, (int)f.observed_extra_words);
    assert_int_equal(f.exact_adherence, exact ? ADHERENCE_YES : ADHERENCE_NO);
    assert_int_equal(f.passed, exact);
    assert_true(f.capture_complete);
}

static void splits_words_like_python(void **state)
{
    (void)state;
    expect_words("code code code", NULL, 3, 0);
    expect_words("  code\tcode\r\n code \xe2\x80\xa8", NULL, 3, 0);
    expect_words("code\x1f"
                 "code\xc2\x85"
                 "code",
                 NULL, 3, 0);
    expect_words("code code", NULL, 2, 0);
    expect_words("code code code code", NULL, 4, 0);
    expect_words("Code codes cod code. code", NULL, 1, 4);
    expect_words("code\xe2\x80\x8b"
                 "code code",
                 NULL, 1, 1);
    expect_words("", NULL, 0, 0);
    expect_words(OWN " code code code", own, 3, 0);
    expect_words(OWN "\ncode code code\n", own, 3, 0);
    expect_words(OWN, own, 0, 0);
    expect_words(OWN "code code code", own, 2, 1);
    expect_words("code code code", own, 3, 0);
    expect_words(" " OWN " code code code", own, 3, 1);
    expect_words(OWN " " OWN " code code code", own, 3, 1);
}

static void judges_by_policy_and_completeness(void **state)
{
    (void)state;
    struct controlled_facts f = judge_words("code code code co", NULL, 3, true, false);
    assert_int_equal(f.exact_adherence, ADHERENCE_NULL);
    assert_false(f.passed);
    assert_false(f.capture_complete);
    assert_int_equal(f.observed_extra_words, 1);
    f = judge_words("nothing", NULL, 3, false, true);
    assert_int_equal(f.exact_adherence, ADHERENCE_NO);
    assert_true(f.passed);
    f = judge_words("nothing", NULL, 3, false, false);
    assert_int_equal(f.exact_adherence, ADHERENCE_NULL);
    assert_true(f.passed);
}

/* The capture is judged in the middle of the text, and the text goes on. */
static void judging_changes_nothing(void **state)
{
    (void)state;
    struct observe_rules rules = {tt_view_str(own), 3, true};
    struct canary_facts canary;
    struct controlled_facts controlled;
    static const char text[] = OWN " code ANVIL_REQ_1_00001 code";
    struct observe *o = observe_create(&rules);
    assert_non_null(o);
    for (const char *p = text; *p; p++) {
        observe_char(o, (uint8_t)*p);
        observe_judge(o, false, &canary, &controlled);
    }
    observe_judge(o, true, &canary, &controlled);
    assert_true(canary.marker_at_start);
    assert_int_equal(canary.observed_marker_count, 2);
    assert_int_equal(canary.foreign_marker_count, 1);
    assert_int_equal(controlled.observed_code_words, 2);
    assert_int_equal(controlled.observed_extra_words, 1);
    observe_free(o);
}

static void knows_classes_of_characters(void **state)
{
    (void)state;
    uint64_t words = 0, spaces = 0;
    for (uint32_t c = 0; c < 0x110000; c++) {
        words += unicode_is_word(c);
        spaces += unicode_is_space(c);
    }
    assert_int_equal(words, 133548);
    assert_int_equal(spaces, 29);
    assert_true(unicode_is_word('_') && unicode_is_word('z') && unicode_is_word(0x4e00) && unicode_is_word(0x3134a));
    assert_false(unicode_is_word(0x7f) || unicode_is_word(0xfffd) || unicode_is_word(0x10ffff) ||
                 unicode_is_word(0x301));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_marker_at_the_start), cmocka_unit_test(counts_markers_like_the_pattern),
        cmocka_unit_test(compares_whole_markers),        cmocka_unit_test(runs_of_digits_need_no_memory),
        cmocka_unit_test(splits_words_like_python),      cmocka_unit_test(judges_by_policy_and_completeness),
        cmocka_unit_test(judging_changes_nothing),       cmocka_unit_test(knows_classes_of_characters),
    };
    return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
