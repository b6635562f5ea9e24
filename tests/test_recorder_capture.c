/* What a request leaves on the tape: its order, and honest losses when the disk stalls. Sockets: the
 * kernel's stamp serves one read, TCP facts survive the close. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "../format/reader.h"
#include "../format/writer.h"
#include "../recorder/capture.h"
#include "../recorder/intake.h"

static char folder[64], path[96], head_path[128];
static atomic_bool hold;

static ssize_t held_write(void *ctx, int fd, const void *p, size_t n)
{
    (void)ctx;
    while (atomic_load(&hold))
        poll(NULL, 0, 1);
    return write(fd, p, n);
}

static int plain_sync(void *ctx, int fd)
{
    (void)ctx;
    return fdatasync(fd);
}

static int plain_fallocate(void *ctx, int fd, int mode, off_t offset, off_t len)
{
    (void)ctx;
    return fallocate(fd, mode, offset, len);
}

static int plain_truncate(void *ctx, int fd, off_t len)
{
    (void)ctx;
    return ftruncate(fd, len);
}

static int plain_close(void *ctx, int fd)
{
    (void)ctx;
    return close(fd);
}

static const struct writer_io io = {held_write, plain_sync, plain_fallocate, plain_truncate, NULL, plain_close, NULL};

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/capture-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/t.tape", folder);
    snprintf(head_path, sizeof(head_path), "%s.head", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int remove_tape(void **state)
{
    (void)state;
    unlink(path);
    unlink(head_path);
    return 0;
}

static void begin(struct capture_env *env, struct redact_rules **rules)
{
    size_t left_out;
    struct tt_error err;
    *env = (struct capture_env){.base = stamp_take_base()};
    assert_int_equal(redact_rules_create(rules, NULL, 0, &left_out, &err), TT_OK);
    env->rules = *rules;
    idle_init(&env->active);
    idle_init(&env->closing);
    idle_init(&env->sending);
    assert_true(sockets_init(&env->sockets));
    atomic_store(&hold, false);
    struct sink_options o = {
        .path = path, .base = env->base, .concurrency = 2, .host_root = "", .ring_bytes = 65536, .io = &io};
    assert_int_equal(sink_create(&env->sink, &o, &err), TT_OK);
    assert_int_equal(sink_append_clock(env->sink, &err), TT_OK);
    assert_int_equal(sink_sync_now(env->sink, &err), TT_OK);
    sink_start(env->sink);
}

static void end(struct capture_env *env, struct redact_rules *rules)
{
    struct tape_record last = {.kind = TAPE_END};
    last.u.end.reason = tt_view_str("complete");
    struct pollfd p = {.fd = sink_finish(env->sink, &last), .events = POLLIN};
    assert_int_equal(poll(&p, 1, 20000), 1);
    assert_int_equal(sink_join(env->sink, NULL), TT_OK);
    sink_free(env->sink);
    sockets_clear(&env->sockets);
    pack_free(&env->scratch);
    redact_rules_free(rules);
}

static void line(struct capture *c, const char *text)
{
    capture_head_line(c, (const uint8_t *)text, strlen(text));
}

static void start(struct capture *c, uint64_t request)
{
    assert_true(sink_claim_room(c->env->sink));
    capture_start(c, request);
    capture_connected(c, -1, 4711, false, NULL, "1.1");
}

static void finish(struct capture *c, const char *reason)
{
    char error[] = "why";
    struct capture_end done = {.http_status = c->head.status, .reason = reason, .error = error};
    capture_done(c, &done);
}

/* libcurl tells of a head by whole lines: bytes of one that is not yet whole keep a request alive all the same. */
static void bytes_of_a_head_are_activity(void **state)
{
    (void)state;
    struct capture_env env;
    struct redact_rules *rules;
    struct capture one, other;
    begin(&env, &rules);
    assert_int_equal(capture_init(&one, &env, NULL), TT_OK);
    assert_int_equal(capture_init(&other, &env, NULL), TT_OK);
    start(&one, 0);
    start(&other, 1);
    assert_ptr_equal(idle_oldest(&env.active), &one.active);
    assert_true(one.socket.heading);
    capture_stirred(&one.socket);
    assert_ptr_equal(idle_oldest(&env.active), &other.active);
    line(&one, "HTTP/1.1 200 OK\r\n");
    line(&one, "\r\n");
    assert_true(one.socket.heading); /* it may have been an interim one */
    capture_read(&one, (const uint8_t *)"x", 1);
    assert_false(one.socket.heading);
    finish(&one, "complete");
    finish(&other, "timeout");
    assert_null(idle_oldest(&env.active));
    start(&one, 2);
    assert_true(one.socket.heading); /* its next request has a head of its own */
    finish(&one, "timeout");
    capture_clear(&one);
    capture_clear(&other);
    end(&env, rules);
}

