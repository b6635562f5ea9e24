/* Command lines of the analyzer, run inside the test, and what they may say to a terminal. */
#ifndef ANALYZER_LINE_H
#define ANALYZER_LINE_H

#include "analyzer_tapes.h"

#include "../analyzer/command.h"

/* Runs the words with stdout going to `to`, opened by the caller and closed here. */
static inline struct outcome run_words_to(int to, const char *const *words, size_t n)
{
    char *argv[24] = {"tokentape-analyze"};
    int saved = dup(STDOUT_FILENO);
    struct arguments a;
    struct outcome out = {.exit = EXIT_USAGE};
    assert_true(to >= 0 && n < 24);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    fflush(stdout);
    dup2(to, STDOUT_FILENO);
    close(to);
    if (arguments_parse((int)n + 1, argv, &a, &out.error) == TT_OK)
        command_run(&a, &out);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return out;
}

/* The same, stdout going to the file `stdout.txt` of the test's folder. */
static inline struct outcome run_words(const char *const *words, size_t n)
{
    return run_words_to(open(tape_path("stdout.txt"), O_CREAT | O_TRUNC | O_WRONLY, 0600), words, n);
}

static inline void assert_printable(const char *text, bool lines)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if ((*p < ' ' && !(lines && *p == '\n')) || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0) || *p == 0x9b ||
            (*p == 0xe2 && p[1] == 0x80 && p[2] == 0xae))
            fail_msg("byte %02x in: %s", *p, text);
}

/* Runs one command line with stdout going to `to` (opened by the caller). */
static inline struct outcome run_to(int to, const char *line)
{
    char copy[1024];
    const char *words[24];
    size_t n = 0;
    assert_true(strlen(line) < sizeof copy);
    memcpy(copy, line, strlen(line) + 1);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        words[n++] = word;
    return run_words_to(to, words, n);
}

static inline struct outcome run_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static inline struct outcome run_line(const char *fmt, ...)
{
    char line[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    return run_to(open(tape_path("stdout.txt"), O_CREAT | O_TRUNC | O_WRONLY, 0600), line);
}

static inline void expect(struct outcome out, int exit, enum tt_status code, const char *part)
{
    bool one_line = !strchr(out.error.line, '\n') && !strchr(out.note, '\n');
    if ((int)out.exit != exit || (code != TT_OK && out.error.code != code) || !one_line ||
        (part && !strstr(out.error.line, part)))
        fail_msg("exit %d (not %d), %s: '%s' / '%s'", out.exit, exit, tt_status_name(out.error.code), out.error.line,
                 out.note);
    assert_true(exit < EXIT_NO_OUTPUT || exit == EXIT_READER_GONE || out.note[0] ||
                strstr(out.error.line, "; ")); /* reason; remedy */
}

#endif
