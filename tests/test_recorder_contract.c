/* The contract the times rest on (tape.md section 4): over plain HTTP/1.1 each recv()
 * that brings body bytes becomes exactly one READ with exactly those bytes. The recorder runs whole,
 * in this process, against a server thread; what libcurl's recv() comes to is counted. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "../format/reader.h"
#include "../recorder/session.h"

#define MAX_RECVS 512
#define RECV_BYTES 20000

static int server_port;
static struct {
    size_t n;
    uint8_t *bytes;
    bool timed; /* the kernel told when, and there was room for more */
} recvs[MAX_RECVS];
static size_t recv_count, reads_timed;

static void note(int fd, const uint8_t *bytes, ssize_t n, bool filled, bool timed)
{
    struct sockaddr_in peer;
    socklen_t len = sizeof(peer);
    if (n <= 0 || getpeername(fd, (struct sockaddr *)&peer, &len) != 0 || ntohs(peer.sin_port) != server_port)
        return;
    assert_true(recv_count < MAX_RECVS);
    recvs[recv_count].bytes = malloc((size_t)n);
    memcpy(recvs[recv_count].bytes, bytes, (size_t)n);
    recvs[recv_count].timed = timed && !filled;
    recvs[recv_count++].n = (size_t)n;
}

/* Both take the place of the C library's for the whole process, where the recorder's recv() goes on to them: libcurl
 * calls that one. */
ssize_t recvfrom(int fd, void *out, size_t cap, int flags, struct sockaddr *from, socklen_t *from_n)
{
    ssize_t n = syscall(SYS_recvfrom, fd, out, cap, flags, from, from_n);
    note(fd, out, n, (size_t)n == cap, false);
    return n;
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    if (m->msg_iovlen == 1)
        note(fd, m->msg_iov->iov_base, n, (size_t)n == m->msg_iov->iov_len, n > 0 && CMSG_FIRSTHDR(m) != NULL);
    return n;
}

/* What the server sends: pieces, each a write of its own, some way apart. */
struct script {
    const char *pieces[12];
    bool reset;
    size_t big; /* and then this many bytes more in one go */
};

struct server {
    int listener;
    const struct script *script;
    pthread_t thread;
};

static void read_request(int fd)
{
    char in[65536];
    size_t n = 0;
    while (n + 1 < sizeof(in)) {
        ssize_t got = read(fd, in + n, sizeof(in) - 1 - n);
        if (got <= 0)
            return;
        n += (size_t)got;
        in[n] = '\0';
        char *end = strstr(in, "\r\n\r\n"), *length = strstr(in, "Content-Length: ");
        if (end && length && n >= (size_t)(end + 4 - in) + strtoul(length + 16, NULL, 10))
            return;
    }
}

static void write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
        if (done <= 0)
            return;
        p += done;
        n -= (size_t)done;
    }
}