static void records_come_in_order(void **state)
{
    (void)state;
    static const uint32_t expected[] = {TAPE_START, TAPE_CONN, TAPE_SEND, TAPE_HEAD, TAPE_READ, TAPE_READ, TAPE_DONE};
    struct capture_env env;
    struct redact_rules *rules;
    struct capture c;
    begin(&env, &rules);
    assert_int_equal(capture_init(&c, &env, NULL), TT_OK);
    start(&c, 7);
    capture_sent(&c, 40, 100);
    assert_ptr_equal(idle_oldest(&env.sending), &c.sending);
    capture_sent(&c, 100, 100);
    assert_null(idle_oldest(&env.sending));
    line(&c, "HTTP/1.1 200 OK\r\n");
    line(&c, "\r\n");
    capture_read(&c, (const uint8_t *)"data: [DO", 9);
    assert_null(idle_oldest(&env.closing));
    capture_read(&c, (const uint8_t *)"NE]\n\n", 5);
    assert_ptr_equal(idle_oldest(&env.closing), &c.closing);
    finish(&c, "complete");
    assert_null(idle_oldest(&env.closing));
    assert_null(idle_oldest(&env.active));
    capture_clear(&c);
    end(&env, rules);
    struct reader *r;
    struct tape_record rec;
    size_t next = 0;
    assert_int_equal(reader_open(&r, path, NULL, NULL), TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK) {
        if (rec.kind < TAPE_START || rec.kind > TAPE_DONE)
            continue;
        assert_true(next < sizeof(expected) / sizeof(expected[0]));
        assert_int_equal(rec.kind, expected[next++]);
        if (rec.kind == TAPE_SEND) {
            assert_int_equal(rec.u.send.bytes, 100);
            assert_true(rec.u.send.first_ns <= rec.u.send.last_ns);
        }
        if (rec.kind == TAPE_DONE) {
            assert_int_equal(rec.u.done.body_bytes, 14);
            assert_int_equal(rec.u.done.reads, 2);
            assert_true(tt_view_equal(rec.u.done.error, "why"));
        }
    }
    assert_int_equal(next, sizeof(expected) / sizeof(expected[0]));
    reader_free(r);
}

static void losses_are_counted_to_the_byte(void **state)
{
    (void)state;
    struct capture_env env;
    struct redact_rules *rules;
    struct capture c, calm;
    static uint8_t big[16384];
    uint64_t sent = 0, sent_bytes = 0;
    begin(&env, &rules);
    assert_int_equal(capture_init(&c, &env, NULL), TT_OK);
    assert_int_equal(capture_init(&calm, &env, NULL), TT_OK);
    atomic_store(&hold, true);
    start(&c, 0);
    start(&calm, 1);
    while (c.lost_count < 5) {
        assert_true(sent < 100000);
        capture_read(&c, big, sizeof(big));
        sent++, sent_bytes += sizeof(big);
    }
    atomic_store(&hold, false);
    while (sink_backlog_bytes(env.sink) > 0)
        poll(NULL, 0, 1);
    capture_read(&c, big, 10); /* there is room again, but this request has a hole already */
    sent++, sent_bytes += 10;
    finish(&c, "complete");
    capture_read(&calm, big, 20);
    finish(&calm, "complete");
    assert_int_equal(env.lost_reads, 6);
    capture_clear(&c);
    capture_clear(&calm);
    end(&env, rules);
    struct reader *r;
    struct tape_record rec;
    uint64_t kept = 0, kept_bytes = 0, lost = 0, lost_bytes = 0;
    assert_int_equal(reader_open(&r, path, NULL, NULL), TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK) {
        if (rec.kind == TAPE_READ && rec.u.read.request == 0)
            kept++, kept_bytes += rec.u.read.bytes.n;
        if (rec.kind == TAPE_LOST) {
            struct tape_scalar request;
            size_t cursor = 0;
            lost += rec.u.lost.count, lost_bytes += rec.u.lost.bytes;
            assert_true(tt_view_equal(rec.u.lost.reason, "ring_full"));
            assert_int_equal(tape_array_next(rec.u.lost.requests, &cursor, &request, NULL), TT_OK);
            assert_int_equal(request.u, 0);
        }
        if (rec.kind == TAPE_DONE && rec.u.done.request == 0)
            assert_int_equal(rec.u.done.body_bytes, sent_bytes);
    }
    assert_int_equal(lost, 6);
    assert_int_equal(kept + lost, sent);
    assert_int_equal(kept_bytes + lost_bytes, sent_bytes);
    reader_free(r);
}

