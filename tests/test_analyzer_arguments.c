#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../analyzer/arguments.h"

#define HASH "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static enum tt_status parse(struct arguments *a, struct tt_error *err, const char *line)
{
    static char copy[512];
    char *argv[24] = {"tokentape-analyze"};
    int argc = 1;
    strncpy(copy, line, sizeof copy - 1);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    *err = (struct tt_error){0};
    return arguments_parse(argc, argv, a, err);
}

static void accept(struct arguments *a, const char *line)
{
    struct tt_error err;
    if (parse(a, &err, line) != TT_OK)
        fail_msg("'%s': %s", line, err.line);
}

static void test_accepted_lines(void **state)
{
    (void)state;
    struct arguments a;
    accept(&a, "result run.tape -o out.json --schema-exact");
    assert_int_equal(a.command, COMMAND_RESULT);
    assert_string_equal(a.tape, "run.tape");
    assert_string_equal(a.output, "out.json");
    assert_true(a.schema_exact && a.mode == READER_PREFIX && !a.quiet);
    accept(&a, "result run.tape -o -"); /* no file of that name */
    assert_null(a.output);
    accept(&a, "result --output=o.json run.tape --mode salvage -q");
    assert_string_equal(a.output, "o.json");
    assert_true(a.mode == READER_SALVAGE && a.quiet);
    accept(&a, "-v result -oo.json -- -odd.tape");
    assert_string_equal(a.output, "o.json");
    assert_string_equal(a.tape, "-odd.tape");
    assert_true(a.verbose);
    accept(&a, "verify run.tape --json --head " HASH);
    assert_true(a.json && a.has_head && a.head[1] == 0x11 && a.head[31] == 0xff && a.head[15] == 0xff);
    accept(&a, "dump run.tape --text --mode=strict");
    assert_true(a.text && a.mode == READER_STRICT);
    accept(&a, "timeline run.tape --request 65535");
    assert_int_equal(a.request, 65535);
    accept(&a, "failures");
    accept(&a, "audit a.json --require proven b.json c.json");
    assert_true(a.file_count == 3 && a.require_proven && !a.tape);
    accept(&a, "audit --list --json");
    assert_true(a.list);
    accept(&a, "check run.tape --masked base_url run.json --ulp 2 --masked=a[0].b");
    assert_string_equal(a.tape, "run.tape");
    assert_string_equal(a.files[1], "run.json");
    assert_true(a.masked_count == 2 && a.has_ulp && a.ulp == 2);
    assert_string_equal(a.masked[1], "a[0].b");
    accept(&a, "whatif a.tape --policy x b.tape --without y --policy=z --full-capture");
    assert_true(a.file_count == 2 && a.policy_count == 2 && a.without_count == 1 && a.full_capture);
    assert_string_equal(a.policies[1], "z");
    assert_string_equal(a.without[0], "y");
    accept(&a, "diff a.json --masked base_url b.json --ulp 2 --json");
    assert_true(a.file_count == 2 && a.masked_count == 1 && a.has_ulp && a.json && !a.tape);
    accept(&a, "summary run.tape --policy serving-comparison");
    assert_string_equal(a.policy, "serving-comparison");
    accept(&a, "policies capacity");
    assert_true(a.file_count == 1 && !a.tape);
    accept(&a, "explain a.tape b.tape --run --policy x.json");
    assert_true(a.run && a.file_count == 2 && !a.has_request);
    accept(&a, "explain run.tape --request 3 --json");
    assert_true(!a.run && a.request == 3 && a.json);
    accept(&a, "result run.tape");
    assert_true(a.client_limit.us == 5000 && a.client_limit.milli_percent == 1000 && !a.strict_timing);
    accept(&a, "summary run.tape --strict-timing --max-client-error 2.5ms,0.1%");
    assert_true(a.client_limit.us == 2500 && a.client_limit.milli_percent == 100 && a.strict_timing);
    accept(&a, "check run.tape run.json --max-client-error=0,0");
    assert_true(a.has_max_client_error && a.client_limit.us == 0 && a.client_limit.milli_percent == 0);
    accept(&a, "follow run.tape --interval 0.25 --json --wait");
    assert_string_equal(a.tape, "run.tape");
    assert_true(a.interval_ms == 250 && a.json && a.wait && !a.once);
    accept(&a, "follow --once run.tape");
    assert_true(a.once && a.interval_ms == 0);
    accept(&a, "follow --interval=3600.000 run.tape");
    assert_int_equal(a.interval_ms, 3600000);
    accept(&a, "follow --interval .1 run.tape");
    assert_int_equal(a.interval_ms, 100);
    accept(&a, "result --help");
    assert_true(a.help && a.command == COMMAND_RESULT);
    accept(&a, "--version");
    assert_true(a.version);
}

