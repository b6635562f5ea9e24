/* A name is looked up once, and a resolver that hangs is not waited for. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../recorder/resolve.h"

#define PATIENCE_MS 60000 /* never used up here */

static struct sockaddr_in v4 = {.sin_family = AF_INET};
static struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
static struct addrinfo second = {.ai_family = AF_INET6, .ai_addr = (struct sockaddr *)&v6, .ai_addrlen = sizeof(v6)};
static struct addrinfo first = {
    .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&v4, .ai_addrlen = sizeof(v4), .ai_next = &second};

/* These take the place of the C library's in this process. */
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out)
{
    (void)port;
    (void)hints;
    while (strcmp(host, "hangs.example") == 0)
        pause();
    if (strcmp(host, "dies.example") == 0)
        _exit(9);
    if (strcmp(host, "known.example") != 0)
        return EAI_NONAME;
    inet_pton(AF_INET, "192.0.2.7", &v4.sin_addr);
    inet_pton(AF_INET6, "2001:db8::7", &v6.sin6_addr);
    *out = &first;
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

static void expect(const char *url, int patience_ms, const char *want)
{
    char out[512] = "left from before";
    assert_int_equal(resolve_url(url, patience_ms, out, sizeof(out)), want[0] != '\0');
    assert_string_equal(out, want);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
}

static void a_name_is_looked_up(void **state)
{
    (void)state;
    expect("http://known.example:81/v1", PATIENCE_MS, "known.example:81:192.0.2.7,[2001:db8::7]");
    expect("https://known.example", PATIENCE_MS, "known.example:443:192.0.2.7,[2001:db8::7]");
}

static void a_name_that_is_unknown_leaves_it_to_libcurl(void **state)
{
    (void)state;
    expect("http://unknown.example/v1", PATIENCE_MS, "");
    expect("http://dies.example/v1", PATIENCE_MS, "");
}

static void an_address_is_not_looked_up(void **state)
{
    (void)state;
    expect("http://192.0.2.1:81/v1", PATIENCE_MS, "");
    expect("http://[2001:db8::1]:81/v1", PATIENCE_MS, "");
}

/* Were it waited for, this would never end. */
static void a_resolver_that_hangs_is_called_off(void **state)
{
    (void)state;
    expect("http://hangs.example/v1", 20, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_looked_up),
        cmocka_unit_test(a_name_that_is_unknown_leaves_it_to_libcurl),
        cmocka_unit_test(an_address_is_not_looked_up),
        cmocka_unit_test(a_resolver_that_hangs_is_called_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