static void activity_orders_the_idle_list(void **state)
{
    (void)state;
    struct idle_list list;
    struct idle_node a = {0}, b = {0};
    idle_init(&list);
    assert_null(idle_oldest(&list));
    idle_touch(&list, &a, 1);
    idle_touch(&list, &b, 2);
    assert_ptr_equal(idle_oldest(&list), &a);
    idle_touch(&list, &a, 3);
    assert_ptr_equal(idle_oldest(&list), &b);
    idle_remove(&b);
    idle_remove(&b);
    assert_ptr_equal(idle_oldest(&list), &a);
    assert_int_equal(a.since_ns, 3);
    idle_remove(&a);
    assert_null(idle_oldest(&list));
}

static void connect_pair(int *client, int *server)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &n), 0);
    *client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(*client, (struct sockaddr *)&a, sizeof(a)), 0);
    *server = accept(listener, NULL, NULL);
    assert_true(*server >= 0);
    close(listener);
}

static void a_connection_is_found_by_its_port(void **state)
{
    (void)state;
    struct sockets s;
    struct socket_owner owner = {.fd = -1};
    struct sockaddr_in a;
    socklen_t n = sizeof(a);
    int client, server;
    assert_true(sockets_init(&s));
    connect_pair(&client, &server);
    assert_int_equal(getsockname(client, (struct sockaddr *)&a, &n), 0);
    unsigned port = ntohs(a.sin_port);
    assert_false(sockets_bind_port(&s, client, port)); /* not one of ours */
    sockets_opened(&s, client, 0);
    assert_false(sockets_bind_port(&s, client, port ^ 1u));
    assert_true(sockets_bind_port(&s, client, port));
    assert_int_equal(sockets_by_port(&s, port), client);
    sockets_own(&s, client, &owner);
    assert_ptr_equal(sockets_owner(&s, client), &owner);
    sockets_closed(&s, client);
    assert_true(owner.tcp.present);
    assert_int_equal(owner.fd, -1);
    assert_int_equal(sockets_by_port(&s, port), -1);
    assert_null(sockets_owner(&s, client));
    sockets_disown(&s, &owner);
    close(server);
    close(client);
    sockets_clear(&s);
}

/* An answer whose first body bytes come in a read that has room for `room` of them. */
static void put_received(struct capture *c, int client, int server, size_t n, size_t room, const char *tls)
{
    static uint8_t body[400];
    struct pollfd p = {.fd = client, .events = POLLIN};
    assert_int_equal(write(server, body, n), n);
    assert_int_equal(poll(&p, 1, 5000), 1);
    assert_true(sink_claim_room(c->env->sink));
    capture_start(c, 0);
    capture_connected(c, client, 4711, false, tls, "1.1");
    intake_begin(client);
    assert_int_equal(recv(client, body, room, 0), room < n ? room : n);
    capture_read(c, body, room < n ? room : n);
    intake_end();
    finish(c, "complete");
    if (room < n)
        assert_int_equal(recv(client, body, n - room, 0), n - room);
}

/* The kernel begins stamping a moment after the first socket that asks. */
static bool wait_for_stamps(struct sockets *s, int client, int server)
{
    uint8_t byte;
    bool stamped = false;
    sockets_opened(s, client, 0);
    for (int tries = 0; s->timestamps && !stamped && tries < 1000; tries++) {
        assert_int_equal(write(server, "c", 1), 1);
        poll(NULL, 0, 1);
        intake_begin(client);
        assert_int_equal(recv(client, &byte, 1, 0), 1);
        stamped = intake_take_time() > 0;
        intake_end();
    }
    assert_int_equal(stamped, s->timestamps);
    return stamped;
}

/* What did not fit into libcurl's buffer any more may have lent its time to what did. */
static void a_read_that_fills_the_buffer_has_no_kernel_time(void **state)
{
    (void)state;
    struct capture_env env;
    struct redact_rules *rules;
    struct capture c;
    int client, server;
    begin(&env, &rules);
    connect_pair(&client, &server);
    sockets_probe_timestamps(&env.sockets);
    bool stamps = wait_for_stamps(&env.sockets, client, server);
    stamp_offset_refresh(&env.offset, &env.base);
    assert_int_equal(capture_init(&c, &env, NULL), TT_OK);
    put_received(&c, client, server, 300, 301, NULL);
    put_received(&c, client, server, 300, 300, NULL);
    put_received(&c, client, server, 300, 200, NULL);
    put_received(&c, client, server, 300, 300, "TLSv1.3"); /* it is read record by record */
    capture_clear(&c);
    close(server);
    close(client);
    end(&env, rules);
    struct reader *r;
    struct tape_record rec;
    bool known[4];
    size_t reads = 0;
    assert_int_equal(reader_open(&r, path, NULL, NULL), TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK)
        if (rec.kind == TAPE_READ && reads < 4)
            known[reads++] = rec.u.read.lag_ns != TAPE_LAG_NONE;
    reader_free(r);
    assert_int_equal(reads, 4);
    assert_true(known[0] == stamps && !known[1] && !known[2] && known[3] == stamps);
}

