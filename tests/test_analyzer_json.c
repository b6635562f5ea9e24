/* The strict tokenizer: what it takes, what it refuses, what strings and numbers mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analyzer/json.h"
#include "../analyzer/utf8.h"

static bool accepts(struct tt_view text)
{
    struct json_reader r;
    json_begin(&r, text);
    for (;;) {
        enum json_token token = json_next(&r);
        if (token == JSON_ERROR) {
            assert_non_null(r.fault);
            assert_true(r.fault_offset <= text.n);
            assert_int_equal(json_next(&r), JSON_ERROR); /* and for ever */
            return false;
        }
        if (token == JSON_END) {
            assert_int_equal(json_next(&r), JSON_END);
            return true;
        }
    }
}

/* Copied to the end of a fresh allocation, so that a sanitizer sees one byte too many. */
static bool accepts_copy(const char *text, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    bool ok = accepts(tt_view_of(copy, n));
    free(copy);
    return ok;
}

static void takes_what_the_grammar_allows(void **state)
{
    (void)state;
    static const char *const good[] = {
        "[]",
        "{}",
        " [ ] ",
        "\t{\n}\r",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12",
        "-1",
        "0.5",
        "1e5",
        "1E+5",
        "1e-5",
        "-1.25e0",
        "\"\"",
        "\"a\"",
        "[1,2]",
        "[1 , 2]",
        "{\"a\":1}",
        "{\"a\":1,\"a\":2}",
        "{\"\":0}",
        "{ \"a\" : [ ] , \"b\" : { } }",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\uDC00\\uD800\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\x7f\"",
        "[[[[[[]]]]]]",
        "123456789012345678901234567890",
        "1e400",
        "\"\xff\xfe\"",
        "\"12345678\\n12345678\"",
        "[null,true,false,\"x\",{},[],-0.0e-0]",
        "\"a long string of more than sixteen plain bytes, then a quote: \\\" and more\"",
        "{\"\\u0061\":1}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!accepts_copy(good[i], strlen(good[i])))
            fail_msg("refused: %s", good[i]);
}

static void refuses_what_it_does_not(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1 \"b\":2}",
        "nul",
        "nulL",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1.e5",
        "1e",
        "1e+",
        "0x1",
        "1_000",
        "--1",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u123",
        "\"\\",
        "\"\n\"",
        "\"\t\"",
        "\"aaaaaaaa\x01\"",
        "\"\x01n\"",
        "'a'",
        "[1]x",
        "{}{}",
        "1 2",
        "// c\n1",
        "/**/1",
        "\xef\xbb\xbf[]",
        "[\x0b]",
        "[\x0c]",
        "\xa0[]",
        "tru",
        "[truefalse]",
        "{\"a\":1,,\"b\":2}",
        "[\"a\":1]",
        "{[]:1}",
        "\"\\U0041\"",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (accepts_copy(bad[i], strlen(bad[i])))
            fail_msg("taken: %s", bad[i]);
    assert_false(accepts_copy("\"\0\"", 3));
    assert_false(accepts_copy("1\0", 2));
    assert_false(accepts(tt_view_of(NULL, 0)));
}

static void refuses_every_cut(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": [1.5e3, \"x\\u00e9\\n\", {\"b\": null}], \"c\": [true, false]}";
    assert_true(accepts_copy(text, sizeof text - 1));
    for (size_t n = 0; n + 1 < sizeof text; n++)
        assert_false(accepts_copy(text, n));
}

static void bounds_depth(void **state)
{
    (void)state;
    char text[2 * JSON_MAX_DEPTH + 2];
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    assert_true(accepts_copy(text, sizeof text - 2));
    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    assert_false(accepts_copy(text, sizeof text));
}

static void keeps_kinds_apart_at_every_depth(void **state)
{
    (void)state;
    struct json_reader r;
    json_begin(&r, tt_view_str("[{\"a\":[{\"b\":1}]},2]"));
    static const enum json_token expected[] = {JSON_ARRAY_BEGIN,  JSON_OBJECT_BEGIN, JSON_KEY,    JSON_ARRAY_BEGIN,
                                               JSON_OBJECT_BEGIN, JSON_KEY,          JSON_NUMBER, JSON_OBJECT_END,
                                               JSON_ARRAY_END,    JSON_OBJECT_END,   JSON_NUMBER, JSON_ARRAY_END,
                                               JSON_END};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(json_next(&r), expected[i]);
}

static void gives_raw_text(void **state)
{
    (void)state;
    struct json_reader r;
    json_begin(&r, tt_view_str("{\"k\\u0065y\" : \"v\\\"\" , \"n\":-1.50e+2}"));
    assert_int_equal(json_next(&r), JSON_OBJECT_BEGIN);
    assert_int_equal(json_next(&r), JSON_KEY);
    assert_true(tt_view_equal(r.raw, "k\\u0065y"));
    assert_true(json_string_is(r.raw, "key"));
    assert_false(json_string_is(r.raw, "kez"));
    assert_false(json_string_is(r.raw, "ke"));
    assert_false(json_string_is(r.raw, "keys"));
    assert_int_equal(json_next(&r), JSON_STRING);
    assert_true(tt_view_equal(r.raw, "v\\\""));
    assert_int_equal(json_next(&r), JSON_KEY);
    assert_int_equal(json_next(&r), JSON_NUMBER);
    assert_true(tt_view_equal(r.raw, "-1.50e+2"));
}

static void tells_where_a_fault_is(void **state)
{
    (void)state;
    struct json_reader r;
    json_begin(&r, tt_view_str("[1, x]"));
    while (json_next(&r) != JSON_ERROR)
        ;
    assert_int_equal(r.fault_offset, 4);
}

static void skips_values(void **state)
{
    (void)state;
    struct json_reader r;
    json_begin(&r, tt_view_str("[{\"a\":[1,{\"b\":[]}]},[[]],\"s\",7]"));
    assert_int_equal(json_next(&r), JSON_ARRAY_BEGIN);
    for (int i = 0; i < 4; i++)
        assert_true(json_skip(&r, json_next(&r)));
    assert_int_equal(json_next(&r), JSON_ARRAY_END);
    json_begin(&r, tt_view_str("[[1,2"));
    assert_int_equal(json_next(&r), JSON_ARRAY_BEGIN);
    assert_false(json_skip(&r, json_next(&r)));
    json_begin(&r, tt_view_str("]"));
    assert_false(json_skip(&r, json_next(&r)));
}

static void expect_points(const char *raw, size_t n, const uint32_t *points, size_t count)
{
    struct tt_view v = tt_view_of(raw, n);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_string_next(&v), points[i]);
    assert_int_equal(json_string_next(&v), JSON_STRING_DONE);
}

