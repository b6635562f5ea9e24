/* Bounds of the client's own error, each by the case it is made for; and what the trace says of reads, clocks and host.
 */
#include "analyzer_tapes.h"

#include "../analyzer/calibration.h"
#include "../analyzer/json_tree.h"
#include "../analyzer/reason.h"
#include "../analyzer/timing.h"
#include "../analyzer/timing_marks.h"
#include "../analyzer/trace.h"

#define US 1000ull
#define NONE TAPE_NONE

/* A READ with all that is known of when it came. */
struct read {
    uint64_t ms;
    int64_t lag_ns;
    uint64_t blind_us;
    const char *text;
    bool continued;
};

static void put_arrived_of(struct maker *m, uint64_t request, const struct read *r)
{
    struct tape_record rec = {.kind = TAPE_READ};
    rec.u.read.request = request;
    rec.u.read.time_ns = r->ms * MS;
    rec.u.read.lag_ns = r->lag_ns;
    rec.u.read.blind_us = r->blind_us;
    rec.u.read.turn = r->ms;
    rec.u.read.flags = r->continued ? TAPE_READ_CONTINUED : 0;
    rec.u.read.bytes = tt_view_str(r->text);
    put(m, &rec);
}

static void put_arrived(struct maker *m, const struct read *r)
{
    put_arrived_of(m, 0, r);
}

static void put_sent(struct maker *m, uint64_t last_ms, uint64_t waited_us)
{
    struct tape_record rec = {.kind = TAPE_SEND};
    rec.u.send.first_ns = 2 * MS;
    rec.u.send.last_ns = last_ms * MS;
    rec.u.send.bytes = 4000;
    rec.u.send.waited_us = waited_us;
    put(m, &rec);
}

#define LOOPBACK ((struct tape_tcp){.present = true, .rtt_us = 120, .rttvar_us = 60})

static void put_ended(struct maker *m, uint64_t ms, uint64_t blind_us, struct tape_tcp tcp)
{
    struct tape_record rec = {.kind = TAPE_DONE};
    rec.u.done.time_ns = ms * MS;
    rec.u.done.http_status = 200;
    rec.u.done.reason = tt_view_str("complete");
    rec.u.done.blind_us = blind_us;
    rec.u.done.tcp = tcp;
    put(m, &rec);
}

static const char *const close_head[] = {"content-type", "text/event-stream", NULL};
static const char *const chunked_head[] = {"content-type", "text/event-stream", "transfer-encoding", "chunked", NULL};

/* START at 1 ms, sent within it, so that all that is left is the read's own. Reads end with NULL text. */
static struct run *run_over(struct tape_tcp tcp, const char *name, const char *const *head, const struct read *reads,
                            uint64_t end_blind_us)
{
    const char *path = tape_path(name);
    struct maker_options options = {.requests = 1, .concurrency = 1};
    struct maker m = maker_begin(path, &options, true);
    uint64_t last = 10;
    put_start(&m, 0, 1);
    put_conn(&m, 0, 2);
    put_sent(&m, 1, 0);
    put_head_with(&m, 0, 10, "HTTP/1.1 200 OK", head);
    for (; reads->text; last = reads->ms, reads++)
        put_arrived(&m, reads);
    put_ended(&m, last + 5, end_blind_us, tcp);
    maker_finish(&m, last + 20);
    return load_judged(path);
}

static struct run *run_of(const char *name, const char *const *head, const struct read *reads, uint64_t end_blind_us)
{
    return run_over(LOOPBACK, name, head, reads, end_blind_us);
}

static void error_is(const struct run *run, enum timing_what what, uint64_t ns)
{
    struct opt_u64 error = timing_error_ns(&run->requests[0], what);
    assert_true(error.has);
    assert_int_equal(error.v, ns);
}

/* TTFO of one content delta that came in these reads. */
static void first_output_is(const char *const *head, const struct read *reads, uint64_t ns)
{
    struct run *run = run_of("ttfo.tape", head, reads, 0);
    error_is(run, TIMING_TTFO, ns);
    error_is(run, TIMING_TTFT, ns);
    run_free(run);
}

#define HELLO DELTA("content", "hello")
#define LAST_READ                                                                                                      \
    {90, TAPE_LAG_NONE, 0, STOP FINISH, false},                                                                        \
    {                                                                                                                  \
        0, 0, 0, NULL, false                                                                                           \
    }

static void lag_of_the_last_event_of_a_read(void **state)
{
    (void)state;
    const struct read reads[] = {{50, 70000, 3000, HELLO, false}, LAST_READ};
    first_output_is(close_head, reads, 70000 + 20000);
    const struct read early[] = {{50, -15000, 3000, HELLO, false}, LAST_READ}; /* no less than nothing */
    first_output_is(close_head, early, 20000);
    const struct read seen[] = {{50, 400000, 300, HELLO, false},
                                LAST_READ}; /* its kernel time is its own, whatever the look */
    first_output_is(close_head, seen, 420000);
}

/* The kernel's time of merged segments is that of the last: of an earlier one it says nothing. */
static void merged_segments_are_bounded_by_the_last_look(void **state)
{
    (void)state;
    const struct read behind[] = {{50, 70000, 3000, HELLO DELTA("content", "more"), false}, LAST_READ};
    first_output_is(close_head, behind, 3000 * US);
    const struct read begun[] = {{50, 70000, 3000, HELLO "data: {", false}, {60, 0, 10, "}\n\n", false}, LAST_READ};
    first_output_is(close_head, begun, 3000 * US);
    const struct read comment[] = {{50, 70000, 3000, HELLO ":\n\n", false}, LAST_READ};
    first_output_is(close_head, comment, 3000 * US);
    const struct read blank[] = {{50, 70000, 3000, HELLO "\n\n\n\n", false}, LAST_READ};
    first_output_is(close_head, blank, 3000 * US);
    const struct read longer[] = {{50, 3100000, 3000, HELLO DELTA("content", "more"), false}, LAST_READ};
    first_output_is(close_head, longer, 3120000); /* that the last of it waited so long says the first did, too */
    const struct read held[] = {{50, 70000, 3000, HELLO, false}, {50, 70000, 3000, ": held back", true}, LAST_READ};
    first_output_is(close_head, held, 3000 * US);
}

#define LAST_CHUNK                                                                                                     \
    {90, TAPE_LAG_NONE, 0, "e\r\n" FINISH "\r\n0\r\n\r\n", false},                                                     \
    {                                                                                                                  \
        0, 0, 0, NULL, false                                                                                           \
    }

