#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/json_out.h"

static void expect_repr(double v, const char *want)
{
    char text[33] = {0};
    text[json_out_repr(v, text)] = '\0';
    assert_string_equal(text, want);
}

static void repr_layout_is_pythons(void **state)
{
    (void)state;
    expect_repr(0.0, "0.0");
    expect_repr(-0.0, "-0.0");
    expect_repr(1.0, "1.0");
    expect_repr(25283.0, "25283.0");
    expect_repr(100.0, "100.0");
    expect_repr(-147.625, "-147.625");
    expect_repr(0.1, "0.1");
    expect_repr(0.001, "0.001");
    expect_repr(0.0001, "0.0001");
    expect_repr(0.00015, "0.00015");
    expect_repr(0.00001, "1e-05");
    expect_repr(1.5e-7, "1.5e-07");
    expect_repr(1e15, "1000000000000000.0");
    expect_repr(9007199254740993.0, "9007199254740992.0");
    expect_repr(9999999999999998.0, "9999999999999998.0");
    expect_repr(1e16, "1e+16");
    expect_repr(1.2e16, "1.2e+16");
    expect_repr(1e22, "1e+22");
    expect_repr(1e100, "1e+100");
    expect_repr(1.5e300, "1.5e+300");
    expect_repr(2.5e-100, "2.5e-100");
    expect_repr(0.1 + 0.2, "0.30000000000000004");
    expect_repr(24.663643174204225, "24.663643174204225");
    expect_repr(123456789012345680.0, "1.2345678901234568e+17");
}

/* Below a power of two the doubles lie closer: the shortest decimal is there not
 * always the rounded one. Texts from CPython. */
static void repr_at_powers_of_two(void **state)
{
    (void)state;
    expect_repr(0x1p-24, "5.960464477539063e-08");
    expect_repr(0x1p-44, "5.684341886080802e-14");
    expect_repr(0x1p-1022, "2.2250738585072014e-308");
    expect_repr(0x1p-1023, "1.1125369292536007e-308");
    expect_repr(0x1p-1074, "5e-324");
    expect_repr(0x1p-1073, "1e-323");
    expect_repr(0x1p1023, "8.98846567431158e+307");
    expect_repr(0x1p89, "6.189700196426902e+26");
    expect_repr(DBL_MAX, "1.7976931348623157e+308");
    expect_repr(nextafter(0x1p-1022, 0), "2.225073858507201e-308");
}

static size_t significant_digits(const char *text)
{
    size_t n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
            continue;
        n += 1;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* It reads back equal, and printf finds nothing shorter. */
static void repr_of_many_bit_patterns(void **state)
{
    (void)state;
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 20000; i++) {
        double v;
        char text[33] = {0}, printed[400];
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        memcpy(&v, &x, sizeof v);
        if (!isfinite(v))
            continue;
        text[json_out_repr(v, text)] = '\0';
        assert_true(strtod(text, NULL) == v);
        int places = 1;
        do
            snprintf(printed, sizeof printed, "%.*g", places++, v);
        while (strtod(printed, NULL) != v);
        assert_true(significant_digits(text) <= significant_digits(printed));
        assert_true(significant_digits(text) + 1 >= significant_digits(printed));
    }
}

static void expect_text(struct json_out *o, const char *want)
{
    struct tt_view v = json_out_bytes(o);
    assert_non_null(v.p);
    if (v.n != strlen(want) || memcmp(v.p, want, v.n) != 0)
        fail_msg("got %.*s\nexpected %s", (int)v.n, (const char *)v.p, want);
}

static void layout_is_that_of_json_dumps(void **state)
{
    (void)state;
    struct json_out *o = json_out_create(2);
    json_out_object(o);
    json_out_key(o, "a");
    json_out_array(o);
    json_out_u64(o, 1);
    json_out_object(o);
    json_out_object_end(o);
    json_out_array(o);
    json_out_array_end(o);
    json_out_array(o);
    json_out_null(o);
    json_out_array_end(o);
    json_out_array_end(o);
    json_out_key(o, "b");
    json_out_object(o);
    json_out_key(o, "c");
    json_out_bool(o, false);
    json_out_object_end(o);
    json_out_object_end(o);
    json_out_newline(o);
    expect_text(o, "{\n  \"a\": [\n    1,\n    {},\n    [],\n    [\n      null\n    ]\n  ],\n  \"b\": {\n    \"c\": "
                   "false\n  }\n}\n");
    json_out_free(o);
}