static void test_refused_lines(void **state)
{
    (void)state;
    /* line, what the message must name */
    static const char *const lines[][2] = {
        {"", "no command"},
        {"resutl run.tape", "resutl"},
        {"result", "needs a tape"},
        {"result a.tape b.tape", "b.tape"},
        {"result a.tape --jsno", "--jsno"},
        {"result a.tape --json", "--json"},
        {"summary a.tape -o x", "-o"},
        {"result a.tape -x", "-x"},
        {"result a.tape -o", "needs a value"},
        {"result a.tape --output=", "empty"},
        {"result a.tape --mode", "--mode"},
        {"result a.tape --mode lax", "lax"},
        {"result a.tape --schema-exact=yes", "no value"},
        {"verify a.tape --head 12", "64 hex"},
        {"verify a.tape --head g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "64 hex"},
        {"timeline a.tape", "--request"},
        {"timeline a.tape --request -1", "-1"},
        {"timeline a.tape --request 12345678901", "12345678901"},
        {"timeline a.tape --request 1x", "1x"},
        {"failures a.tape", "a.tape"},
        {"result a.tape --max-client-error 1ms --max-client-error 9ms", "--max-client-error is given twice"},
        {"result a.tape --mode=strict --mode strict", "--mode is given twice"},
        {"result a.tape -o x --output=y", "--output is given twice"},
        {"summary -q a.tape -q", "-q is given twice"},
        {"verify a.tape --json --json", "--json is given twice"},
        {"result a.tape --policy capacity --policy capacity", "--policy is given twice"},
        {"check a.tape", "a tape and a result"},
        {"check a.tape b.json c.json", "c.json"},
        {"check a.tape b.json --ulp 4097", "4097"},
        {"check a.tape b.json --ulp -1", "-1"},
        {"result a.tape --masked x", "--masked"},
        {"whatif a.tape", "--policy, --without, --full-capture or --strict-timing"},
        {"whatif --policy capacity", "tapes"},
        {"whatif a.tape --without", "needs a value"},
        {"diff a.json --without x", "--without"},
        {"diff a.json", "two results"},
        {"diff a.json b.json c.json", "c.json"},
        {"diff a.json b.json --mode strict", "--mode"},
        {"audit", "needs results"},
        {"audit a.json --require all", "all"},
        {"audit a.json --list", "a.json"},
        {"audit a.json --mode strict", "--mode"},
        {"follow a.tape --interval 0.099", "0.099"},
        {"follow a.tape --interval 3600.001", "3600.001"},
        {"follow a.tape --interval 1.0000", "1.0000"},
        {"follow a.tape --interval 99999999999999999999", "99999"},
        {"follow a.tape --interval .", "'.'"},
        {"follow a.tape --interval 1s", "1s"},
        {"follow a.tape --interval -1", "-1"},
        {"follow a.tape --mode salvage", "--mode"},
        {"follow a.tape --once --wait", "--wait"},
        {"follow a.tape --once --interval 2", "--interval"},
        {"summary a.tape --once", "--once"},
        {"--json verify a.tape", "--json"},
        {"result a.tape -qv", "exclude"},
        {"result a.tape --policy", "--policy"},
        {"result a.tape --policy=", "empty"},
        {"verify a.tape --policy capacity", "--policy"},
        {"policies a b", "'b'"},
        {"reasons a", "'a'"},
        {"explain", "needs a tape"},
        {"explain a b", "'b'"},
        {"explain a b --run --request 1", "'b'"},
        {"summary a --run", "--run"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct arguments a;
        struct tt_error err;
        enum tt_status st = parse(&a, &err, lines[i][0]);
        if (st != TT_USAGE || !strstr(err.line, lines[i][1]) || strchr(err.line, '\n'))
            fail_msg("'%s' gave %s: '%s'", lines[i][0], tt_status_name(st), err.line);
    }
}

/* Each command has a help that names it and the exit statuses that people script with. */
static void test_help(void **state)
{
    (void)state;
    static const char *const names[] = {
        [COMMAND_RESULT] = "result",     [COMMAND_SUMMARY] = "summary",   [COMMAND_VERIFY] = "verify",
        [COMMAND_DUMP] = "dump",         [COMMAND_TIMELINE] = "timeline", [COMMAND_FAILURES] = "failures",
        [COMMAND_CHECK] = "check",       [COMMAND_REDACT] = "redact",     [COMMAND_AUDIT] = "audit",
        [COMMAND_FOLLOW] = "follow",     [COMMAND_DIFF] = "diff",         [COMMAND_WHATIF] = "whatif",
        [COMMAND_POLICIES] = "policies", [COMMAND_REASONS] = "reasons",   [COMMAND_EXPLAIN] = "explain"};
    for (unsigned i = COMMAND_RESULT; i < sizeof names / sizeof names[0]; i++) {
        const char *help = arguments_help((enum command)i);
        assert_non_null(strstr(help, names[i]));
        assert_non_null(strstr(arguments_help(COMMAND_NONE), names[i]));
        if (i != COMMAND_FAILURES && i != COMMAND_REASONS)
            assert_non_null(strstr(help, "Exit status"));
        for (const char *line = help; line; line = strchr(line + 1, '\n'))
            assert_true(strcspn(line + 1, "\n") <= 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted_lines),
        cmocka_unit_test(test_refused_lines),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests_name("analyzer_arguments", tests, NULL, NULL);
}