/* A request that is about to be sent on a new connection. */
static void start_on(struct capture *c, struct capture_env *env, int client)
{
    sockets_opened(&env->sockets, client, 0);
    assert_int_equal(capture_init(c, env, NULL), TT_OK);
    assert_true(sink_claim_room(env->sink));
    capture_start(c, 0);
    capture_connected(c, client, 4711, false, NULL, "1.1");
}

/* libcurl may take bytes of any socket when a timer is due, unseen: what another recv() left says nothing of them. */
static void another_read_is_no_look(void **state)
{
    (void)state;
    struct capture_env env;
    struct redact_rules *rules;
    struct capture c;
    struct reader *r;
    struct tape_record rec;
    uint8_t body[4];
    int client, server, other, far;
    begin(&env, &rules);
    connect_pair(&client, &server);
    connect_pair(&other, &far);
    start_on(&c, &env, client);
    for (int i = 0; i < 2; i++) { /* its own socket in the first turn, another in the second */
        poll(NULL, 0, 20);
        look_begin(&env.sockets.look, stamp_now(&env.base));
        intake_begin(i == 0 ? client : other);
        assert_int_equal(write(i == 0 ? server : far, "abc", 3), 3);
        assert_int_equal(recv(i == 0 ? client : other, body, sizeof body, 0), 3);
        for (int reads = 0; i == 1 && reads < 2; reads++)
            capture_read(&c, body, 3);
        intake_end();
        for (int reads = 0; i == 0 && reads < 2; reads++)
            capture_read(&c, body, 3);
    }
    finish(&c, "complete");
    capture_clear(&c);
    end(&env, rules);
    assert_int_equal(reader_open(&r, path, NULL, NULL), TT_OK);
    for (uint64_t reads = 0; reader_next(r, &rec, NULL) == TT_OK;)
        if (rec.kind == TAPE_READ)
            assert_true(rec.u.read.blind_us >= ++reads / 3 * 20000 + 20000);
    reader_free(r);
    close(client), close(server), close(other), close(far);
}

/* A read that brought lines of the head, and all there was, is a look at the socket as any other. */
static void a_read_of_the_head_is_a_look(void **state)
{
    (void)state;
    struct capture_env env;
    struct redact_rules *rules;
    struct capture c;
    struct reader *r;
    struct tape_record rec;
    uint8_t bytes[4];
    int client, server;
    begin(&env, &rules);
    connect_pair(&client, &server);
    start_on(&c, &env, client);
    poll(NULL, 0, 20);
    uint64_t head_ns = stamp_now(&env.base), body_ns = 0;
    for (int turn = 0; turn < 2; turn++) {
        look_begin(&env.sockets.look, stamp_now(&env.base));
        intake_begin(client);
        assert_int_equal(write(server, "abc", 3), 3);
        assert_int_equal(recv(client, bytes, sizeof(bytes), 0), 3);
        body_ns = stamp_now(&env.base);
        if (turn == 0)
            capture_stirred(&c.socket);
        else
            capture_read(&c, bytes, 3);
        intake_end();
    }
    finish(&c, "complete");
    capture_clear(&c);
    end(&env, rules);
    assert_int_equal(reader_open(&r, path, NULL, NULL), TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK)
        if (rec.kind == TAPE_READ)
            assert_true(rec.u.read.time_ns >= body_ns &&
                        rec.u.read.time_ns - rec.u.read.blind_us * 1000 + 1000 >= head_ns);
    reader_free(r);
    close(client), close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(records_come_in_order, remove_tape),
        cmocka_unit_test_teardown(losses_are_counted_to_the_byte, remove_tape),
        cmocka_unit_test_teardown(bytes_of_a_head_are_activity, remove_tape),
        cmocka_unit_test_teardown(a_read_that_fills_the_buffer_has_no_kernel_time, remove_tape),
        cmocka_unit_test_teardown(another_read_is_no_look, remove_tape),
        cmocka_unit_test_teardown(a_read_of_the_head_is_a_look, remove_tape),
        cmocka_unit_test(activity_orders_the_idle_list),
        cmocka_unit_test(a_connection_is_found_by_its_port),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