static void the_end_of_its_chunk_is_its_own(void **state)
{
    (void)state;
    char whole[256], next[300], open[256];
    snprintf(whole, sizeof whole, "%zx\r\n%s\r\n", strlen(HELLO), HELLO);
    const struct read own[] = {{50, 70000, 3000, whole, false}, LAST_CHUNK};
    first_output_is(chunked_head, own, 90000);
    snprintf(next, sizeof next, "%se\r\n", whole); /* the next one has begun */
    const struct read begun[] = {
        {50, 70000, 3000, next, false}, {90, 0, 0, FINISH "\r\n0\r\n\r\n", false}, {.text = NULL}};
    first_output_is(chunked_head, begun, 3000 * US);
    snprintf(next, sizeof next, "%s0\r\n\r\n", whole); /* the body's end */
    const struct read ended[] = {{50, 70000, 3000, next, false}, {.text = NULL}};
    first_output_is(chunked_head, ended, 3000 * US);
    snprintf(open, sizeof open, "%zx\r\n%s", strlen(HELLO) + 14, HELLO); /* a chunk of two events */
    const struct read inside[] = {
        {50, 70000, 3000, open, false}, {90, 0, 0, FINISH "\r\n0\r\n\r\n", false}, {.text = NULL}};
    first_output_is(chunked_head, inside, 90000);
}

/* A server that gives the end of a chunk, or of an event, to the kernel later than the rest of it. */
static void ends_that_come_apart_are_not_trusted(void **state)
{
    (void)state;
    char open[256], whole[300];
    snprintf(open, sizeof open, "%zx\r\n%s", strlen(HELLO), HELLO);
    snprintf(whole, sizeof whole, "%s\r\n", open);
    const struct read apart[] = {
        {50, 70000, 3000, whole, false}, {60, 0, 10, open, false}, {61, 0, 10, "\r\n", false}, LAST_CHUNK};
    first_output_is(chunked_head, apart, 3000 * US);
    const struct read lines[] = {{50, 70000, 3000, HELLO, false},
                                 {60, 0, 10, "data: {\"choices\":[]}\n", false},
                                 {61, 0, 10, "\n", false},
                                 LAST_READ};
    first_output_is(close_head, lines, 3000 * US);
}

/* One that is stopped gets both together, in all answers but those that were not hit. */
static void one_answer_speaks_for_its_server(void **state)
{
    (void)state;
    for (uint64_t apart_us = 100; apart_us <= 300; apart_us += 200) {
        const char *path = tape_path("apart.tape");
        struct maker m = maker_begin(path, NULL, true);
        struct tape_record end = {.kind = TAPE_READ};
        end.u.read.request = 1;
        end.u.read.time_ns = 50 * MS + apart_us * US;
        end.u.read.bytes = tt_view_str("\n");
        put_start(&m, 0, 1);
        put_sent(&m, 1, 0);
        put_head(&m, 0, 10);
        put_arrived(&m, &(struct read){40, 0, 0, HELLO, false});
        put_arrived(&m, &(struct read){90, 20 * MS, 50000, FINISH, false});
        put_start(&m, 1, 1);
        put_head(&m, 1, 10);
        put_arrived_of(&m, 1, &(struct read){50, 0, 10, "data: [DONE]\n", false});
        put(&m, &end);
        put_ended(&m, 95, 0, LOOPBACK);
        maker_finish(&m, 100);
        struct run *run = load_judged(path);
        error_is(run, TIMING_E2E, apart_us < 200 ? 20 * MS + 20 * US : 50 * MS);
        run_free(run);
    }
}

static void large_reads_may_have_left_some(void **state)
{
    (void)state;
    static char text[9000];
    memset(text, 'x', sizeof text);
    memcpy(text, ": ", 2);
    snprintf(text + 8000, sizeof text - 8000, "\n\n%s", HELLO);
    const struct read small[] = {{50, 70000, 3000, text, false}, LAST_READ};
    first_output_is(close_head, small, 90000);
    memset(text + 8000, 'x', 500);
    snprintf(text + 8500, sizeof text - 8500, "\n\n%s", HELLO);
    const struct read large[] = {{50, 70000, 3000, text, false}, LAST_READ};
    first_output_is(close_head, large, 3000 * US);
}

static void what_nobody_knows_is_all_of_it(void **state)
{
    (void)state;
    const struct read tls[] = {{50, TAPE_LAG_NONE, 3000, HELLO, false}, LAST_READ};
    first_output_is(close_head, tls, 3000 * US);
    const struct read nothing[] = {{50, TAPE_LAG_NONE, NONE, HELLO, false}, LAST_READ};
    first_output_is(close_head, nothing, 49 * MS);
    const struct read more[] = {{50, TAPE_LAG_NONE, UINT64_MAX / 1000 + 1, HELLO, false}, LAST_READ};
    first_output_is(close_head, more, 49 * MS);
    const struct read much[] = {{50, TAPE_LAG_NONE, 77000, HELLO, false}, LAST_READ}; /* never more than there is */
    first_output_is(close_head, much, 49 * MS);
}

/* A tape from before there was blind: a short read emptied its socket. */
static void the_read_before_is_a_look(void **state)
{
    (void)state;
    const struct read known[] = {
        {40, 30000, NONE, ": hi\n\n", false}, {50, 70000, NONE, HELLO HELLO, false}, LAST_READ};
    first_output_is(close_head, known, 10 * MS + (30 + 20 + 2) * US);
    const struct read unknown[] = {
        {40, TAPE_LAG_NONE, NONE, ": hi\n\n", false}, {50, 70000, NONE, HELLO HELLO, false}, LAST_READ};
    first_output_is(close_head, unknown, 49 * MS);
}

/* A record of TLS that is read leaves the next in the socket, merged with it: the kernel's time may be of that one. */
static void the_lag_of_tls_is_of_no_use(void **state)
{
    (void)state;
    const char *path = tape_path("tls.tape");
    struct maker_options options = {.requests = 1, .concurrency = 1};
    struct maker m = maker_begin(path, &options, true);
    struct tape_record conn = {.kind = TAPE_CONN};
    conn.u.conn.time_ns = 2 * MS;
    conn.u.conn.connection = 1;
    conn.u.conn.tls = tt_view_str("TLSv1.3");
    conn.u.conn.http = tt_view_str("1.1");
    put_start(&m, 0, 1);
    put(&m, &conn);
    put_sent(&m, 1, 0);
    put_head(&m, 0, 10);
    put_arrived(&m, &(struct read){50, 70000, 3000, HELLO, false});
    put_arrived(&m, &(struct read){60, 70000, NONE, FINISH, false});
    put_done(&m, 0, 70);
    maker_finish(&m, 80);
    struct run *run = load_judged(path);
    error_is(run, TIMING_TTFT, 3000 * US);
    error_is(run, TIMING_E2E, 59 * MS);
    run_free(run);
}

