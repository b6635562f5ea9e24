#include "recorder_args.h"

#include <stdio.h>

static struct args a;

static void accepts(const char *flags)
{
    if (args_capacity(&a, flags) != TT_OK)
        fail_msg("%s: refused: %s", flags, a.err.line);
}

/* Every refusal is one line that names `words`, each separated by '|'. */
static void says(const char *words)
{
    char copy[256], *p = copy;
    snprintf(copy, sizeof copy, "%s", words);
    assert_null(strchr(a.err.line, '\n'));
    while (p) {
        char *next = strchr(p, '|');
        if (next)
            *next++ = '\0';
        if (!strstr(a.err.line, p))
            fail_msg("\"%s\" does not say \"%s\"", a.err.line, p);
        p = next;
    }
}

static void refuses(const char *flags, const char *words)
{
    enum tt_status code = args_capacity(&a, flags);
    if (code == TT_OK)
        options_free(&a.o);
    if (code != TT_USAGE)
        fail_msg("%s: status %d", flags, (int)code);
    says(words);
}

static void refuses_line(const char *line, const char *words)
{
    enum tt_status code = args_parse(&a, "tokentape-record", line);
    if (code != TT_USAGE)
        fail_msg("%s: status %d", line, (int)code);
    says(words);
}

static void defaults_are_those_of_the_specification(void **state)
{
    (void)state;
    accepts("");
    assert_int_equal(a.action, OPTIONS_RUN);
    assert_string_equal(a.o.chat_url, "http://h:1/v1/chat/completions");
    assert_string_equal(a.o.models_url, "http://h:1/v1/models");
    assert_string_equal(a.o.seed, "0");
    assert_string_equal(a.o.tape_path, "20260102T030405Z-m.tape");
    assert_int_equal(a.o.requests, 60);
    assert_int_equal(a.o.concurrency, 20);
    assert_int_equal(a.o.burst, 0);
    assert_int_equal(a.o.warmup, 0);
    assert_int_equal(a.o.shared_prefix_tokens, 8000);
    assert_int_equal(a.o.ctx_tokens, 0);
    assert_int_equal(a.o.max_tokens, 64);
    assert_int_equal(a.o.response_words, 0);
    assert_int_equal(a.o.max_model_len, 0);
    assert_int_equal(a.o.margin, 1024);
    assert_true(a.o.timeout_s == 900 && a.o.chars_per_token == 3.0 && a.o.done_grace_s == 5);
    assert_true(a.o.cache_mode == CACHE_SHARED && a.o.policy == POLICY_OBSERVE && a.o.thinking == THINKING_DEFAULT);
    assert_true(a.o.connections == CONNECTIONS_FRESH && a.o.keep_bodies);
    assert_false(a.o.has_temperature || a.o.has_top_p || a.o.canaries || a.o.dry_run || a.o.quiet);
    assert_true(!a.o.output_path && !a.o.api_key && !a.o.engine && !a.o.reasoning_effort);
    options_free(&a.o);
}

static const struct {
    const char *flag, *low, *high, *under, *over, *with;
} bounds[] = {
    {"--requests", "1", "65536", "0", "65537", "--ctx-tokens 32"},
    {"--concurrency", "1", "65536", "0", "65537", ""},
    {"--burst", "0", "256", "-1", "257", ""},
    {"--warmup", "0", "10000", "-1", "10001", ""},
    {"--shared-prefix-tokens", "0", "262144", "-1", "262145", ""},
    {"--ctx-tokens", "0", "1048576", "-1", "1048577", ""},
    {"--ctx-tokens", "32", "1048576", "31", "1048577", ""},
    {"--max-tokens", "1", "65536", "0", "65537", ""},
    {"--response-words", "0", "65536", "-1", "65537", ""},
    {"--max-model-len", "0", "1048576", "-1", "1048577", ""},
    {"--margin", "0", "1048576", "-1", "1048577", ""},
    {"--ring-mib", "4", "65536", "3", "65537", ""},
    {"--timeout", "1e-9", "3600", "0", "3600.001", ""},
    {"--chars-per-token", "0.5", "16", "0.499", "16.001", ""},
    {"--done-grace", "0", "3600", "-0.001", "3600.1", ""},
    {"--temperature", "0", "2", "-0.001", "2.001", ""},
    {"--top-p", "0.001", "1", "0", "1.001", ""},
};

