/* `data: [DONE]` is found at every cut, and nothing else is taken for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../recorder/donemark.h"

/* Fed in two pieces cut at `cut`, then the same in pieces of `each` bytes. */
static bool found_cut_at(const char *text, size_t cut)
{
    struct donemark m;
    size_t n = strlen(text);
    donemark_begin(&m);
    bool found = donemark_feed(&m, (const uint8_t *)text, cut);
    return donemark_feed(&m, (const uint8_t *)text + cut, n - cut) || found;
}

static bool found_in_pieces(const char *text, size_t each)
{
    struct donemark m;
    bool found = false;
    donemark_begin(&m);
    for (size_t at = 0, n = strlen(text); at < n; at += each)
        found = donemark_feed(&m, (const uint8_t *)text + at, n - at < each ? n - at : each) || found;
    return found;
}

static void check(const char *text, bool expected)
{
    size_t n = strlen(text);
    for (size_t cut = 0; cut <= n; cut++)
        if (found_cut_at(text, cut) != expected)
            fail_msg("cut at %zu: %s", cut, text);
    for (size_t each = 1; each <= n; each++)
        if (found_in_pieces(text, each) != expected)
            fail_msg("pieces of %zu: %s", each, text);
}

static void the_mark_is_found_wherever_it_is_cut(void **state)
{
    (void)state;
    check("data: {\"a\":1}\n\ndata: [DONE]\n\n", true);
    check("data:[DONE]\n\n", true);
    check("data: [DONE]", true);
    check("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n", true);
    check("data: x\r\rdata: [DONE]\r\r", true);
    check("[DONE] [DONE\n[DONE]\ndata: [DONE]", true);
}

static void other_text_is_not_the_mark(void **state)
{
    (void)state;
    check("data: {\"content\":\"data: [DONE]\"}\n\n", false);
    check("data: {\"content\":\"x\"} [DONE]\n\n", false);
    check("[DONE]\n\n", false);
    check("\n[DONE]\n\n", false);
    check("data:  [DONE]", false);
    check("xdata: [DONE]", false);
    check("data: [DONE", false);
    check("data: [D0NE]\n\n", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mark_is_found_wherever_it_is_cut),
        cmocka_unit_test(other_text_is_not_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