static void the_end_of_the_answer(void **state)
{
    (void)state;
    const struct read done[] = {{50, 0, 0, HELLO, false}, {90, 40000, 3000, FINISH, false}, {.text = NULL}};
    struct run *run = run_of("end.tape", close_head, done, 0);
    error_is(run, TIMING_E2E, 60000); /* its blank line is its own */
    run_free(run);
    const struct read more[] = {{50, 0, 0, HELLO, false}, {90, 40000, 3000, FINISH HELLO, false}, {.text = NULL}};
    run = run_of("end.tape", close_head, more, 0);
    error_is(run, TIMING_E2E, 3000 * US);
    run_free(run);
    const struct read close[] = {{50, 0, 0, HELLO, false}, {90, 40000, 3000, STOP, false}, {.text = NULL}};
    run = run_of("end.tape", close_head, close, 1234); /* the end is DONE's */
    assert_int_equal(timing_interval_ns(&run->requests[0], TIMING_E2E).v, 94 * MS);
    error_is(run, TIMING_E2E, 1234 * US);
    run_free(run);
    const struct read unblank[] = {{50, 70000, 3000, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}", false},
                                   {.text = NULL}};
    run = run_of("end.tape", close_head, unblank, 9); /* completed by the end alone: not known what was behind it */
    error_is(run, TIMING_TTFT, 3000 * US);
    run_free(run);
}

/* A FIN that had come is merged with the last bytes, and the kernel's time is its own. */
static void the_end_of_the_connection_is_merged(void **state)
{
    (void)state;
    const struct read done[] = {{50, 0, 0, HELLO, false}, {90, 40000, 3000, FINISH, false}, {.text = NULL}};
    struct run *run = run_of("fin.tape", close_head, done, 4900); /* DONE 5 ms behind it */
    error_is(run, TIMING_E2E, 60 * US);
    run_free(run);
    run = run_of("fin.tape", close_head, done, 5000);
    error_is(run, TIMING_E2E, 3000 * US);
    error_is(run, TIMING_TTFO, 20 * US); /* another read */
    run_free(run);
    run = run_of("fin.tape", close_head, done, NONE);
    error_is(run, TIMING_E2E, 3000 * US);
    run_free(run);
}

#define FIVE HELLO HELLO HELLO HELLO HELLO

/* A sender that may wait for what it has sent to be taken is late with all that it sends behind that. */
static void what_the_sender_may_have_held_back(void **state)
{
    (void)state;
    static char large[40000];
    /* a heap of five events that lasted 30 ms, and an end within 1 ms of it */
    const struct read held[] = {{50, 0, 30000, FIVE, false}, {51, 40000, 400, FINISH, false}, {.text = NULL}};
    struct run *run = run_of("held.tape", close_head, held, 0);
    error_is(run, TIMING_TTFO, 30000 * US);
    error_is(run, TIMING_E2E, 30001 * US + 60 * US);
    run_free(run);
    const struct read few[] = {
        {50, 0, 30000, HELLO HELLO HELLO, false}, {51, 40000, 400, FINISH, false}, {.text = NULL}};
    run = run_of("held.tape", close_head, few, 0);
    error_is(run, TIMING_E2E, 60 * US);
    run_free(run);
    const struct read twice[] = {{20, 0, 3000, FIVE, false},
                                 {23, 0, 2500, FIVE, false},
                                 {24, TAPE_LAG_NONE, 500, FINISH, false},
                                 {.text = NULL}};
    run = run_of("held.tape", close_head, twice, 0);
    error_is(run, TIMING_E2E, (3001 + 2501 + 500) * US);
    run_free(run);
    /* nothing came for 1 ms while somebody looked: nothing was held any more */
    const struct read quiet[] = {{50, 0, 30000, FIVE, false}, {52, 40000, 1000, FINISH, false}, {.text = NULL}};
    run = run_of("held.tape", close_head, quiet, 0);
    error_is(run, TIMING_E2E, 60 * US);
    run_free(run);
    /* the end of the transport */
    const struct read open[] = {{50, 0, 30000, FIVE, false}, {.text = NULL}};
    run = run_of("held.tape", close_head, open, 4500);
    error_is(run, TIMING_E2E, 34501 * US);
    run_free(run);
    /* many bytes without an event do it, too */
    memset(large, 'x', sizeof large - 1);
    memcpy(large, ": ", 2);
    memcpy(large + sizeof large - 3, "\n\n", 2);
    const struct read bytes[] = {
        {40, 0, 0, HELLO, false}, {80, 0, 30000, large, false}, {81, 40000, 400, FINISH, false}, {.text = NULL}};
    run = run_of("held.tape", close_head, bytes, 0);
    error_is(run, TIMING_E2E, 30061 * US);
    run_free(run);
}

static void e2e_over_is(uint64_t rtt_us, uint64_t rttvar_us, const struct read *reads, uint64_t error_us)
{
    struct tape_tcp tcp = {.present = rtt_us != NONE, .rtt_us = rtt_us, .rttvar_us = rttvar_us};
    struct run *run = run_over(tcp, "far.tape", close_head, reads, 0);
    error_is(run, TIMING_E2E, error_us * US);
    run_free(run);
}

/* What is held comes a round trip after what held it was taken. */
static void a_sender_that_is_far_away(void **state)
{
    (void)state;
    const struct read soon[] = {{100, 0, 30000, FIVE, false}, {120, 40000, 18000, FINISH, false}, {.text = NULL}};
    e2e_over_is(120, 60, soon, 60);
    e2e_over_is(2000, 500, soon, 30061); /* nothing for 2 ms says nothing */
    e2e_over_is(20000, 100, soon, 30061);
    e2e_over_is(NONE, NONE, soon, 30061); /* not known: it may be as far as that */
    e2e_over_is(UINT64_MAX / 2, UINT64_MAX / 2, soon, 30061);
    const struct read late[] = {{100, 0, 30000, FIVE, false}, {180, 40000, 30000, FINISH, false}, {.text = NULL}};
    e2e_over_is(20000, 2000, late, 60); /* 50 ms are enough for one of 32 */
    e2e_over_is(20000, 4000, late, 30061);
    e2e_over_is(300000, 100, late, 30061); /* longer than any that there is an account for */
}