static void every_bound_holds_at_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const char *const values[] = {
            bounds[i].low, bounds[i].high, bounds[i].under, bounds[i].over, "",  "5x",
            "nan",         "inf",          "0x10",          "1,5",          "+", "99999999999999999999999999"};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            char flags[128];
            const char *with = strcmp(values[v], "1048576") == 0 ? "--requests 64" : bounds[i].with;
            snprintf(flags, sizeof flags, "%s=%s %s", bounds[i].flag, values[v], with);
            if (v < 2) {
                accepts(flags);
                options_free(&a.o);
            } else {
                refuses(flags, bounds[i].flag);
            }
        }
    }
}

static void words_are_those_listed(void **state)
{
    static const char *const good[] = {
        "--thinking-mode default",
        "--thinking-mode enabled",
        "--thinking-mode disabled",
        "--thinking-mode unsupported",
        "--no-thinking --thinking-mode disabled",
        "--reasoning-effort none",
        "--reasoning-effort minimal",
        "--reasoning-effort low",
        "--reasoning-effort medium",
        "--reasoning-effort high",
        "--reasoning-effort xhigh",
        "--reasoning-effort max --thinking-mode default",
        "--connections reuse",
        "--connections warm",
        "--keep-bodies all",
        "--prompt-cache-mode shared --burst 1",
        "--controlled-output-policy observe --response-words 0",
        "--confirm -q -vv",
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        accepts(good[i]);
        options_free(&a.o);
    }
    refuses("--thinking-mode on", "--thinking-mode|default|enabled|disabled|unsupported");
    refuses("--thinking-mode=", "--thinking-mode");
    refuses("--reasoning-effort maximum", "--reasoning-effort|xhigh");
    refuses("--connections fresh|reuse", "--connections");
    refuses("--keep-bodies some", "--keep-bodies|none|all");
    refuses("--prompt-cache-mode Unique", "--prompt-cache-mode|unique");
    refuses("--controlled-output-policy lax", "strict");
}

static void values_arrive_where_they_belong(void **state)
{
    (void)state;
    accepts("--no-thinking --prompt-cache-mode=unique --controlled-output-policy strict --response-words 8 "
            "--request-canaries --keep-bodies none --connections warm --dry-run -q -v -v --temperature -0 --top-p .95 "
            "--engine=e=1 --gpu g --tier t --manifest n --source-recipe s --clock-domain-id A.b_c-9");
    assert_true(a.o.no_thinking && a.o.thinking == THINKING_DISABLED && a.o.cache_mode == CACHE_UNIQUE);
    assert_true(a.o.policy == POLICY_STRICT && a.o.canaries && !a.o.keep_bodies);
    assert_true(a.o.connections == CONNECTIONS_WARM && a.o.dry_run && a.o.quiet && a.o.verbose == 2);
    assert_true(a.o.has_temperature && 1 / a.o.temperature > 0);
    assert_true(a.o.has_top_p && a.o.top_p == 0.95);
    assert_string_equal(a.o.engine, "e=1");
    assert_string_equal(a.o.gpu, "g");
    assert_string_equal(a.o.tier, "t");
    assert_string_equal(a.o.manifest, "n");
    assert_string_equal(a.o.source_recipe, "s");
    assert_string_equal(a.o.clock_domain_id, "A.b_c-9");
    options_free(&a.o);
    accepts("--requests 9 --concurrency 3 --burst 5");
    assert_true(a.o.requests == 5 && a.o.concurrency == 5 && a.o.burst == 5);
    options_free(&a.o);
}

