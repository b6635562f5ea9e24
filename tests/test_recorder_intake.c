/* recv() and poll() as libcurl comes by them: what they tell, and that they are the C library's everywhere else. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "../recorder/intake.h"
#include "../recorder/stamp.h"

struct pair {
    int client, server;
};

static void connect_pair(struct pair *p)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &n), 0);
    p->client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(p->client, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)), 0);
    assert_int_equal(connect(p->client, (struct sockaddr *)&a, sizeof(a)), 0);
    p->server = accept(listener, NULL, NULL);
    assert_true(p->server >= 0);
    close(listener);
}

static void close_pair(const struct pair *p)
{
    close(p->client);
    close(p->server);
}

static bool is_readable(int fd, int wait_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, wait_ms) == 1;
}

static void send_text(const struct pair *p, const char *text)
{
    assert_int_equal(write(p->server, text, strlen(text)), strlen(text));
    assert_true(is_readable(p->client, 5000));
}

static void each_read_is_told_of(void **state)
{
    (void)state;
    struct pair p;
    char in[8];
    connect_pair(&p);
    send_text(&p, "abcd");
    intake_begin(p.client);
    assert_int_equal(intake_last()->fd, -1);
    assert_int_equal(recv(p.client, in, 2, 0), 2);
    assert_int_equal(intake_last()->fd, p.client);
    assert_false(intake_last()->emptied); /* it may have left some */
    assert_true(is_readable(p.client, 0));
    assert_int_equal(recv(p.client, in, sizeof(in), 0), 2);
    assert_true(intake_last()->emptied);
    assert_int_equal(recv(p.client, in, sizeof(in), MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    assert_true(intake_last()->emptied); /* of the last that brought anything */
    intake_end();
    intake_begin(p.client);
    assert_int_equal(intake_last()->fd, -1);
    intake_end();
    close_pair(&p);
}

/* The kernel begins stamping a moment after the first socket that asks. */
static void the_kernel_time_is_of_the_bytes_taken(void **state)
{
    (void)state;
    struct pair p;
    char in[8];
    uint64_t told = 0, before = 0;
    connect_pair(&p);
    for (int tries = 0; told == 0 && tries < 2000; tries++) {
        before = stamp_realtime();
        send_text(&p, "a");
        uint64_t after = stamp_realtime();
        intake_begin(p.client);
        assert_int_equal(recv(p.client, in, sizeof(in), 0), 1);
        told = intake_take_time();
        assert_int_equal(intake_take_time(), 0); /* once */
        intake_end();
        assert_true(told == 0 || (told + STAMP_STEP_NS >= before && told <= after + STAMP_STEP_NS));
        poll(NULL, 0, 1);
    }
    assert_true(told > 0);
    close_pair(&p);
}

static void a_poll_behind_a_short_read_needs_no_system_call(void **state)
{
    (void)state;
    struct pair p, other;
    char in[8];
    connect_pair(&p);
    connect_pair(&other);
    send_text(&p, "ab");
    intake_begin(p.client);
    assert_int_equal(recv(p.client, in, sizeof(in), 0), 2);
    assert_int_equal(write(p.server, "c", 1), 1);
    assert_int_equal(write(other.server, "c", 1), 1);
    assert_true(is_readable(other.client, 5000));
    assert_false(is_readable(p.client, 0)); /* what has come since, epoll tells */
    assert_true(is_readable(p.client, 5000));
    struct pollfd writable = {.fd = p.client, .events = POLLIN | POLLOUT};
    assert_int_equal(poll(&writable, 1, 0), 1);
    intake_end();
    assert_true(is_readable(p.client, 0));
    close_pair(&p);
    close_pair(&other);
}

static void an_end_and_an_error_pass(void **state)
{
    (void)state;
    struct pair p;
    struct linger hard = {1, 0};
    char in[8];
    connect_pair(&p);
    assert_int_equal(shutdown(p.server, SHUT_WR), 0);
    assert_true(is_readable(p.client, 5000));
    intake_begin(p.client);
    assert_int_equal(recv(p.client, in, sizeof(in), 0), 0);
    assert_int_equal(intake_last()->fd, -1);
    intake_end();
    close_pair(&p);
    connect_pair(&p);
    assert_int_equal(setsockopt(p.server, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard)), 0);
    close(p.server);
    assert_true(is_readable(p.client, 5000));
    intake_begin(p.client);
    assert_int_equal(recv(p.client, in, sizeof(in), 0), -1);
    assert_int_equal(errno, ECONNRESET);
    intake_end();
    close(p.client);
}

static void a_look_takes_nothing(void **state)
{
    (void)state;
    struct pair p;
    char in[8];
    connect_pair(&p);
    send_text(&p, "ab");
    intake_begin(p.client);
    assert_int_equal(recv(p.client, in, sizeof(in), MSG_PEEK), 2);
    assert_int_equal(intake_last()->fd, -1);
    assert_true(is_readable(p.client, 0));
    intake_end();
    assert_int_equal(recv(p.client, in, sizeof(in), 0), 2); /* nobody is told of it */
    assert_int_equal(intake_last()->fd, -1);
    close_pair(&p);
}

static void *read_elsewhere(void *arg)
{
    struct pair *p = arg;
    char in[8];
    assert_int_equal(recv(p->client, in, 1, 0), 1);
    assert_int_equal(intake_last()->fd, -1);
    assert_true(is_readable(p->client, 0));
    return NULL;
}

static void other_threads_are_not_watched(void **state)
{
    (void)state;
    struct pair p;
    pthread_t other;
    connect_pair(&p);
    send_text(&p, "ab");
    intake_begin(p.client);
    assert_int_equal(pthread_create(&other, NULL, read_elsewhere, &p), 0);
    pthread_join(other, NULL);
    assert_int_equal(intake_last()->fd, -1);
    intake_end();
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_read_is_told_of),
        cmocka_unit_test(the_kernel_time_is_of_the_bytes_taken),
        cmocka_unit_test(a_poll_behind_a_short_read_needs_no_system_call),
        cmocka_unit_test(an_end_and_an_error_pass),
        cmocka_unit_test(a_look_takes_nothing),
        cmocka_unit_test(other_threads_are_not_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