/* A socket that is never seen empty, and read all the time: only what came between two turns may have been too much. */
static void turns_of_a_heap(void **state)
{
    (void)state;
    const struct read small[] = {{30, 0, 10000, HELLO HELLO, false},
                                 {40, 0, 20000, HELLO HELLO, false},
                                 {50, 0, 30000, HELLO HELLO, false},
                                 {51, 40000, 400, FINISH, false},
                                 {.text = NULL}};
    e2e_over_is(120, 60, small, 60);
    const struct read once[] = {{30, 0, 10000, HELLO HELLO, false},
                                {40, 0, 20000, FIVE, false},
                                {50, 0, 30000, HELLO HELLO, false},
                                {51, 40000, 400, FINISH, false},
                                {.text = NULL}};
    e2e_over_is(120, 60, once, 10001 + 60);
}

/* Reads that come all the time: a sender that was held would send more of them. */
static void a_trickle_is_nothing_held(void **state)
{
    (void)state;
    static char large[2000];
    struct read trickle[34] = {{100, 0, 30000, FIVE, false}};
    for (size_t i = 1; i < 33; i++)
        trickle[i] = (struct read){100 + 4 * i, 0, 2000, HELLO, false};
    trickle[33] = (struct read){.text = NULL};
    trickle[32].text = FINISH;
    e2e_over_is(20000, 100, trickle, 20);     /* 128 ms: a watch of two times 32 */
    e2e_over_is(100000, 100, trickle, 30021); /* one of two times 128 has not ended */
    memset(large, 'x', sizeof large - 1);
    memcpy(large, ": ", 2);
    memcpy(large + sizeof large - 3, "\n\n", 2);
    for (size_t i = 1; i < 32; i++)
        trickle[i].text = large;
    e2e_over_is(20000, 100, trickle, 30021); /* so much that it may be all that it may send */
    e2e_over_is(120, 60, trickle, 20);
}

/* Within one heap: the kernel's time is that of what came behind the acknowledgement. */
static void a_heap_of_several_reads_has_no_lag(void **state)
{
    (void)state;
    const struct read two[] = {{50, 0, 30000, FIVE, false}, {51, 40000, 31000, FINISH, false}, {.text = NULL}};
    struct run *run = run_of("heap.tape", close_head, two, 0);
    error_is(run, TIMING_E2E, 31000 * US);
    run_free(run);
    const struct read once[] = {{50, 40000, 39999, FIVE FINISH, false}, {.text = NULL}};
    run = run_of("heap.tape", close_head, once, 0);
    error_is(run, TIMING_E2E, 60 * US);
    run_free(run);
    const struct read delayed[] = {{50, 40000, 40000, FIVE FINISH, false}, {.text = NULL}};
    run = run_of("heap.tape", close_head, delayed, 0);
    error_is(run, TIMING_E2E, 40000 * US);
    run_free(run);
}

static void put_stream(struct maker *m, uint64_t request, uint64_t connection, const char *http)
{
    struct tape_record conn = {.kind = TAPE_CONN}, send = {.kind = TAPE_SEND};
    conn.u.conn.request = send.u.send.request = request;
    conn.u.conn.time_ns = 2 * MS;
    conn.u.conn.connection = connection;
    conn.u.conn.http = tt_view_str(http);
    send.u.send.first_ns = send.u.send.last_ns = 1 * MS;
    put_start(m, request, 1);
    put(m, &conn);
    put(m, &send);
    put_head(m, request, 10);
}

/* Five answers of an event each come in one heap of 30 ms, and the end of one of them behind it. */
static void e2e_beside_is(const uint64_t connections[5], const char *http, uint64_t error_us)
{
    const char *path = tape_path("beside.tape");
    struct maker_options options = {.requests = 5, .concurrency = 5};
    struct maker m = maker_begin(path, &options, true);
    for (uint64_t i = 0; i < 5; i++)
        put_stream(&m, i, connections[i], http);
    for (uint64_t i = 0; i < 5; i++)
        put_arrived_of(&m, i, &(struct read){50, TAPE_LAG_NONE, 30000, HELLO, false});
    put_arrived_of(&m, 0, &(struct read){51, TAPE_LAG_NONE, 400, FINISH, false});
    put_ended(&m, 52, 0, LOOPBACK);
    maker_finish(&m, 60);
    struct run *run = load_judged(path);
    error_is(run, TIMING_E2E, error_us * US);
    run_free(run);
}

/* What one stream does not take keeps back all of its connection. */
static void streams_of_one_connection(void **state)
{
    (void)state;
    e2e_beside_is((const uint64_t[]){7, 7, 7, 7, 7}, "2", 30001 + 400);
    e2e_beside_is((const uint64_t[]){7, 7, 7, 7, 7}, "1.1", 400); /* one after the other: no tape of a recorder */
    e2e_beside_is((const uint64_t[]){7, 8, 9, 10, 11}, "2", 400);
    e2e_beside_is((const uint64_t[]){7, 12, 7, 12, 7}, "2", 400); /* both in one place of the table */
    e2e_beside_is((const uint64_t[]){0, 0, 0, 0, 0}, "2", 400);   /* not known which */
}

static void put_start_case(struct maker *m, uint64_t last_ms, uint64_t waited_us)
{
    put_start(m, 0, 1);
    if (last_ms > 0)
        put_sent(m, last_ms, waited_us);
    put_head(m, 0, 60);
    put_arrived(m, &(struct read){100, 30000, 9, HELLO, false});
    put_arrived(m, &(struct read){110, 30000, 9, FINISH, false});
    put_done(m, 0, 111);
}

static void start_is(uint64_t last_ms, uint64_t waited_us, uint64_t start_ns, uint64_t error_ns)
{
    const char *path = tape_path("start.tape");
    struct maker_options options = {.requests = 1, .concurrency = 1};
    struct maker m = maker_begin(path, &options, true);
    put_start_case(&m, last_ms, waited_us);
    maker_finish(&m, 120);
    struct run *run = load_judged(path);
    assert_int_equal(timing_start_error_ns(&run->requests[0]).v, start_ns);
    error_is(run, TIMING_TTFO, error_ns);
    run_free(run);
}