static void flags_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    refuses("--burst 4 --prompt-cache-mode unique", "--burst|--prompt-cache-mode");
    refuses("--reasoning-effort max --no-thinking", "--reasoning-effort|--no-thinking");
    refuses("--reasoning-effort max --thinking-mode enabled", "--reasoning-effort|--thinking-mode");
    refuses("--reasoning-effort max --thinking-mode unsupported", "--reasoning-effort|--thinking-mode");
    refuses("--no-thinking --thinking-mode enabled", "--no-thinking|--thinking-mode");
    refuses("--no-thinking --thinking-mode default", "--no-thinking|--thinking-mode");
    refuses("--controlled-output-policy strict", "strict|--response-words");
    refuses("--request-canaries --max-tokens 15", "--request-canaries|--max-tokens|16");
    accepts("--request-canaries --max-tokens 16");
    options_free(&a.o);
    refuses("--max-model-len 1088", "--max-model-len 1088|--max-tokens 64|--margin 1024");
    accepts("--max-model-len 1089");
    options_free(&a.o);
    refuses("--tape x.json --output x.json", "--tape|--output");
}

static void requests_times_context_has_a_bound(void **state)
{
    (void)state;
    accepts("--requests 256");
    options_free(&a.o);
    accepts("--requests 257"); /* the window is still to be asked for: checked then */
    options_free(&a.o);
    refuses("--requests 1 --warmup 65 --ctx-tokens 1048576", "--warmup 65|67108864|64");
    accepts("--requests 64 --ctx-tokens 1048576");
    options_free(&a.o);
    refuses("--requests 65 --ctx-tokens 1048576", "--requests 65|--ctx-tokens");
    accepts("--requests 512 --max-model-len 132160"); /* cap 131072 */
    options_free(&a.o);
    refuses("--requests 513 --max-model-len 132160", "--requests 513");
    accepts("--requests 256 --max-model-len 1048576"); /* no sample is wider than 262144 */
    options_free(&a.o);
}

static void repeated_unknown_and_stray_are_named(void **state)
{
    (void)state;
    refuses("--seed 1 --seed 1", "--seed|twice");
    refuses("--seed=1 --margin 3 --seed 2", "--seed|twice");
    refuses("--model other", "--model|twice");
    refuses("--dry-run --dry-run", "--dry-run|twice");
    refuses("--reqests 4", "--reqests|did you mean --requests?");
    refuses("--api-key secret-key", "did you mean --api-key-env?");
    assert_null(strstr(a.err.line, "secret"));
    refuses("--hepl", "--help");
    refuses("--completely-else 4", "--completely-else|--help");
    refuses("-x", "-x");
    refuses("5", "argument 6");
    refuses("-", "argument 6");
    refuses("--requests", "--requests|value");
    refuses("--requests --burst 4", "--requests|value");
    refuses("--dry-run=1", "--dry-run|value");
    refuses_line("", "capacity");
    refuses_line("campaign --model m", "campaign|capacity");
    refuses_line("capacity --model m", "--base-url");
    refuses_line("capacity --base-url http://h", "--model");
    refuses_line("capacity --base-url http://h --model=", "--model");
}

static void help_and_version_ask_for_nothing_else(void **state)
{
    (void)state;
    static const char *const lines[] = {"--help", "-h", "capacity --help", "capacity --requests 4 -h"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(args_parse(&a, "tokentape-record", lines[i]), TT_OK);
        assert_int_equal(a.action, OPTIONS_HELP);
    }
    assert_int_equal(args_parse(&a, "tokentape-record", "--version"), TT_OK);
    assert_int_equal(a.action, OPTIONS_VERSION);
    assert_int_equal(args_parse(&a, "tokentape-record", "capacity --version"), TT_OK);
    assert_int_equal(a.action, OPTIONS_VERSION);
}

