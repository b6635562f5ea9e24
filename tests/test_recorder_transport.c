/* How the server is reached: flags, files and variables that say so, and what is refused. */
#include "recorder_args.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../recorder/options_table.h"
#include "../recorder/resolve.h"

static struct args a;
static char folder[64];

static void accepts_of(const char *url, const char *flags)
{
    char all[2048];
    options_free(&a.o);
    snprintf(all, sizeof all, "--base-url %s --model m %s", url, flags);
    if (args_parse(&a, "tokentape-record capacity", all) != TT_OK)
        fail_msg("%s: refused: %s", flags, a.err.line);
}

/* `words`: what the one line has to say, split at '|'. */
static void refuses_of(const char *url, const char *flags, const char *words)
{
    char all[40000], copy[512];
    options_free(&a.o);
    snprintf(all, sizeof all, "--base-url %s --model m %s", url, flags);
    assert_int_equal(args_parse(&a, "tokentape-record capacity", all), TT_USAGE);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = copy, *next; word; word = next) {
        next = strchr(word, '|');
        if (next)
            *next++ = '\0';
        if (!strstr(a.err.line, word))
            fail_msg("%s: '%s' is not said: %s", flags, word, a.err.line);
    }
}

#define PLAIN "http://h:1/v1"
#define TLS "https://h:1/v1"