/* A stall before the kernel has the request makes every interval longer. */
static void what_came_before_the_request_was_sent(void **state)
{
    (void)state;
    start_is(51, 49800, 200 * US, 250 * US);        /* waited for the server, but for 0.2 ms */
    start_is(51, 0, 50 * MS, 50 * MS + 50 * US);    /* stopped */
    start_is(51, NONE, 50 * MS, 50 * MS + 50 * US); /* not known: it may have been */
    start_is(51, 60000, 0, 50 * US);                /* waited for longer than it took: a tape of no recorder */
    start_is(0, 0, NONE, 99 * MS);                  /* never sent: nothing is known */
}

static void put_clock(struct maker *m, uint64_t ms, int64_t step_ns, int64_t raw_ppm, int64_t slept_ns)
{
    struct tape_record rec = {.kind = TAPE_CLOCK};
    rec.u.clock.time_ns = ms * MS;
    rec.u.clock.monotonic_raw_ns = 5000 * MS + ms * MS - (uint64_t)((int64_t)ms * raw_ppm);
    rec.u.clock.realtime_ns = REALTIME_NS + ms * MS + (uint64_t)step_ns;
    rec.u.clock.boottime_ns = 9000 * MS + ms * MS + (uint64_t)slept_ns;
    rec.u.clock.width_ns = 300;
    put(m, &rec);
}

static struct run *clocked(const char *name, int64_t step_ns)
{
    const char *path = tape_path(name);
    struct maker m = maker_begin(path, NULL, true);
    put_clock(&m, 0, 0, 0, 0);
    put_answer(&m, 0, 1, HELLO);
    put_clock(&m, 20, step_ns, 0, 0);
    put_answer(&m, 1, 30, HELLO);
    put_clock(&m, 150, step_ns, 0, 0);
    maker_finish(&m, 160);
    return load_judged(path);
}

static char *trace_text(const struct run *run)
{
    struct json_out *json = json_out_create(0);
    assert_non_null(json);
    assert_int_equal(trace_write(json, run), TT_OK);
    struct tt_view v = json_out_bytes(json);
    char *text = strndup((const char *)v.p, v.n);
    json_out_free(json);
    return text;
}

static void holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s is not in %s", part, text);
}

/* Times are of the monotonic clock: a step of the other changes none of them, and is told. */
static void a_step_of_the_wall_clock_changes_no_duration(void **state)
{
    (void)state;
    struct run *still = clocked("still.tape", 0), *moved = clocked("moved.tape", -3500250000);
    for (size_t i = 0; i < 2; i++)
        for (unsigned what = 0; what < TIMING_WHATS; what++) {
            const struct request *a = &still->requests[i], *b = &moved->requests[i];
            assert_int_equal(timing_interval_ns(a, what).v, timing_interval_ns(b, what).v);
            assert_int_equal(timing_error_ns(a, what).v, timing_error_ns(b, what).v);
        }
    char *before = trace_text(still), *after = trace_text(moved);
    holds(before, "\"clock\": {\"greatest_step_ms\": 0.0, \"records\": 3");
    holds(before, "\"stepped_ms\": 0.0, \"steps\": 0}");
    holds(after, "\"clock\": {\"greatest_step_ms\": -3500.25, \"records\": 3");
    holds(after, "\"stepped_ms\": -3500.25, \"steps\": 1}");
    free(before);
    free(after);
    run_free(still);
    run_free(moved);
}

static void small_moves_are_none(void **state)
{
    (void)state;
    struct run *run = clocked("reading.tape", 20300);
    assert_int_equal(run->timing.clock.steps, 0);
    run_free(run);
    run = clocked("reading.tape", 20301);
    assert_int_equal(run->timing.clock.steps, 1);
    assert_int_equal(run->timing.clock.stepped_ns, 20301);
    run_free(run);
}