#define POINTS(raw, ...)                                                                                               \
    do {                                                                                                               \
        const uint32_t expected_[] = {__VA_ARGS__};                                                                    \
        expect_points(raw, sizeof(raw) - 1, expected_, sizeof expected_ / sizeof *expected_);                          \
    } while (0)

static void decodes_strings(void **state)
{
    (void)state;
    POINTS("a\\n\\t\\r\\b\\f\\/\\\\\\\"", 'a', '\n', '\t', '\r', '\b', '\f', '/', '\\', '"');
    POINTS("\\u0000x", 0, 'x');
    POINTS("\\u00e9\\u20AC", 0xe9, 0x20ac);
    POINTS("\\ud83d\\ude00!", 0x1f600, '!');
    POINTS("\\ud83dx", 0xfffd, 'x');
    POINTS("\\ude00\\ud83d", 0xfffd, 0xfffd);
    POINTS("\\ude00\\ude00", 0xfffd, 0xfffd);
    POINTS("\\ud83d\\ud83d\\ude00", 0xfffd, 0x1f600);
    POINTS("\\ud83d\\n", 0xfffd, '\n');
    POINTS("\\ud83d", 0xfffd);
    POINTS("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 0xe9, 0x20ac, 0x1f600);
}

static void replaces_maximal_subparts(void **state)
{
    (void)state;
    POINTS("\xff", 0xfffd);
    POINTS("\x80\x80", 0xfffd, 0xfffd);
    POINTS("\xc0\xaf", 0xfffd, 0xfffd);
    POINTS("\xe2\x82", 0xfffd);
    POINTS("\xe2\x82z", 0xfffd, 'z');
    POINTS("\xf0\x9f\x98", 0xfffd);
    POINTS("\xf0\x80\x80", 0xfffd, 0xfffd, 0xfffd);
    POINTS("\xed\xa0\x80", 0xfffd, 0xfffd, 0xfffd);
    POINTS("\xf4\x90\x80\x80", 0xfffd, 0xfffd, 0xfffd, 0xfffd);
    POINTS("\xe2\xe2\x82\xac", 0xfffd, 0x20ac);
    POINTS("\xf4\x8f\xbf\xbf", 0x10ffff);
    POINTS("\xe2\x82\\u0041", 0xfffd, 'A');
}

static void writes_utf8(void **state)
{
    (void)state;
    static const uint32_t points[] = {0, 0x7f, 0x80, 0x7ff, 0x800, 0xfffd, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        uint8_t out[4];
        struct tt_view v = tt_view_of(out, utf8_put(points[i], out));
        assert_int_equal(v.n, utf8_length(points[i]));
        assert_int_equal(utf8_next(&v), points[i]);
        assert_int_equal(v.n, 0);
    }
}

static void reads_counts(void **state)
{
    (void)state;
    uint64_t v = 7;
    assert_true(json_number_u64(tt_view_str("0"), &v) && v == 0);
    assert_true(json_number_u64(tt_view_str("18446744073709551615"), &v) && v == UINT64_MAX);
    assert_false(json_number_u64(tt_view_str("18446744073709551616"), &v));
    assert_false(json_number_u64(tt_view_str("99999999999999999999999"), &v));
    assert_false(json_number_u64(tt_view_str("-1"), &v));
    assert_true(json_number_u64(tt_view_str("-0"), &v) && v == 0);
    assert_false(json_number_u64(tt_view_str("5.0"), &v));
    assert_false(json_number_u64(tt_view_str("5e0"), &v));
    assert_true(json_number_is_integer(tt_view_str("-12")));
    assert_false(json_number_is_integer(tt_view_str("1e2")));
    assert_false(json_number_is_integer(tt_view_str("1.0")));
}

static void reads_doubles(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0",
        "1",
        "-1",
        "0.1",
        "25283.0",
        "1e23",
        "8.5e-5",
        "123456789.123456789",
        "4.9e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "9007199254740993",
        "0.000000000000000000001",
        "1000000000000000000000000000",
        "100e-2",
        "0.5e1",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "-0.0",
        "0e99999999999999999999",
        "1.50E+2",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double ours = json_number_double(tt_view_str(numbers[i])), theirs = strtod(numbers[i], NULL);
        if (memcmp(&ours, &theirs, sizeof ours) != 0)
            fail_msg("%s: %a is not %a", numbers[i], ours, theirs);
    }
    assert_true(isinf(json_number_double(tt_view_str("1e400"))));
    assert_true(isinf(json_number_double(tt_view_str("1e99999999999999999999"))));
    assert_true(json_number_double(tt_view_str("-1e-99999999999999999999")) == 0.0);
}

