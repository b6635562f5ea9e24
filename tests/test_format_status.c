/* Lines for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../format/status.h"

static void becomes(const char *text, const char *wanted)
{
    char *line = strdup(text); /* just the right size, so that a sanitizer sees a read too far */
    assert_non_null(line);
    tt_line_sanitize(line);
    assert_string_equal(line, wanted);
    free(line);
}

static void test_letters_of_all_scripts_stay(void **state)
{
    (void)state;
    becomes("", "");
    becomes("plain ~", "plain ~");
    becomes("\xc2\xa0\xc3\xa9\xdf\xbf", "\xc2\xa0\xc3\xa9\xdf\xbf");
    becomes("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf");
    becomes("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

static void test_controls_go(void **state)
{
    (void)state;
    becomes("a\x1b[1m\x01\n\r\t\x7f", "a?[1m?????");
    becomes("\xc2\x80\xc2\x9f", "????");
    becomes("\xe2\x80\xae.\xe2\x81\xa6.\xe2\x80\xa8.\xd8\x9c", "???.???.???.??");
}

static void test_what_is_no_utf8_goes(void **state)
{
    (void)state;
    becomes("\x9b"
            "2J\xff\xfe",
            "?2J??");
    becomes("\xc0\xaf\xc1\xbf", "????");                     /* overlong */
    becomes("\xe0\x80\xaf\xf0\x80\x80\xaf", "???????");      /* overlong */
    becomes("\xed\xa0\x80\xf4\x90\x80\x80\xf5", "????????"); /* surrogate, past the last */
    becomes("\xc3", "?");                                    /* cut off */
    becomes("\xe2\x80", "??");
    becomes("\xf0\x9f\x98", "???");
    becomes("\xe2(\xa1", "?(?");
}

static void test_an_error_is_one_such_line(void **state)
{
    (void)state;
    struct tt_error err;
    tt_fail(&err, TT_IO, TT_NO_OFFSET, "a%s", "\x9b\n");
    tt_wrap(&err, "b%s", "\xe2\x80\xae");
    assert_string_equal(err.line, "b???: a??");
    char text[sizeof err.line + 2];
    memset(text, 'x', sizeof text - 3);
    memcpy(text + sizeof err.line - 2, "\xc3\xa9", 3); /* the room ends inside of it */
    tt_fail(&err, TT_IO, TT_NO_OFFSET, "%s", text);
    assert_string_equal(err.line + sizeof err.line - 3, "x?");
}

static void cause_is(const struct tt_error *err, unsigned link, const char *want)
{
    char text[sizeof err->line];
    tt_cause(err, link, text);
    assert_string_equal(text, want);
}

static void test_causes_come_apart_again(void **state)
{
    (void)state;
    struct tt_error err;
    tt_fail(&err, TT_CRC, 7, "a: reason");
    cause_is(&err, 0, "a: reason");
    tt_wrap(&err, "block %d", 3);
    tt_wrap(&err, "x.tape: odd");
    assert_int_equal(err.wraps, 2);
    cause_is(&err, 0, "x.tape: odd");
    cause_is(&err, 1, "block 3");
    cause_is(&err, 2, "a: reason");
    for (int i = 0; i < 20; i++)
        tt_wrap(&err, "%d", i);
    assert_int_equal(err.wraps, TT_MAX_WRAPS);
    cause_is(&err, 0, "19");
    cause_is(&err, TT_MAX_WRAPS, "12: 11: 10: 9: 8: 7: 6: 5: 4: 3: 2: 1: 0: x.tape: odd: block 3: a: reason");
}

/* What no longer fits is empty, never more than is there. */
static void test_causes_of_a_full_line(void **state)
{
    (void)state;
    struct tt_error err;
    char text[sizeof err.line];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t cut = 0; cut < 4; cut++) {
        tt_fail(&err, TT_CRC, 7, "reason");
        tt_wrap(&err, "%s", text + cut);
        cause_is(&err, 0, text + (cut < 2 ? 2 : cut));
        cause_is(&err, 1, cut == 3 ? "r" : "");
    }
    tt_fail(&err, TT_CRC, 7, "reason");
    tt_wrap(&err, "%s", text + 100);
    tt_wrap(&err, "%s", text + 300);
    assert_int_equal(strlen(err.line), sizeof err.line - 1);
    cause_is(&err, 2, "");
    tt_fail(&err, TT_CRC, 7, "again");
    assert_int_equal(err.wraps, 0);
    cause_is(&err, 0, "again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters_of_all_scripts_stay), cmocka_unit_test(test_controls_go),
        cmocka_unit_test(test_what_is_no_utf8_goes),        cmocka_unit_test(test_an_error_is_one_such_line),
        cmocka_unit_test(test_causes_come_apart_again),     cmocka_unit_test(test_causes_of_a_full_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