static void slew_and_sleep(void **state)
{
    (void)state;
    const char *path = tape_path("slew.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_clock(&m, 0, 0, 0, 0);
    put_clock(&m, 10000, 0, 50, 0);
    put_clock(&m, 9000, 700000000, 7, 0); /* of another thread, and late: nothing new */
    put_clock(&m, 20000, 0, 100, 2500 * (int64_t)MS);
    put_clock(&m, 20100, 0, 0, 2500 * (int64_t)MS); /* too short a stretch to tell a rate of */
    maker_finish(&m, 20200);
    struct run *run = load_judged(path);
    const struct timing_clock *c = &run->timing.clock;
    double ppm, uncertainty;
    assert_int_equal(c->steps, 0);
    assert_true(c->has_rate && c->least_ppm > 49.99 && c->least_ppm < 50.01 && c->most_ppm > 149.9 &&
                c->most_ppm < 150.1);
    assert_true(timing_clock_rate(c, &ppm, &uncertainty) && ppm == 0 && uncertainty > 0.02 && uncertainty < 0.04);
    assert_int_equal(timing_clock_slept_ns(c), 2500 * MS);
    run_free(run);
}

static void put_host(struct maker *m, uint64_t ms, uint64_t n)
{
    struct tape_record rec = {.kind = TAPE_HOST};
    rec.u.host.time_ns = ms * MS;
    rec.u.host.steal_ticks = 100 + n;
    rec.u.host.throttled_periods = NONE;
    rec.u.host.pressure_cpu_us = 1000 * n;
    rec.u.host.voluntary_switches = 500 + 10 * n;
    rec.u.host.involuntary_switches = n < 3 ? 7 : 6; /* a counter that went back is none */
    rec.u.host.rss_bytes = rec.u.host.ring_bytes = 0;
    rec.u.host.max_turn_gap_ns = n == 2 ? 5 * MS : MS;
    rec.u.host.ring_high_water_bytes = n == 1 ? 4096 : 100;
    put(m, &rec);
}

static void put_turn(struct maker *m, uint64_t before_ms, uint64_t after_ms)
{
    struct tape_record rec = {.kind = TAPE_TURN};
    rec.u.turn.before_ns = before_ms * MS;
    rec.u.turn.after_ns = after_ms * MS;
    put(m, &rec);
}

static void host_loop_and_reads(void **state)
{
    (void)state;
    const char *path = tape_path("host.tape");
    struct maker_options options = {.requests = 1, .concurrency = 1, .warmup = 1};
    struct maker m = maker_begin(path, &options, true);
    for (uint64_t n = 1; n <= 3; n++)
        put_host(&m, n, n);
    put_turn(&m, 4, 6);
    put_turn(&m, 10, 15);
    put_start(&m, 0, 1);
    put_head(&m, 0, 20);
    put_arrived(&m, &(struct read){50, 70000, 3000, HELLO, false});
    put_arrived(&m, &(struct read){50, 70000, 3000, ": held\n\n", true}); /* no read of its own */
    put_arrived(&m, &(struct read){60, TAPE_LAG_NONE, 3000, HELLO, false});
    put_arrived(&m, &(struct read){70, 10000, 3000, FINISH, false});
    put_done(&m, 0, 80);
    put_answer(&m, 1, 90, HELLO); /* a warm-up: in no statistic */
    maker_finish(&m, 200);
    struct run *run = load_judged(path);
    char *text = trace_text(run);
    holds(text, "\"host\": {\"cpu_pressure_us\": 2000, \"involuntary_switches\": null, \"records\": 3, "
                "\"steal_ticks\": 2, \"throttled_periods\": null, \"voluntary_switches\": 20}");
    holds(text, "\"loop\": {\"greatest_gap_ms\": 5.0, \"late_greatest_ms\": 5.0, \"late_total_ms\": 7.0, "
                "\"late_turns\": 2, \"ring_high_water_bytes\": 4096}");
    holds(text, "\"reads\": {\"count\": 3, \"most_per_turn\": 1, \"per_turn\": 1.0, \"turns\": 3, "
                "\"with_kernel_time\": 2, \"with_kernel_time_share\": 0.6666666666666666}");
    holds(text, "\"read_lag_ms\": {\"all\": {\"max\": 0.07, \"n\": 2,");
    holds(text, "\"ttft\": {\"max\": 0.07, \"n\": 1, \"p50\": 0.07,");
    holds(text, "\"e2e\": {\"max\": 0.01, \"n\": 1, \"p50\": 0.01,");
    free(text);
    run_free(run);
}

static void ranks(void **state)
{
    (void)state;
    uint64_t values[2000];
    struct timing_marks m;
    for (size_t i = 0; i < 2000; i++)
        values[i] = 2000 - i;
    timing_marks_of(values, 2000, &m);
    assert_int_equal(m.ns[TIMING_P50], 1000);
    assert_int_equal(m.ns[TIMING_P90], 1800);
    assert_int_equal(m.ns[TIMING_P99], 1980);
    assert_int_equal(m.ns[TIMING_P99_9], 1998);
    assert_int_equal(m.ns[TIMING_MAX], 2000);
    timing_marks_of(values, 1, &m);
    for (unsigned i = 0; i < TIMING_MARKS; i++)
        assert_int_equal(m.ns[i], 1);
    timing_marks_of(values, 0, &m);
    assert_int_equal(m.n + m.ns[TIMING_MAX], 0);
}

static void limit_of(const char *text, uint64_t us, uint64_t milli_percent)
{
    struct client_limit limit = CLIENT_LIMIT_DEFAULT, back = {0, 0};
    assert_true(client_limit_parse(text, &limit));
    assert_int_equal(limit.us, us);
    assert_int_equal(limit.milli_percent, milli_percent);
    assert_true(client_limit_from_json(client_limit_ms(&limit), client_limit_percent(&limit), &back));
    assert_true(back.us == us && back.milli_percent == milli_percent);
}

static void limits_as_text(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    "ms",     "5s",  "5ms,",     ",1",        "-1",          "5ms,1%,", "1.2345",  "1.",    ".5",   "5 ms",
        "1e3", "5ms,-1", "nan", "12345678", "5,100.001", "3600000.001", "5%,1",    "5ms,1ms", "0x5,1", "5,,1", "5ms1%"};
    limit_of("5", 5000, 1000);
    limit_of("5ms", 5000, 1000);
    limit_of("0.25ms,2.5%", 250, 2500);
    limit_of("0,0", 0, 0);
    limit_of("12.345,0.001%", 12345, 1);
    limit_of("3600000,100", 3600000000, 100000);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct client_limit limit = {7, 8};
        if (client_limit_parse(bad[i], &limit))
            fail_msg("'%s' is taken", bad[i]);
        assert_true(limit.us == 7 && limit.milli_percent == 8);
    }
    static const double odd[][2] = {{-1, 1}, {5.0001, 1}, {5, 1.00005}, {5, 101}, {4e6, 1}, {0.0 / 0.0, 1}, {5, 1e300}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct client_limit limit = CLIENT_LIMIT_DEFAULT;
        assert_false(client_limit_from_json(odd[i][0], odd[i][1], &limit));
    }
}

static void the_larger_of_the_two(void **state)
{
    (void)state;
    struct client_limit limit = CLIENT_LIMIT_DEFAULT;
    assert_int_equal(client_limit_ns(&limit, 0), 5 * MS);
    assert_int_equal(client_limit_ns(&limit, 500 * MS), 5 * MS);
    assert_int_equal(client_limit_ns(&limit, 500 * MS + 100), 5 * MS + 1);
    assert_int_equal(client_limit_ns(&limit, 60000 * MS), 600 * MS);
    assert_int_equal(client_limit_ns(&limit, 1ull << 62), ((1ull << 62) - (1ull << 62) % 100) / 100);
}

/* Of two answers one was read 6 ms late: TTFT of 20 ms, E2E within its own limit. */
static struct run *late_run(const char *path, uint64_t us, bool strict)
{
    struct maker m = maker_begin(path, NULL, true);
    put_answer(&m, 0, 100, HELLO);
    put_start(&m, 1, 1);
    struct tape_record send = {.kind = TAPE_SEND};
    send.u.send.request = 1;
    send.u.send.first_ns = send.u.send.last_ns = MS;
    put(&m, &send);
    put_head(&m, 1, 10);
    struct tape_record read = {.kind = TAPE_READ};
    read.u.read.request = 1;
    read.u.read.time_ns = 21 * MS;
    read.u.read.lag_ns = 6 * MS;
    read.u.read.blind_us = 7000;
    read.u.read.bytes = tt_view_str(HELLO);
    put(&m, &read);
    put_read(&m, 1, 80, STOP USAGE(980, 12) FINISH);
    put_done(&m, 1, 81);
    maker_finish(&m, 200);
    struct tt_error err;
    struct run *run;
    assert_int_equal(load_run(&run, path, NULL, &err), TT_OK);
    struct policy policy;
    policy_begin(&policy);
    if (strict)
        policy_set_strict_timing(&policy);
    run->client_limit = (struct client_limit){us, 1000};
    eligibility_judge(run, &policy);
    return run;
}