static void *serve(void *arg)
{
    struct server *s = arg;
    int one = 1, fd = accept(s->listener, NULL, NULL);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    read_request(fd);
    for (size_t i = 0; s->script->pieces[i]; i++) {
        write_all(fd, s->script->pieces[i], strlen(s->script->pieces[i]));
        poll(NULL, 0, 3);
    }
    if (s->script->big) {
        char *more = calloc(1, s->script->big);
        write_all(fd, more, s->script->big);
        free(more);
    }
    if (s->script->reset) {
        struct linger hard = {1, 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    }
    close(fd);
    return NULL;
}

static void start_server(struct server *s, const struct script *script)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    s->script = script;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(listen(s->listener, 4), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&a, &n), 0);
    server_port = ntohs(a.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void record(const char *tape)
{
    char url[64];
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/v1", server_port);
    char *argv[] = {"tokentape-record",
                    "capacity",
                    "--base-url",
                    url,
                    "--model",
                    "m",
                    "--requests",
                    "1",
                    "--concurrency",
                    "1",
                    "--ctx-tokens",
                    "512",
                    "--max-model-len",
                    "8192",
                    "--timeout",
                    "10",
                    "--tape",
                    (char *)(size_t)tape,
                    "-q",
                    NULL};
    int argc = sizeof(argv) / sizeof(argv[0]) - 1;
    struct options o;
    enum options_action action;
    struct tt_error err = {0};
    struct stamp_base base = stamp_take_base();
    static struct session s;
    assert_int_equal(options_parse(argc, argv, "20260101T000000Z", &o, &action, &err), TT_OK);
    enum tt_status code = session_open(&s, &o, &base, NULL, &err);
    if (code != TT_OK)
        fail_msg("%s", err.line);
    schedule_run(s.schedule);
    assert_int_equal(session_finish(&s, &err), TT_OK);
    session_clear(&s);
    options_free(&o);
}

/* Where the body begins in what the server sent: behind the head that is no 1xx. */
static size_t head_bytes(const uint8_t *all, size_t n)
{
    size_t at = 0;
    for (;;) {
        bool interim = n - at > 9 && all[at + 9] == '1';
        const uint8_t *end = memmem(all + at, n - at, "\r\n\r\n", 4);
        assert_non_null(end);
        at = (size_t)(end + 4 - all);
        if (!interim)
            return at;
    }
}

/* Compares the READs of the tape with the body parts of the recvs, one by one. */
static size_t compare(const char *tape)
{
    uint8_t *all = malloc(MAX_RECVS * (size_t)RECV_BYTES);
    size_t n = 0, next = 0, reads = 0, timed = 0, told = 0;
    struct reader *r;
    struct tape_record rec;
    for (size_t i = 0; i < recv_count; i++) {
        memcpy(all + n, recvs[i].bytes, recvs[i].n);
        n += recvs[i].n;
    }
    size_t head = head_bytes(all, n), before = 0;
    free(all);
    assert_int_equal(reader_open(&r, tape, NULL, NULL), TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK) {
        if (rec.kind != TAPE_READ)
            continue;
        while (next < recv_count && before + recvs[next].n <= head)
            before += recvs[next++].n;
        assert_true(next < recv_count);
        size_t skip = before < head ? head - before : 0;
        assert_int_equal(rec.u.read.bytes.n, recvs[next].n - skip);
        assert_memory_equal(rec.u.read.bytes.p, recvs[next].bytes + skip, rec.u.read.bytes.n);
        if (rec.u.read.lag_ns != TAPE_LAG_NONE)
            timed++;
        assert_true(rec.u.read.lag_ns == TAPE_LAG_NONE || recvs[next].timed);
        told += recvs[next].timed;
        before += recvs[next++].n;
        reads++;
    }
    assert_int_equal(next, recv_count);
    assert_int_equal(timed, told);
    reads_timed += timed;
    assert_int_equal(reader_report(r)->state, READER_COMPLETE);
    reader_free(r);
    return reads;
}

static void run(const struct script *script, size_t least_reads)
{
    char folder[] = "/tmp/contract-XXXXXX", tape[64], head[80];
    struct server s;
    assert_non_null(mkdtemp(folder));
    snprintf(tape, sizeof(tape), "%s/t.tape", folder);
    snprintf(head, sizeof(head), "%s.head", tape);
    recv_count = 0;
    start_server(&s, script);
    record(tape);
    pthread_join(s.thread, NULL);
    close(s.listener);
    size_t reads = compare(tape);
    if (reads < least_reads)
        fail_msg("%zu reads, at least %zu expected", reads, least_reads);
    for (size_t i = 0; i < recv_count; i++)
        free(recvs[i].bytes);
    unlink(tape);
    unlink(head);
    rmdir(folder);
}

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

static void chunked_with_several_chunks_in_a_write(void **state)
{
    (void)state;
    static const struct script s = {.pieces = {HEAD "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                                               "2\r\nde\r\n1\r\nf\r\n4\r\nghij\r\n", "5\r\nkl", "mno\r\n", "0\r\n",
                                               "X-Trailer: 1\r\n\r\n", NULL}};
    run(&s, 2);
}

static void content_length(void **state)
{
    (void)state;
    static const struct script s = {.pieces = {HEAD "Content-Length: 9\r\n\r\n", "abc", "def", "ghi", NULL}};
    run(&s, 1);
}

static void ended_by_close(void **state)
{
    (void)state;
    static const struct script s = {.pieces = {HEAD "Conn", "ection: close\r\n\r\nab", "cdef", "g", NULL}};
    run(&s, 1);
}

static void interim_answers(void **state)
{
    (void)state;
    static const struct script s = {.pieces = {"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
                                               HEAD "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n0\r\n\r\n", NULL}};
    run(&s, 1);
}

static void cut_short_and_reset(void **state)
{
    (void)state;
    static const struct script cut = {.pieces = {HEAD "Content-Length: 100\r\n\r\nabc", "def", NULL}};
    static const struct script torn = {.pieces = {HEAD "Transfer-Encoding: chunked\r\n\r\n", "5\r\nab", NULL},
                                       .reset = true};
    run(&cut, 1);
    run(&torn, 1);
}

static void a_broken_chunk(void **state)
{
    (void)state;
    static const struct script s = {
        .pieces = {HEAD "Transfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n", "zz\r\n", NULL}};
    run(&s, 1);
}

static void large_reads(void **state)
{
    (void)state;
    static const struct script s = {.pieces = {HEAD "Content-Length: 300000\r\n\r\n", NULL}, .big = 300000};
    run(&s, 10);
}

static void kernel_times_were_told(void **state)
{
    (void)state;
    assert_true(reads_timed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunked_with_several_chunks_in_a_write),
        cmocka_unit_test(content_length),
        cmocka_unit_test(ended_by_close),
        cmocka_unit_test(interim_answers),
        cmocka_unit_test(cut_short_and_reset),
        cmocka_unit_test(a_broken_chunk),
        cmocka_unit_test(large_reads),
        cmocka_unit_test(kernel_times_were_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