static void help_names_every_flag_and_bound_within_100_columns(void **state)
{
    static const char *const flags[] = {
        "--base-url",
        "--model",
        "--requests",
        "--concurrency",
        "--burst",
        "--ctx-tokens",
        "--shared-prefix-tokens",
        "--max-tokens",
        "--response-words",
        "--max-model-len",
        "--margin",
        "--timeout",
        "--warmup",
        "--temperature",
        "--chars-per-token",
        "--top-p",
        "--seed",
        "--engine",
        "--prompt-cache-mode",
        "--request-canaries",
        "--gpu",
        "--tier",
        "--clock-domain-id",
        "--controlled-output-policy",
        "--manifest",
        "--thinking-mode",
        "--reasoning-effort",
        "--configuration-fingerprint",
        "--no-thinking",
        "--source-recipe",
        "--api-key-env",
        "--confirm",
        "--dry-run",
        "--output",
        "--tape",
        "--keep-bodies",
        "--done-grace",
        "--ring-mib",
        "--connections",
        "-q",
        "-v",
        "--version",
        "--help",
    };
    (void)state;
    const char *help = options_help(COMMAND_CAPACITY);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strstr(help, flags[i]))
            fail_msg("--help does not say %s", flags[i]);
    for (size_t i = 0; i < 12; i++) {
        char range[64];
        snprintf(range, sizeof range, "%s..%s", strcmp(bounds[i].flag, "--ctx-tokens") ? bounds[i].low : "32",
                 bounds[i].high);
        const char *at = strstr(help, bounds[i].flag), *end = at ? strchr(strchr(at, '\n') + 1, '\n') : NULL;
        const char *found = strstr(at, range);
        if (!found || found > end)
            fail_msg("--help does not say %s beside %s", range, bounds[i].flag);
    }
    for (const char *p = help; *p; p += strcspn(p, "\n") + 1)
        assert_true(strcspn(p, "\n") <= 100);
}

static void seeds_become_canonical(void **state)
{
    static const char *const pairs[][2] = {{"+5", "5"},
                                           {"007", "7"},
                                           {"-0", "0"},
                                           {"-000", "0"},
                                           {"0", "0"},
                                           {"-7", "-7"},
                                           {"-0070", "-70"},
                                           {"4294967301", "4294967301"},
                                           {"123456789012345678901234567890", "123456789012345678901234567890"}};
    static const char *const bad[] = {"1.0", "1e3", "--5", "+-5", "+", "-", "0x5", "1_0", "Random"};
    (void)state;
    char flags[1200];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        snprintf(flags, sizeof flags, "--seed %s", pairs[i][0]);
        accepts(flags);
        assert_string_equal(a.o.seed, pairs[i][1]);
        assert_false(a.o.seed_was_random);
        options_free(&a.o);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(flags, sizeof flags, "--seed=%s", bad[i]);
        refuses(flags, "--seed");
    }
    refuses("--seed=", "--seed");
    snprintf(flags, sizeof flags, "--seed -%0*d1", 999, 9);
    accepts(flags); /* leading zeros do not count */
    assert_string_equal(a.o.seed, "-91");
    options_free(&a.o);
    memcpy(flags, "--seed -", 8);
    memset(flags + 8, '9', 1001);
    flags[8 + 1000] = '\0';
    accepts(flags);
    assert_int_equal(strlen(a.o.seed), 1001);
    options_free(&a.o);
    flags[8 + 1000] = '9';
    flags[8 + 1001] = '\0';
    refuses(flags, "--seed|1001 digits|prompt|1000");
}

static void a_random_seed_is_drawn_anew(void **state)
{
    (void)state;
    accepts("--seed random");
    assert_true(a.o.seed_was_random);
    char first[32];
    assert_true(strlen(a.o.seed) > 0 && strlen(a.o.seed) <= 19 && strspn(a.o.seed, "0123456789") == strlen(a.o.seed));
    snprintf(first, sizeof first, "%s", a.o.seed);
    options_free(&a.o);
    accepts("--seed random");
    assert_string_not_equal(a.o.seed, first); /* one chance in 2^63 */
    options_free(&a.o);
}