static const char *path_of(const char *name)
{
    static char path[8][128];
    static unsigned at;
    char *out = path[at++ % 8];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static const char *file(const char *name, const char *text)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

/* The flags with a path in place of each '@'. */
static const char *with2(const char *format, const char *first, const char *second)
{
    static char flags[512];
    size_t n = 0;
    for (const char *p = format; *p; p++) {
        const char *piece = *p == '@' ? first : NULL;
        size_t length = piece ? strlen(piece) : 1;
        assert_true(n + length < sizeof flags);
        memcpy(flags + n, piece ? piece : p, length);
        n += length;
        if (piece)
            first = second;
    }
    flags[n] = '\0';
    return flags;
}

static const char *with(const char *format, const char *path)
{
    return with2(format, path, path);
}

static void the_endpoint_is_chat_or_completions(void **state)
{
    (void)state;
    accepts_of(PLAIN, "");
    assert_string_equal(a.o.chat_target, "http://h:1/v1/chat/completions");
    accepts_of(PLAIN, "--endpoint completions");
    assert_string_equal(a.o.chat_url, "http://h:1/v1/completions");
    assert_string_equal(a.o.models_target, "http://h:1/v1/models");
    accepts_of(PLAIN, "--endpoint completions --thinking-mode unsupported");
    refuses_of(PLAIN, "--endpoint responses", "--endpoint responses|chat|completions");
    refuses_of(PLAIN, "--endpoint completions --thinking-mode enabled", "--thinking-mode|completions|template");
    refuses_of(PLAIN, "--endpoint completions --thinking-mode disabled", "--thinking-mode|completions");
    refuses_of(PLAIN, "--endpoint completions --no-thinking", "--no-thinking|completions");
    refuses_of(PLAIN, "--endpoint completions --reasoning-effort low", "--reasoning-effort|completions");
}

static void queries_are_encoded_and_appended(void **state)
{
    (void)state;
    accepts_of(PLAIN, "--query api-version=2024-02-01 --query=x=a=b&c/\xc3\xbc% --query empty=");
    assert_string_equal(a.o.chat_target, "http://h:1/v1/chat/completions?api-version=2024-02-01&x=a%3Db%26c%2F%C3%BC%25"
                                         "&empty=");
    assert_string_equal(a.o.models_target,
                        "http://h:1/v1/models?api-version=2024-02-01&x=a%3Db%26c%2F%C3%BC%25&empty=");
    assert_string_equal(a.o.chat_url, "http://h:1/v1/chat/completions");
    assert_string_equal(a.o.transport.query_shown, "api-version=2024-02-01&x=a%3Db%26c%2F%C3%BC%25&empty=");
    assert_int_equal(a.o.transport.secrets.n, 0);
    refuses_of(PLAIN, "--query name", "--query|name=value");
    refuses_of(PLAIN, "--query =value", "--query|name=value");
    refuses_of(PLAIN, "--query=a=\xff", "--query|not text");
    refuses_of(PLAIN, "--query=a=\x01", "--query|control");
    char long_one[8300] = "--query a=";
    memset(long_one + 10, '%', 3000); /* thrice as long when encoded */
    refuses_of(PLAIN, long_one, "--query|longer");
    char many[33 * 16] = "";
    for (unsigned i = 0; i < 33; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "--query=a%u=1 ", i);
    refuses_of(PLAIN, many, "--query|more than 32");
}

static void a_query_from_the_environment_is_not_shown(void **state)
{
    (void)state;
    setenv("TT_TEST_CODE", "hunter2 & more", 1);
    accepts_of(PLAIN, "--query-env code=TT_TEST_CODE --query v=1");
    assert_string_equal(a.o.chat_target, "http://h:1/v1/chat/completions?v=1&code=hunter2%20%26%20more");
    assert_string_equal(a.o.transport.query_shown, "v=1&code=*");
    assert_int_equal(a.o.transport.secrets.n, 1);
    assert_string_equal(a.o.transport.secrets.at[0], "hunter2 & more");
    refuses_of(PLAIN, "--query-env code=TT_TEST_NOT_SET", "--query-env|TT_TEST_NOT_SET|not set");
    refuses_of(PLAIN, "--query-env code=hunter2-itself", "--query-env|name of an environment variable");
    assert_null(strstr(a.err.line, "hunter2"));
    refuses_of(PLAIN, "--query-env TT_TEST_CODE", "--query-env|name=VARIABLE");
}

static void headers_come_from_variables_and_a_file(void **state)
{
    (void)state;
    setenv("TT_TEST_HEADER", "Authorization: Basic dXNlcjpodW50ZXIy", 1);
    const char *lines = file("headers", "X-Team:red team\r\n\nx-trace:  abc \n");
    accepts_of(PLAIN, with("--header-env TT_TEST_HEADER --header-file @", lines));
    const struct transport *t = &a.o.transport;
    assert_int_equal(t->headers.n, 3);
    assert_string_equal(t->headers.at[0], "Authorization: Basic dXNlcjpodW50ZXIy");
    assert_string_equal(t->headers.at[1], "X-Team:red team");
    assert_string_equal(t->headers.at[2], "x-trace:  abc");
    static const char *const secrets[] = {"Basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy", "red team", "team", "abc"};
    assert_int_equal(t->secrets.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(t->secrets.at[i], secrets[i]);
    assert_int_equal(access(lines, R_OK), 0);
}

static void a_bad_header_is_named_by_its_place_alone(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"hunter2", "Name: value"},
                                         {": hunter2", "Name: value"},
                                         {"a b: hunter2", "Name: value"},
                                         {"X-A:", "no value"},
                                         {"X-A:   ", "no value"},
                                         {"X-A: hunter2\x01", "control"},
                                         {"X-A: \thunter2", "control"},
                                         {"X-A: hunter2\x7f", "control"},
                                         {"X-A: hunter2\xff", "not text"},
                                         {"Host: hunter2", "itself"},
                                         {"content-length: 3", "itself"},
                                         {"Transfer-Encoding: chunked", "itself"},
                                         {"CONNECTION: close", "itself"},
                                         {"Expect: hunter2", "itself"},
                                         {"Content-Type: hunter2", "itself"},
                                         {"Accept-Encoding: gzip", "itself"},
                                         {"X-First: hunter2", "before"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        snprintf(text, sizeof text, "x-first: 1\n\n%s\n", bad[i][0]);
        refuses_of(PLAIN, with("--header-file @", file("bad", text)), "--header-file|line 3");
        if (!strstr(a.err.line, bad[i][1]))
            fail_msg("%s: '%s' is not said: %s", bad[i][0], bad[i][1], a.err.line);
        assert_null(strstr(a.err.line, "hunter2"));
        setenv("TT_TEST_BAD", bad[i][0], 1);
        if (strcmp(bad[i][1], "before") == 0)
            continue;
        refuses_of(PLAIN, "--header-env TT_TEST_BAD", "--header-env TT_TEST_BAD");
        assert_null(strstr(a.err.line, "hunter2"));
    }
    refuses_of(PLAIN, "--header-env hunter2-itself", "--header-env|name of an environment variable");
    assert_null(strstr(a.err.line, "hunter2"));
    refuses_of(PLAIN, "--header-file /nowhere/at/all", "--header-file|/nowhere/at/all|No such file");
    refuses_of(PLAIN, with("--header-file @", folder), "--header-file|cannot be read");
}

static void an_authorization_is_sent_once(void **state)
{
    (void)state;
    setenv("TT_TEST_KEY", "sk-0123456789", 1);
    setenv("TT_TEST_HEADER", "authorization: Bearer other-0123456789", 1);
    accepts_of(PLAIN, "--header-env TT_TEST_HEADER");
    refuses_of(PLAIN, "--header-env TT_TEST_HEADER --api-key-env TT_TEST_KEY", "Authorization|--api-key-env");
    refuses_of(PLAIN, "--header-env TT_TEST_HEADER --header-env TT_TEST_HEADER", "TT_TEST_HEADER|before");
}

static void headers_have_bounds(void **state)
{
    (void)state;
    char text[20000] = "";
    for (unsigned i = 0; i < 33; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "x-%u: %u\n", i, i);
    refuses_of(PLAIN, with("--header-file @", file("many", text)), "line 33|32 extra");
    memset(text, 'a', 9000);
    memcpy(text, "x: ", 3);
    text[9000] = '\0';
    refuses_of(PLAIN, with("--header-file @", file("long", text)), "line 1|longer than 8192");
    for (unsigned i = 0; i < 3; i++) {
        char *at = text + i * 6000;
        memset(at, 'a', 6000);
        at[0] = (char)('a' + i);
        at[1] = ':';
        at[5999] = '\n';
    }
    text[18000] = '\0';
    refuses_of(PLAIN, with("--header-file @", file("large", text)), "line 3|16384");
}

static void certificates_are_files_in_pem_and_for_tls(void **state)
{
    (void)state;
    const char *ca = file("ca", "text before\n-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n");
    const char *key = file("key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n");
    const char *both = file("both", "-----BEGIN CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\n");
    const char *locked = file("locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n");
    accepts_of(TLS, with("--cacert @", ca));
    assert_string_equal(a.o.transport.cacert, ca);
    accepts_of(TLS, with("--cert @", both));
    accepts_of(TLS, with2("--cert @ --key @", ca, key));
    accepts_of(TLS, "--insecure");
    assert_true(a.o.transport.insecure && a.o.transport.tls);
    refuses_of(TLS, with("--cacert @", key), "--cacert|holds no certificate");
    refuses_of(TLS, with("--cert @", ca), "--cert|--key");
    refuses_of(TLS, with("--key @", key), "--key|--cert");
    refuses_of(TLS, with2("--cert @ --key @", ca, locked), "--key|encrypted");
    refuses_of(TLS, with2("--cert @ --key @", ca, ca), "--key|private key");
    refuses_of(TLS, "--cacert /nowhere/at/all", "--cacert|/nowhere/at/all|No such file");
    refuses_of(TLS, with("--cacert @", folder), "--cacert|cannot be read|directory");
    refuses_of(TLS, with("--insecure --cacert @", ca), "--insecure|--cacert");
    refuses_of(PLAIN, with("--cacert @", ca), "--cacert|TLS|https");
    refuses_of(PLAIN, "--insecure", "--insecure|TLS|https");
    refuses_of(PLAIN, with("--cert @", both), "--cert|TLS|https");
}

static void a_unix_socket_is_one(void **state)
{
    (void)state;
    const char *path = path_of("socket");
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    accepts_of(PLAIN, with("--unix-socket @", path));
    accepts_of(TLS, with("--http2 --unix-socket @", path));
    refuses_of(PLAIN, with("--unix-socket @", file("none", "")), "--unix-socket|no socket");
    refuses_of(PLAIN, "--unix-socket /nowhere/at/all", "--unix-socket|No such file");
    refuses_of(PLAIN, with("--resolve h:1:127.0.0.1 --unix-socket @", path), "--unix-socket|--resolve");
    refuses_of(PLAIN, with("--proxy http://p:1 --unix-socket @", path), "--unix-socket|--proxy");
    char longest[200] = "--unix-socket=/";
    memset(longest + 15, 'a', 120);
    refuses_of(PLAIN, longest, "--unix-socket|107");
    close(fd);
}

static void proxies_have_host_and_port_and_no_password(void **state)
{
    (void)state;
    accepts_of(PLAIN, "--proxy http://127.0.0.1:3128");
    assert_string_equal(transport_peer_url(&a.o.transport, a.o.base_url), "http://127.0.0.1:3128");
    accepts_of(PLAIN, "--proxy socks5h://[::1]:1080/");
    refuses_of(PLAIN, "--proxy http://user:hunter2@p:1", "--proxy|user or password|--proxy-auth-env");
    assert_null(strstr(a.err.line, "hunter2"));
    refuses_of(PLAIN, "--proxy http://p", "--proxy|no port");
    refuses_of(PLAIN, "--proxy http://[::1]", "--proxy|no port");
    refuses_of(PLAIN, "--proxy p:1", "--proxy|http://");
    refuses_of(PLAIN, "--proxy https://p:1", "--proxy|not supported");
    refuses_of(PLAIN, "--proxy http://p:1/path", "--proxy|behind host and port");
    refuses_of(PLAIN, "--proxy http://p:0", "--proxy|port");
    refuses_of(PLAIN, "--proxy http://p:1 --http2", "--http2|proxy");
    accepts_of(TLS, "--proxy http://p:1 --http2");
    setenv("TT_TEST_LOGIN", "user:hunter2", 1);
    accepts_of(PLAIN, "--proxy http://p:1 --proxy-auth-env TT_TEST_LOGIN");
    assert_string_equal(a.o.transport.proxy_login, "user:hunter2");
    assert_int_equal(a.o.transport.secrets.n, 2);
    assert_string_equal(a.o.transport.secrets.at[1], "hunter2");
    refuses_of(PLAIN, "--proxy-auth-env TT_TEST_LOGIN", "--proxy-auth-env|--proxy");
    setenv("TT_TEST_LOGIN", "hunter2", 1);
    refuses_of(PLAIN, "--proxy http://p:1 --proxy-auth-env TT_TEST_LOGIN", "TT_TEST_LOGIN|user:password");
    assert_null(strstr(a.err.line, "hunter2"));
}

static void an_address_can_be_given(void **state)
{
    (void)state;
    accepts_of("http://api.test/v1", "--resolve api.test:80:127.0.0.1");
    accepts_of("https://API.test/v1", "--resolve api.TEST:443:[::1],127.0.0.2,::1");
    accepts_of("http://h:1/v1", "--proxy http://p:2 --resolve p:2:127.0.0.1");
    accepts_of("http://h:1/v1", "--proxy socks5h://p:2 --resolve p:2:127.0.0.1");
    static const char *const bad[][2] = {{"h:1", "HOST:PORT:ADDR"},       {"h:1:", "HOST:PORT:ADDR"},
                                         {"h:1:other", "HOST:PORT:ADDR"}, {"h:1:127.0.0.1,", "HOST:PORT:ADDR"},
                                         {"h:1:1.2.3", "HOST:PORT:ADDR"}, {"h:2:127.0.0.1", "another"},
                                         {"i:1:127.0.0.1", "another"},    {"hh:1:127.0.0.1", "another"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char flags[64];
        snprintf(flags, sizeof flags, "--resolve %s", bad[i][0]);
        refuses_of(PLAIN, flags, "--resolve");
        if (!strstr(a.err.line, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], a.err.line);
    }
    refuses_of("http://[::1]:1/v1", "--resolve [::1]:1:127.0.0.1", "--resolve");
    refuses_of("http://127.0.0.1:1/v1", "--resolve 127.0.0.1:1:127.0.0.2", "--resolve|address");
}

static void help_names_every_flag(void **state)
{
    (void)state;
    for (enum command command = COMMAND_CAPACITY; command <= COMMAND_CALIBRATE; command++) {
        struct flag_table table = options_flags(command);
        for (size_t i = 0; i < table.count; i++)
            if (!strstr(options_help(command), table.flags[i].name))
                fail_msg("--help does not say %s", table.flags[i].name);
    }
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tokentape-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"headers", "bad",  "many", "long",   "large", "ca",
                                        "key",     "both", "none", "locked", "socket"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    options_free(&a.o);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_endpoint_is_chat_or_completions),
        cmocka_unit_test(queries_are_encoded_and_appended),
        cmocka_unit_test(a_query_from_the_environment_is_not_shown),
        cmocka_unit_test(headers_come_from_variables_and_a_file),
        cmocka_unit_test(a_bad_header_is_named_by_its_place_alone),
        cmocka_unit_test(an_authorization_is_sent_once),
        cmocka_unit_test(headers_have_bounds),
        cmocka_unit_test(certificates_are_files_in_pem_and_for_tls),
        cmocka_unit_test(a_unix_socket_is_one),
        cmocka_unit_test(proxies_have_host_and_port_and_no_password),
        cmocka_unit_test(an_address_can_be_given),
        cmocka_unit_test(help_names_every_flag),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