static void one_line_layout(void **state)
{
    (void)state;
    struct json_out *o = json_out_create(0);
    for (int i = 0; i < 2; i++) {
        json_out_object(o);
        json_out_key(o, "a");
        json_out_array(o);
        json_out_i64(o, -1);
        json_out_double(o, 2);
        json_out_array_end(o);
        json_out_key_view(o, tt_view_str("z"));
        json_out_bool(o, true);
        json_out_key_view(o, tt_view_str("b")); /* names from input keep their own order */
        json_out_array(o);
        json_out_array_end(o);
        json_out_object_end(o);
        json_out_newline(o);
    }
    expect_text(o, "{\"a\": [-1, 2.0], \"z\": true, \"b\": []}\n{\"a\": [-1, 2.0], \"z\": true, \"b\": []}\n");
    json_out_reset(o);
    json_out_null(o);
    expect_text(o, "null");
    json_out_free(o);
}

static void integers_are_exact(void **state)
{
    (void)state;
    struct json_out *o = json_out_create(0);
    json_out_array(o);
    json_out_u64(o, 1790043562853709461u);
    json_out_u64(o, UINT64_MAX);
    json_out_i64(o, INT64_MIN);
    json_out_number_text(o, tt_view_str("-340282366920938463463374607431768211456"));
    json_out_array_end(o);
    expect_text(o, "[1790043562853709461, 18446744073709551615, -9223372036854775808, "
                   "-340282366920938463463374607431768211456]");
    json_out_free(o);
}

static void expect_quoted(const void *bytes, size_t n, const char *want)
{
    struct json_out *o = json_out_create(2);
    json_out_string(o, tt_view_of(bytes, n));
    expect_text(o, want);
    json_out_free(o);
}

static void strings_are_escaped_to_ascii(void **state)
{
    (void)state;
    expect_quoted("", 0, "\"\"");
    expect_quoted("plain / text ~", 14, "\"plain / text ~\"");
    expect_quoted("\"\\\n\r\t\f\b", 7, "\"\\\"\\\\\\n\\r\\t\\f\\b\"");
    expect_quoted("\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\\u007f\"");
    expect_quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\\u00e9\\u20ac\\ud83d\\ude00\"");
    expect_quoted("\xef\xbf\xbf\xf0\x90\x80\x80", 7, "\"\\uffff\\ud800\\udc00\"");
    expect_quoted("\xf4\x8f\xbf\xbf", 4, "\"\\udbff\\udfff\"");
    expect_quoted(NULL, 0, "null");
    struct json_out *o = json_out_create(0);
    json_out_array(o);
    json_out_cstring(o, NULL);
    json_out_cstring(o, "x");
    json_out_array_end(o);
    expect_text(o, "[null, \"x\"]");
    json_out_free(o);
}

/* As bytes.decode("utf-8", "replace") does it. */
static void invalid_utf8_is_replaced(void **state)
{
    (void)state;
    expect_quoted("a\xff"
                  "b",
                  3, "\"a\\ufffdb\"");
    expect_quoted("\xc3", 1, "\"\\ufffd\"");
    expect_quoted("\xe2\x82"
                  "b",
                  3, "\"\\ufffdb\"");
    expect_quoted("\xc0\x80", 2, "\"\\ufffd\\ufffd\"");
    expect_quoted("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");
    expect_quoted("\xf0\x9f\x98", 3, "\"\\ufffd\"");
    expect_quoted("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void keys_are_escaped_too(void **state)
{
    (void)state;
    struct json_out *o = json_out_create(0);
    json_out_object(o);
    json_out_key_view(o, tt_view_str("a\"\xc3\xa9"));
    json_out_u64(o, 0);
    json_out_object_end(o);
    expect_text(o, "{\"a\\\"\\u00e9\": 0}");
    json_out_free(o);
}

static void many_values_grow_the_buffer(void **state)
{
    (void)state;
    struct json_out *o = json_out_create(2);
    json_out_array(o);
    for (uint64_t i = 0; i < 100000; i++)
        json_out_u64(o, i % 10);
    json_out_array_end(o);
    assert_int_equal(json_out_bytes(o).n, 2 + 100000 * 5 - 1 + 1);
    json_out_free(o);
    json_out_free(NULL);
}

int main(void)
{
    setlocale(LC_ALL, ""); /* no number may follow the locale */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repr_layout_is_pythons),
        cmocka_unit_test(repr_at_powers_of_two),
        cmocka_unit_test(repr_of_many_bit_patterns),
        cmocka_unit_test(layout_is_that_of_json_dumps),
        cmocka_unit_test(one_line_layout),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(strings_are_escaped_to_ascii),
        cmocka_unit_test(invalid_utf8_is_replaced),
        cmocka_unit_test(keys_are_escaped_too),
        cmocka_unit_test(many_values_grow_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