static void base_urls(void **state)
{
    static const struct {
        const char *given, *chat;
    } good[] = {
        {"http://h", "http://h/chat/completions"},
        {"HTTP://h/", "http://h/chat/completions"},
        {"hTTps://example.org:443/v1///", "https://example.org:443/v1/chat/completions"},
        {"http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"},
        {"http://127.0.0.1:65535/a/b%20c", "http://127.0.0.1:65535/a/b%20c/chat/completions"},
        {"http://h/a@b", "http://h/a@b/chat/completions"},
    };
    static const char *const bad[] = {
        "",           "h",           "/v1",         "ftp://h",        "http:/h",          "http://",
        "http:///v1", "http://:80",  "http://h:0",  "http://h:65536", "http://h:",        "http://h:8a",
        "http://h?x", "http://h/#a", "http://a b/", "http://[::1",    "http://h/\x01",    "http://h\\x",
        "http://h/é", "http://h:+8", "http://h/?",  "http://[::1]x",  "http://[::1]x:80", "file:///etc/passwd",
    };
    (void)state;
    char line[256];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(line, sizeof line, "capacity --model m --base-url=%s", good[i].given);
        if (args_parse(&a, "tokentape-record", line) != TT_OK)
            fail_msg("%s: %s", good[i].given, a.err.line);
        assert_string_equal(a.o.chat_url, good[i].chat);
        options_free(&a.o);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "capacity --model m --base-url=%s", bad[i]);
        refuses_line(line, "");
    }
}

static void a_password_in_the_url_is_never_shown(void **state)
{
    static const char *const urls[] = {
        "http://user:hunter2@h/v1", "http://user:hunter2#x@h/v1", "http://hunter2@h",   "user:hunter2@h",
        "http://h?key=hunter2",     "http://user:hunter2@",       "ftp://u:hunter2@h/", "http://user:hunter2?@h/v1",
    };
    (void)state;
    char line[256];
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        snprintf(line, sizeof line, "capacity --model m --base-url %s", urls[i]);
        refuses_line(line, "--base-url");
        assert_null(strstr(a.err.line, "hunter2"));
        snprintf(line, sizeof line, "capacity --model m --base-ulr=%s", urls[i]);
        refuses_line(line, "--base-ulr|--base-url");
        assert_null(strstr(a.err.line, "hunter2"));
        snprintf(line, sizeof line, "capacity --model m %s", urls[i]);
        refuses_line(line, "argument");
        assert_null(strstr(a.err.line, "hunter2"));
    }
}

static void texts_are_utf8_without_controls(void **state)
{
    static const char *const flags[] = {"--engine", "--gpu", "--tier", "--manifest", "--source-recipe"};
    static const char *const bad[] = {"a\x01",    "a\x7f",    "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xe2\x82", "\xc2\x85", "a\nb"};
    (void)state;
    char line[256];
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        snprintf(line, sizeof line, "%s=Größe→𝄞", flags[i]);
        accepts(line);
        options_free(&a.o);
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            snprintf(line, sizeof line, "%s=%s", flags[i], bad[b]);
            refuses(line, flags[i]);
        }
    }
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        snprintf(line, sizeof line, "capacity --base-url http://h --model %s", bad[b]);
        refuses_line(line, "--model");
    }
    refuses("--requests=\xff\x1b[2J", "--requests ??[2J");
}

