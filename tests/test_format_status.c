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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters_of_all_scripts_stay),
        cmocka_unit_test(test_controls_go),
        cmocka_unit_test(test_what_is_no_utf8_goes),
        cmocka_unit_test(test_an_error_is_one_such_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
