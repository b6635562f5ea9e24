#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <locale.h>
#include <cmocka.h>

#include "../recorder/decimal.h"
#include "../recorder/rng.h"

/* The draws of the specification; those further on are CPython 3.11's. */
static const struct {
    const char *seed;
    int draw; /* counted from 1 */
    double value;
} draws[] = {
    {"0", 1, 0.8444218515250481},
    {"0", 2, 0.7579544029403025},
    {"42", 1, 0.6394267984578837},
    {"42", 2, 0.025010755222666936},
    {"482001", 1, 0.675090224582031},
    {"-7", 1, 0.32383276483316237},
    {"7", 1, 0.32383276483316237},
    {"4294967301", 1, 0.15727238718789782},
    {"0", 1000, 0.4804125346981437},
    {"-7", 1000, 0.37786262968738116},
    {"4294967301", 1000, 0.856922936443943},
    {"123456789012345678901234567890123456789012345678901234567890", 1000, 0.1945291954006848},
};

static void draws_are_pythons(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        struct rng r;
        double u = -1;
        assert_int_equal(rng_seed(&r, draws[i].seed, NULL), TT_OK);
        for (int n = 0; n < draws[i].draw; n++)
            u = rng_random(&r);
        if (u != draws[i].value)
            fail_msg("seed %s, draw %d: %.17g, expected %.17g", draws[i].seed, draws[i].draw, u, draws[i].value);
    }
}

static void numbers_are_read_strictly(void **state)
{
    static const char *const bad[] = {"",  " 1", "1 ", "1x",  "0x1p3", "nan", "inf",   "infinity", "-nan",
                                      ".", "e5", "1e", "1e+", "+",     "1,5", "1.2.3", "--1",      "1_0"};
    (void)state;
    double v;
    uint64_t u;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (decimal_parse_real(bad[i], &v) || decimal_parse_uint(bad[i], &u))
            fail_msg("\"%s\" is read as a number", bad[i]);
    assert_true(decimal_parse_real("+.5e1", &v) && v == 5);
    assert_true(decimal_parse_real("5.", &v) && v == 5);
    assert_true(decimal_parse_real("1e999", &v) && v > 1e308);
    assert_false(decimal_parse_uint("+5", &u));
    assert_false(decimal_parse_uint("-5", &u));
    assert_true(decimal_parse_uint("18446744073709551615", &u) && u == UINT64_MAX);
    assert_true(decimal_parse_uint("18446744073709551616", &u) && u == UINT64_MAX);
    assert_true(decimal_parse_uint("0018446744073709551614", &u) && u == UINT64_MAX - 1);
}

static void numbers_print_shortest_and_exact(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0.0"},      {1, "1.0"},     {2, "2.0"},
                 {0.6, "0.6"},    {0.95, "0.95"}, {0.1 + 0.2, "0.30000000000000004"},
                 {1e-7, "1e-07"}, {0.7, "0.7"},   {5e-324, "5e-324"}};
    (void)state;
    char out[DECIMAL_REAL_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decimal_format_real(cases[i].value, out);
        assert_string_equal(out, cases[i].text);
    }
}

/* Where a locale with a decimal comma is installed, it changes nothing. */
static void the_locale_changes_nothing(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    double v;
    char out[DECIMAL_REAL_BYTES];
    assert_true(decimal_parse_real("0.95", &v) && v == 0.95);
    decimal_format_real(v, out);
    assert_string_equal(out, "0.95");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_pythons),
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(numbers_print_shortest_and_exact),
        cmocka_unit_test(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