static void a_bound_past_the_limit_is_a_reason(void **state)
{
    (void)state;
    struct run *run = late_run(tape_path("late.tape"), 5000, false);
    char *text = trace_text(run);
    enum timing_what what;
    assert_true(timing_client_limited(run, &run->requests[1], &what) && what == TIMING_TTFO);
    assert_false(timing_client_limited(run, &run->requests[0], &what));
    assert_true(run_performance_eligible(run)); /* it excludes nothing */
    holds(text, "\"client_limited\": {\"limit_ms\": 5.0, \"limit_percent\": 1.0, \"requests\": 1, \"strict\": false}");
    holds(text, "\"reasons\": [\"client_limited\"], \"request_index\": 1");
    assert_false(reason_set_has(&run->requests[0].verdict.reasons, REASON_CLIENT_LIMITED));
    free(text);
    run_free(run);
    run = late_run(tape_path("late.tape"), 6020, false); /* the lag, and what a stamp is off by */
    assert_false(timing_client_limited(run, &run->requests[1], &what));
    run_free(run);
}

/* A call that timed out has an end alone, and that is the recorder's doing. */
static void without_an_output_there_is_none(void **state)
{
    (void)state;
    const char *path = tape_path("refused.tape");
    struct maker m = maker_begin(path, NULL, true);
    enum timing_what what;
    put_answer(&m, 0, 100, HELLO);
    put_start(&m, 1, 1);
    put_done_with(&m, 1, 900, 28, "timeout", NULL);
    maker_finish(&m, 1000);
    struct run *run = load_judged(path);
    const struct request *r = &run->requests[1];
    struct reason_finding f = {.wants_text = true};
    assert_false(timing_error_ns(r, TIMING_E2E).has);
    assert_false(timing_client_limited(run, r, &what));
    assert_false(reason_set_has(&r->verdict.reasons, REASON_CLIENT_LIMITED));
    reason_judge_request(REASON_CLIENT_LIMITED, run, r, &f);
    assert_int_equal(f.outcome, REASON_NOT_APPLICABLE);
    assert_string_equal(f.seen, "there was no output, so no time of it is used");
    run_free(run);
}

/* Of an answer that the recorder gave up there are the other times; when it did so is no E2E. */
static void who_ended_it(void **state)
{
    (void)state;
    static const struct {
        const char *reason, *last;
        bool is_time;
    } cases[] = {
        {"timeout", "", false},    {"cancelled", "", false}, {"done_grace", "", false}, {"done_grace", FINISH, true},
        {"timeout", FINISH, true}, {"fault", "", true},      {NULL, "", false}}; /* the tape ends before DONE */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = tape_path("ended.tape");
        struct maker m = maker_begin(path, NULL, true);
        put_answer(&m, 1, 30, HELLO);
        put_start(&m, 0, 100);
        put_sent(&m, 100, 0);
        put_head(&m, 0, 110);
        put_arrived(&m, &(struct read){120, 0, 0, HELLO, false});
        put_arrived(&m, &(struct read){125, 0, 0, ": end\n\n", false});
        if (cases[i].last[0])
            put_arrived(&m, &(struct read){130, 0, 0, cases[i].last, false});
        if (cases[i].reason)
            put_done_with(&m, 0, 900, 0, cases[i].reason, NULL);
        maker_finish(&m, 1000);
        struct run *run = load_judged(path);
        char *text = trace_text(run);
        assert_true(timing_error_ns(&run->requests[0], TIMING_TTFO).has);
        assert_true(timing_error_ns(&run->requests[0], TIMING_E2E).has == cases[i].is_time);
        holds(text, cases[i].is_time ? "\"client_error_ms\": {\"e2e\": {\"max\": 4.04, \"n\": 2"
                                     : "\"client_error_ms\": {\"e2e\": {\"max\": 4.04, \"n\": 1");
        free(text);
        run_free(run);
    }
}

static void strict_excludes_it(void **state)
{
    (void)state;
    struct run *run = late_run(tape_path("strict.tape"), 5000, true);
    const struct verdict *v = &run->requests[1].verdict;
    char *text = trace_text(run);
    assert_true(request_succeeded(&run->requests[0]));
    assert_int_equal(v->failure, FAILURE_RUNNER_ERROR);
    assert_string_equal(v->error_type, "client_limited");
    assert_string_equal(v->message, "the recorder itself may have made more of a time than --max-client-error allows "
                                    "(of TTFO, 20.000000 ms, up to 6.020000 ms may be the recorder's own)");
    assert_true(v->has_timing && v->has_metadata && v->response_received);
    assert_false(run_performance_eligible(run));
    holds(text, "\"reasons\": [\"client_limited\"], \"request_index\": 1"); /* once */
    holds(text, "\"strict\": true");
    free(text);
    run_free(run);
}

/* What a recorder writes, with `when` and more in place of the braces. */
#define CALIBRATION(more)                                                                                              \
    "{\"arrivals\":\"spread\",\"cpus\":2,\"duration_s\":2,\"early\":0,\"endpoint_cpu_ns\":44128739,\"endpoint_pace\":" \
    "0.999945,"                                                                                                        \
    "\"events\":400,\"events_planned\":400,\"failed_requests\":0,\"lost_reads\":0,\"masking\":false,\"max_ns\":"       \
    "6371585,"                                                                                                         \
    "\"over_1ms\":2,\"over_5ms\":1,\"p50_ns\":66226,\"p90_ns\":160976,\"p99_9_ns\":6371585,\"p99_ns\":421330,"         \
    "\"rate\":50,"                                                                                                     \
    "\"reads\":401,\"recorder_cpu_ns\":116942162,\"span_ns\":1994753441,\"streams\":4" more "}"

static void put_calibration(struct maker *m, const char *detail)
{
    struct tape_record rec = {.kind = TAPE_EVENT};
    rec.u.event.time_ns = m->now_ns;
    rec.u.event.name = tt_view_str("calibration");
    rec.u.event.realtime_ns = TAPE_NONE;
    rec.u.event.detail = tt_view_str(detail);
    put(m, &rec);
}

