/* A command line as one text, for tests of the recorder's options. */
#ifndef TESTS_RECORDER_ARGS_H
#define TESTS_RECORDER_ARGS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../recorder/options.h"

#define ARGS_MOST 64

/* argv and the bytes it points to: options borrow from them. */
struct args {
    char text[8192];
    char *argv[ARGS_MOST];
    int argc;
    struct options o;
    enum options_action action;
    struct tt_error err;
};

/* Splits at blanks: no shell, no quotes. */
static inline enum tt_status args_parse(struct args *a, const char *command, const char *rest)
{
    memset(a, 0, sizeof *a);
    size_t n = strlen(command), m = strlen(rest);
    assert_true(n + m + 2 < sizeof a->text);
    memcpy(a->text, command, n);
    a->text[n] = ' ';
    memcpy(a->text + n + 1, rest, m + 1);
    for (char *p = a->text; *p;) {
        p += strspn(p, " ");
        if (!*p)
            break;
        assert_true(a->argc < ARGS_MOST);
        a->argv[a->argc++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    return options_parse(a->argc, a->argv, "20260102T030405Z", &a->o, &a->action, &a->err);
}

/* The flags behind those that have to be there. */
static inline enum tt_status args_capacity(struct args *a, const char *flags)
{
    return args_parse(a, "tokentape-record capacity --base-url http://h:1/v1 --model m", flags);
}

#endif