static void ids_and_fingerprints(void **state)
{
    static const char hex[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    (void)state;
    char line[256];
    snprintf(line, sizeof line, "--configuration-fingerprint sha256:%s --clock-domain-id %s", hex, hex);
    accepts(line);
    options_free(&a.o);
    snprintf(line, sizeof line, "--configuration-fingerprint sha256:%.63s", hex);
    refuses(line, "--configuration-fingerprint");
    snprintf(line, sizeof line, "--configuration-fingerprint sha256:%s0", hex);
    refuses(line, "--configuration-fingerprint");
    snprintf(line, sizeof line, "--configuration-fingerprint sha256:%.63sA", hex);
    refuses(line, "--configuration-fingerprint");
    snprintf(line, sizeof line, "--configuration-fingerprint SHA256:%s", hex);
    refuses(line, "--configuration-fingerprint");
    snprintf(line, sizeof line, "--clock-domain-id %s0", hex);
    refuses(line, "--clock-domain-id|64");
    refuses("--clock-domain-id=", "--clock-domain-id");
    refuses("--clock-domain-id a/b", "--clock-domain-id");
}

static void keys_come_from_the_environment_and_are_never_shown(void **state)
{
    (void)state;
    unsetenv("TT_TEST_KEY");
    refuses("--api-key-env TT_TEST_KEY", "TT_TEST_KEY|not set");
    setenv("TT_TEST_KEY", "", 1);
    refuses("--api-key-env TT_TEST_KEY", "TT_TEST_KEY|empty");
    setenv("TT_TEST_KEY", "hunter2\r", 1);
    refuses("--api-key-env TT_TEST_KEY", "TT_TEST_KEY|control");
    assert_null(strstr(a.err.line, "hunter2"));
    refuses("--api-key-env sk-hunter2", "--api-key-env|name");
    assert_null(strstr(a.err.line, "hunter2"));
    refuses("--api-key-env=", "--api-key-env");
    setenv("TT_TEST_KEY", "hunter2", 1);
    accepts("--api-key-env TT_TEST_KEY");
    assert_string_equal(a.o.api_key, "hunter2");
    assert_string_equal(a.o.api_key_env, "TT_TEST_KEY");
    options_free(&a.o);
    assert_null(a.o.api_key);
}

static void tapes_are_named(void **state)
{
    static const struct {
        const char *flags, *tape;
    } cases[] = {
        {"--output a/b.json", "a/b.tape"},      {"--output a/b.JSON", "a/b.JSON.tape"},
        {"--output a.json/b", "a.json/b.tape"}, {"--output a.json --tape t", "t"},
        {"--tape x/y.bin", "x/y.bin"},          {"--output r.json.json", "r.json.tape"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        accepts(cases[i].flags);
        assert_string_equal(a.o.tape_path, cases[i].tape);
        options_free(&a.o);
    }
    refuses("--tape=", "--tape");
    refuses("--output=", "--output");
    assert_int_equal(args_parse(&a, "tokentape-record", "capacity --base-url http://h --model ../org/mo:del~é"), TT_OK);
    assert_string_equal(a.o.tape_path, "20260102T030405Z-..-org-mo-del---.tape");
    options_free(&a.o);
    char line[400];
    snprintf(line, sizeof line, "capacity --base-url http://h --model %0*d", 300, 1);
    assert_int_equal(args_parse(&a, "tokentape-record", line), TT_OK);
    assert_true(strlen(a.o.tape_path) < 150);
    options_free(&a.o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_specification),
        cmocka_unit_test(every_bound_holds_at_both_ends),
        cmocka_unit_test(words_are_those_listed),
        cmocka_unit_test(values_arrive_where_they_belong),
        cmocka_unit_test(flags_that_contradict_each_other_are_refused),
        cmocka_unit_test(requests_times_context_has_a_bound),
        cmocka_unit_test(repeated_unknown_and_stray_are_named),
        cmocka_unit_test(help_and_version_ask_for_nothing_else),
        cmocka_unit_test(help_names_every_flag_and_bound_within_100_columns),
        cmocka_unit_test(seeds_become_canonical),
        cmocka_unit_test(a_random_seed_is_drawn_anew),
        cmocka_unit_test(base_urls),
        cmocka_unit_test(a_password_in_the_url_is_never_shown),
        cmocka_unit_test(texts_are_utf8_without_controls),
        cmocka_unit_test(ids_and_fingerprints),
        cmocka_unit_test(keys_come_from_the_environment_and_are_never_shown),
        cmocka_unit_test(tapes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