static void calibrations_before_and_after(void **state)
{
    (void)state;
    const char *path = tape_path("calibrated.tape");
    struct maker m = maker_begin(path, NULL, true);
    put_calibration(&m, CALIBRATION(",\"when\":\"before\""));
    put_calibration(&m, CALIBRATION(",\"of_a_later_recorder\":[1,2],\"when\":\"after\""));
    put_calibration(&m, CALIBRATION(",\"when\":\"after\"")); /* a second one is none */
    put_calibration(&m, CALIBRATION(",\"when\":\"meanwhile\""));
    put_calibration(&m, CALIBRATION(",\"when\":null"));
    maker_finish(&m, 200);
    struct run *run = load_judged(path);
    const struct calibrations *all = &run->calibrations;
    char *text = trace_text(run);
    assert_true(all->has[CALIBRATION_BEFORE] && all->has[CALIBRATION_AFTER] && !all->has[CALIBRATION_ALONE]);
    assert_int_equal(all->damaged, 3);
    holds(text,
          "\"calibration\": {\"after\": {\"arrivals\": \"spread\", \"cpus\": 2, \"duration_s\": 2.0, \"early\": 0,");
    holds(text,
          "\"rate\": 50.0, \"reads\": 401, \"recorder_cpu_ns\": 116942162, \"span_ns\": 1994753441, \"streams\": 4}, "
          "\"alone\": null, \"before\": {");
    holds(text, "\"streams\": 4}, \"damaged\": 3}");
    free(text);
    run_free(run);
}

/* The detail with `from` replaced by `to`. */
static void damaged(const char *from, const char *to)
{
    static const char good[] = CALIBRATION("");
    struct calibrations all = {.damaged = 0};
    char text[2048];
    const char *at = strstr(good, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    assert_int_equal(calibration_take(&all, tt_view_str(text)), TT_OK);
    if (all.damaged != 1 || all.has[CALIBRATION_ALONE])
        fail_msg("'%s' for '%s' is taken", to, from);
}

static void a_damaged_calibration_is_said_and_not_used(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"reads\":401,", ""},
        {"\"reads\":401", "\"reads\":-1"},
        {"\"reads\":401", "\"reads\":401.5"},
        {"\"reads\":401", "\"reads\":\"401\""},
        {"\"reads\":401", "\"reads\":0"},
        {"\"reads\":401", "\"reads\":401,\"reads\":401"},
        {"\"masking\":false", "\"masking\":null"},
        {"spread", "sideways"},
        {"spread", "spread in time"},
        {"spread", "flood"}, /* which has no rate */
        {"\"rate\":50", "\"rate\":null"},
        {"\"rate\":50", "\"rate\":-50"},
        {"\"rate\":50", "\"rate\":1e999"},
        {"\"duration_s\":2", "\"duration_s\":0"},
        {"0.999945", "1.5"},
        {"\"streams\":4", "\"streams\":0"},
        {"\"streams\":4", "\"streams\":7"}, /* 400 events are none of 7 alike */
        {"\"events\":400", "\"events\":401"},
        {"\"early\":0", "\"early\":500"},
        {"\"failed_requests\":0", "\"failed_requests\":5"},
        {"\"p50_ns\":66226", "\"p50_ns\":166226"},    /* above p90 */
        {"\"max_ns\":6371585", "\"max_ns\":6371584"}, /* below p99.9 */
        {"\"over_1ms\":2", "\"over_1ms\":5"},         /* then p99 would be above */
        {"\"over_1ms\":2", "\"over_1ms\":0"},
        {"\"over_5ms\":1", "\"over_5ms\":0"},
        {"\"over_5ms\":1", "\"over_5ms\":3"},
        {"}", ""},
        {"}", "}}"},
        {"{", "["},
        {"\"cpus\":2", "\"cpus\":2,\"when\":\"before "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        damaged(cases[i][0], cases[i][1]);
    static char large[CALIBRATION_MAX_BYTES + 2];
    memset(large, ' ', sizeof large - 1);
    memcpy(large, CALIBRATION(""), strlen(CALIBRATION("")));
    struct calibrations all = {.damaged = 0};
    calibration_take(&all, tt_view_of(large, CALIBRATION_MAX_BYTES));
    assert_true(all.has[CALIBRATION_ALONE] && all.damaged == 0);
    calibration_take(&all, tt_view_of(large, CALIBRATION_MAX_BYTES + 1));
    calibration_take(&all, tt_view_of(NULL, 0));
    assert_int_equal(all.damaged, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lag_of_the_last_event_of_a_read),
        cmocka_unit_test(merged_segments_are_bounded_by_the_last_look),
        cmocka_unit_test(the_end_of_its_chunk_is_its_own),
        cmocka_unit_test(ends_that_come_apart_are_not_trusted),
        cmocka_unit_test(one_answer_speaks_for_its_server),
        cmocka_unit_test(large_reads_may_have_left_some),
        cmocka_unit_test(what_nobody_knows_is_all_of_it),
        cmocka_unit_test(the_read_before_is_a_look),
        cmocka_unit_test(the_lag_of_tls_is_of_no_use),
        cmocka_unit_test(the_end_of_the_answer),
        cmocka_unit_test(the_end_of_the_connection_is_merged),
        cmocka_unit_test(what_the_sender_may_have_held_back),
        cmocka_unit_test(a_sender_that_is_far_away),
        cmocka_unit_test(turns_of_a_heap),
        cmocka_unit_test(a_trickle_is_nothing_held),
        cmocka_unit_test(a_heap_of_several_reads_has_no_lag),
        cmocka_unit_test(streams_of_one_connection),
        cmocka_unit_test(what_came_before_the_request_was_sent),
        cmocka_unit_test(a_step_of_the_wall_clock_changes_no_duration),
        cmocka_unit_test(small_moves_are_none),
        cmocka_unit_test(slew_and_sleep),
        cmocka_unit_test(host_loop_and_reads),
        cmocka_unit_test(ranks),
        cmocka_unit_test(limits_as_text),
        cmocka_unit_test(the_larger_of_the_two),
        cmocka_unit_test(a_bound_past_the_limit_is_a_reason),
        cmocka_unit_test(without_an_output_there_is_none),
        cmocka_unit_test(who_ended_it),
        cmocka_unit_test(strict_excludes_it),
        cmocka_unit_test(calibrations_before_and_after),
        cmocka_unit_test(a_damaged_calibration_is_said_and_not_used),
    };
    return cmocka_run_group_tests_name("analyzer_timing", tests, tape_dir_make, tape_dir_remove);
}