/* Half way between two doubles, with the digit that decides far behind. */
static void rounds_by_far_digits(void **state)
{
    (void)state;
    char text[2100];
    int n = snprintf(text, sizeof text, "9007199254740993.");
    memset(text + n, '0', 2000);
    text[n + 2000] = '\0';
    assert_true(json_number_double(tt_view_str(text)) == 9007199254740992.0);
    text[n + 1999] = '1';
    assert_true(json_number_double(tt_view_str(text)) == 9007199254740994.0);
    memset(text, '0', 2000);
    memcpy(text, "1", 1);
    memcpy(text + 2000, "e-1999", 7);
    assert_true(json_number_double(tt_view_str(text)) == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_the_grammar_allows),
        cmocka_unit_test(refuses_what_it_does_not),
        cmocka_unit_test(refuses_every_cut),
        cmocka_unit_test(bounds_depth),
        cmocka_unit_test(keeps_kinds_apart_at_every_depth),
        cmocka_unit_test(gives_raw_text),
        cmocka_unit_test(tells_where_a_fault_is),
        cmocka_unit_test(skips_values),
        cmocka_unit_test(decodes_strings),
        cmocka_unit_test(replaces_maximal_subparts),
        cmocka_unit_test(writes_utf8),
        cmocka_unit_test(reads_counts),
        cmocka_unit_test(reads_doubles),
        cmocka_unit_test(rounds_by_far_digits),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
