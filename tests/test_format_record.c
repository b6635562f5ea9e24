/* Every kind of record: out and in again with extreme values and with nil. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../format/limits.h"
#include "../format/pack.h"
#include "../format/record.h"

#define MOST (UINT64_MAX - 1) /* the greatest number a field holds; one more means nil */
#define LAST_REQUEST (TAPE_MAX_REQUESTS - 1)

static const uint8_t hash[32] = {0xff, 0, 1, 2, 3};
static uint8_t big[TAPE_MAX_READ_BYTES];

static struct tt_view text(const char *s)
{
    return tt_view_str(s);
}

#define BIG tt_view_of(big, sizeof(big))
#define HASH tt_view_of(hash, sizeof(hash))
#define NIL tt_view_of(NULL, 0)

static uint8_t packed[TAPE_MAX_RAW_BLOCK_BYTES];
static size_t packed_bytes;

/* Encodes, decodes from a copy of just the right size, encodes again. */
static struct tape_record round_trip(const struct tape_record *rec)
{
    static uint8_t *copy;
    static uint8_t again[TAPE_MAX_RAW_BLOCK_BYTES];
    struct tt_error err = {0};
    struct tape_record out;
    size_t used, n;
    if (record_encode(rec, packed, sizeof(packed), &packed_bytes, &err) != TT_OK)
        fail_msg("encode: %s", err.line);
    assert_true(packed_bytes <= record_bound(rec));
    free(copy);
    copy = malloc(packed_bytes);
    memcpy(copy, packed, packed_bytes);
    memset(&out, 0xee, sizeof(out));
    if (record_decode(tt_view_of(copy, packed_bytes), &out, &used, &err) != TT_OK)
        fail_msg("decode: %s", err.line);
    assert_int_equal(used, packed_bytes);
    assert_int_equal(out.kind, rec->kind);
    assert_int_equal(record_encode(&out, again, sizeof(again), &n, &err), TT_OK);
    assert_int_equal(n, packed_bytes);
    assert_memory_equal(again, packed, n);
    assert_true(record_time(&out) == record_time(rec));
    return out;
}

static void assert_view(struct tt_view a, struct tt_view b)
{
    assert_int_equal(a.p == NULL, b.p == NULL);
    assert_int_equal(a.n, b.n);
    if (a.n)
        assert_memory_equal(a.p, b.p, a.n);
}

#define SAME(member) assert_true(out.u.member == in.u.member)
#define SAME_VIEW(member) assert_view(out.u.member, in.u.member)

static void schema_run_clock(void **state)
{
    (void)state;
    struct tape_record in = {.kind = TAPE_SCHEMA, .u.schema.text = text(record_table_text)}, out = round_trip(&in);
    SAME_VIEW(schema.text);
    assert_true(record_time(&out) == TAPE_NONE);

    struct pack p = {0};
    pack_map(&p, 7);
    pack_str(&p, text("nil"));
    pack_nil(&p);
    pack_str(&p, text("bool"));
    pack_bool(&p, true);
    pack_str(&p, text("uint"));
    pack_uint(&p, MOST);
    pack_str(&p, text("int"));
    pack_int(&p, INT64_MIN);
    pack_str(&p, text("float"));
    pack_double(&p, 0.1);
    pack_str(&p, text("str"));
    pack_str(&p, text("x"));
    pack_str(&p, text("bin"));
    pack_bin(&p, HASH);
    in = (struct tape_record){.kind = TAPE_RUN, .u.run = {.time_ns = 0, .options = {tt_view_of(p.bytes, p.len)}}};
    out = round_trip(&in);
    SAME(run.time_ns);
    SAME_VIEW(run.options.packed);
    assert_int_equal(out.u.run.host.packed.n, 1); /* a map that was not given is empty */
    pack_free(&p);

    in = (struct tape_record){.kind = TAPE_CLOCK, .u.clock = {MOST, 1, 2, 3, 4}};
    out = round_trip(&in);
    SAME(clock.time_ns);
    SAME(clock.monotonic_raw_ns);
    SAME(clock.realtime_ns);
    SAME(clock.boottime_ns);
    SAME(clock.width_ns);
}

static void blob_plan_start(void **state)
{
    (void)state;
    struct tape_record in = {.kind = TAPE_BLOB, .u.blob = {HASH, MOST, 77, BIG}}, out = round_trip(&in);
    SAME_VIEW(blob.sha256);
    SAME(blob.total_bytes);
    SAME(blob.offset_bytes);
    SAME_VIEW(blob.bytes);
    in.u.blob.bytes = NIL;
    out = round_trip(&in);
    SAME_VIEW(blob.bytes);

    in = (struct tape_record){.kind = TAPE_PLAN,
                              .u.plan = {LAST_REQUEST, 1048576, HASH, MOST, text("m"), true, 5, text("too long")}};
    out = round_trip(&in);
    SAME(plan.request);
    SAME(plan.context_tokens);
    SAME_VIEW(plan.body_sha256);
    SAME(plan.body_bytes);
    SAME_VIEW(plan.marker);
    SAME(plan.warmup);
    SAME(plan.intended_start_ns);
    SAME_VIEW(plan.fault);
    in.u.plan.body_sha256 = in.u.plan.marker = in.u.plan.fault = NIL;
    in.u.plan.intended_start_ns = TAPE_NONE;
    in.u.plan.warmup = false;
    out = round_trip(&in);
    SAME_VIEW(plan.body_sha256);
    SAME_VIEW(plan.marker);
    SAME_VIEW(plan.fault);
    SAME(plan.intended_start_ns);
    SAME(plan.warmup);

    in = (struct tape_record){.kind = TAPE_START, .u.start = {3, MOST}};
    out = round_trip(&in);
    SAME(start.request);
    SAME(start.time_ns);
}

static void conn_send_head(void **state)
{
    (void)state;
    struct tape_record in = {.kind = TAPE_CONN, .u.conn = {1, 2, 3, 65535, true, text("TLSv1.3"), text("1.1")}},
                       out = round_trip(&in);
    SAME(conn.request);
    SAME(conn.time_ns);
    SAME(conn.connection);
    SAME(conn.local_port);
    SAME(conn.reused);
    SAME_VIEW(conn.tls);
    SAME_VIEW(conn.http);
    in.u.conn.tls = NIL;
    out = round_trip(&in);
    SAME_VIEW(conn.tls);

    in = (struct tape_record){.kind = TAPE_SEND, .u.send = {1, 2, 3, MOST, 5}};
    out = round_trip(&in);
    SAME(send.request);
    SAME(send.first_ns);
    SAME(send.last_ns);
    SAME(send.bytes);
    SAME(send.waited_us);
    in.u.send.waited_us = TAPE_NONE;
    out = round_trip(&in);
    SAME(send.waited_us);

    struct pack p = {0};
    pack_array(&p, 4);
    pack_str(&p, text("date"));
    pack_str(&p, text(""));
    pack_str(&p, text("server"));
    pack_str(&p, text("\xff not UTF-8"));
    in = (struct tape_record){.kind = TAPE_HEAD, .u.head = {1, 2, text("HTTP/1.1 200"), tt_view_of(p.bytes, p.len)}};
    out = round_trip(&in);
    SAME(head.request);
    SAME(head.time_ns);
    SAME_VIEW(head.status_line);
    SAME_VIEW(head.headers);
    pack_free(&p);
}

static void read_done(void **state)
{
    (void)state;
    struct tape_record in = {.kind = TAPE_READ,
                             .u.read = {LAST_REQUEST, MOST, INT64_MIN + 1, 9, TAPE_READ_CONTINUED, BIG, MOST}},
                       out = round_trip(&in);
    SAME(read.request);
    SAME(read.time_ns);
    SAME(read.lag_ns);
    SAME(read.turn);
    SAME(read.flags);
    SAME_VIEW(read.bytes);
    SAME(read.blind_us);
    in.u.read.lag_ns = INT64_MAX;
    in.u.read.bytes = text("");
    out = round_trip(&in);
    SAME(read.lag_ns);
    SAME_VIEW(read.bytes);
    in.u.read.lag_ns = TAPE_LAG_NONE;
    in.u.read.blind_us = TAPE_NONE;
    out = round_trip(&in);
    SAME(read.lag_ns);
    SAME(read.blind_us);

    in = (struct tape_record){.kind = TAPE_DONE,
                              .u.done = {.request = 1,
                                         .time_ns = 2,
                                         .curl_code = 99,
                                         .http_status = 599,
                                         .reason = text("fault"),
                                         .error = text("reset"),
                                         .body_bytes = MOST,
                                         .reads = 7,
                                         .timers = {1, 2, 3, 4, 5, MOST},
                                         .tcp = {true, 6, 7, 8, 9, 10, MOST},
                                         .blind_us = 11}};
    out = round_trip(&in);
    SAME(done.request);
    SAME(done.time_ns);
    SAME(done.curl_code);
    SAME(done.http_status);
    SAME_VIEW(done.reason);
    SAME_VIEW(done.error);
    SAME(done.body_bytes);
    SAME(done.reads);
    assert_memory_equal(&out.u.done.timers, &in.u.done.timers, sizeof(in.u.done.timers));
    SAME(done.tcp.present);
    SAME(done.tcp.rtt_us);
    SAME(done.tcp.rttvar_us);
    SAME(done.tcp.retransmits);
    SAME(done.tcp.snd_mss);
    SAME(done.tcp.rcv_mss);
    SAME(done.tcp.delivery_rate_bytes_s);
    SAME(done.blind_us);
    in.u.done.error = NIL;
    in.u.done.tcp.present = false;
    out = round_trip(&in);
    SAME_VIEW(done.error);
    SAME(done.tcp.present);
}

static void redact_lost_host_turn(void **state)
{
    (void)state;
    struct tape_record in = {.kind = TAPE_REDACT, .u.redact = {1, text("body"), MOST, 3, text("plain")}},
                       out = round_trip(&in);
    SAME(redact.request);
    SAME_VIEW(redact.stream);
    SAME(redact.offset_bytes);
    SAME(redact.length_bytes);
    SAME_VIEW(redact.rule);

    struct pack p = {0};
    pack_array(&p, 2);
    pack_uint(&p, 0);
    pack_uint(&p, LAST_REQUEST);
    in = (struct tape_record){.kind = TAPE_LOST, .u.lost = {1, 2, 3, text("ring_full"), tt_view_of(p.bytes, p.len)}};
    out = round_trip(&in);
    SAME(lost.time_ns);
    SAME(lost.count);
    SAME(lost.bytes);
    SAME_VIEW(lost.reason);
    SAME_VIEW(lost.requests);
    pack_free(&p);

    in = (struct tape_record){.kind = TAPE_HOST, .u.host = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    out = round_trip(&in);
    assert_memory_equal(&out.u.host, &in.u.host, sizeof(in.u.host));
    memset(&in.u.host, 0xff, sizeof(in.u.host)); /* all nil */
    in.u.host.time_ns = 5;
    out = round_trip(&in);
    assert_memory_equal(&out.u.host, &in.u.host, sizeof(in.u.host));

    in = (struct tape_record){.kind = TAPE_TURN, .u.turn = {1, MOST}};
    out = round_trip(&in);
    SAME(turn.before_ns);
    SAME(turn.after_ns);
}

static void event_sample_end_origin(void **state)
{
    (void)state;
    struct tape_record in = {.kind = TAPE_EVENT, .u.event = {1, text("signal"), MOST, text("SIGINT")}},
                       out = round_trip(&in);
    SAME(event.time_ns);
    SAME_VIEW(event.name);
    SAME(event.realtime_ns);
    SAME_VIEW(event.detail);
    in.u.event.realtime_ns = TAPE_NONE;
    in.u.event.detail = NIL;
    out = round_trip(&in);
    SAME(event.realtime_ns);
    SAME_VIEW(event.detail);

    in = (struct tape_record){.kind = TAPE_SAMPLE, .u.sample = {text("models"), 1, 2, 200, BIG, text("e")}};
    out = round_trip(&in);
    SAME_VIEW(sample.source);
    SAME(sample.asked_ns);
    SAME(sample.answered_ns);
    SAME(sample.status);
    SAME_VIEW(sample.bytes);
    SAME_VIEW(sample.error);
    in.u.sample.bytes = in.u.sample.error = NIL;
    out = round_trip(&in);
    SAME_VIEW(sample.bytes);
    SAME_VIEW(sample.error);

    in = (struct tape_record){.kind = TAPE_END, .u.end = {1, text("complete"), 2, 3, 4, 5, MOST, 7}};
    out = round_trip(&in);
    SAME(end.time_ns);
    SAME_VIEW(end.reason);
    SAME(end.planned);
    SAME(end.started);
    SAME(end.done);
    SAME(end.reads);
    SAME(end.read_bytes);
    SAME(end.lost_reads);

    in = (struct tape_record){.kind = TAPE_ORIGIN, .u.origin = {HASH, text("rules")}};
    out = round_trip(&in);
    SAME_VIEW(origin.head_sha256);
    SAME_VIEW(origin.rules);
}

static struct tape_record some_done(void)
{
    return (struct tape_record){.kind = TAPE_DONE,
                                .u.done = {.request = 70000, .reason = text("complete"), .tcp = {.present = true}}};
}

static void bytes_are_as_documented(void **state)
{
    (void)state;
    struct tape_record rec = {.kind = TAPE_READ, .u.read = {1, 300, -1, 0, 1, text("ok"), 200}};
    round_trip(&rec);
    static const uint8_t want[] = {0x98, 9, 1, 0xcd, 0x01, 0x2c, 0xff, 0, 1, 0xc4, 2, 'o', 'k', 0xcc, 200};
    assert_int_equal(packed_bytes, sizeof(want));
    assert_memory_equal(packed, want, sizeof(want));
}

static enum tt_status decode(const void *bytes, size_t n, struct tape_record *rec)
{
    uint8_t *copy = malloc(n ? n : 1);
    struct tt_error err = {0};
    size_t used = 99;
    memcpy(copy, bytes, n);
    enum tt_status st = record_decode(tt_view_of(copy, n), rec, &used, &err);
    assert_int_equal(used, st == TT_OK ? n : 0);
    assert_int_equal(err.code, st);
    free(copy);
    return st;
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    struct tape_record rec = some_done(), out;
    round_trip(&rec);
    for (size_t n = 0; n < packed_bytes; n++)
        assert_int_equal(decode(packed, n, &out), TT_TRUNCATED);
    rec = (struct tape_record){.kind = TAPE_RUN};
    round_trip(&rec);
    for (size_t n = 0; n < packed_bytes; n++)
        assert_int_equal(decode(packed, n, &out), TT_TRUNCATED);
}

static void extra_fields_are_ignored(void **state)
{
    (void)state;
    struct tape_record out;
    assert_int_equal(decode("\x95\x05\x07\x09\x92\x01\xa1x\xc0", 9, &out), TT_OK); /* START and two more */
    assert_int_equal(out.u.start.request, 7);
    assert_int_equal(out.u.start.time_ns, 9);
    assert_int_equal(decode("\x94\x05\x07\x09\xc1", 5, &out), TT_MALFORMED);
    assert_int_equal(decode("\x94\x05\x07\x09\x91\x91\x91\x91\x01", 9, &out), TT_LIMIT);
    assert_int_equal(decode("\x94\x05\x07\x09\x91\x91\x91\x01", 8, &out), TT_OK);
}

/* Version 1.0 knew neither `waited` nor `blind`. */
static void later_fields_may_be_missing(void **state)
{
    (void)state;
    struct tape_record out;
    assert_int_equal(decode("\x97\x09\x01\x02\xc0\x03\x00\xc4\x01x", 10, &out), TT_OK);
    assert_int_equal(out.u.read.turn, 3);
    assert_true(out.u.read.blind_us == TAPE_NONE);
    assert_int_equal(decode("\x98\x09\x01\x02\xc0\x03\x00\xc4\x01x\x07", 11, &out), TT_OK);
    assert_int_equal(out.u.read.blind_us, 7);
    assert_int_equal(decode("\x96\x09\x01\x02\xc0\x03\x00", 7, &out), TT_MALFORMED);
    assert_int_equal(decode("\x95\x07\x01\x02\x03\x04", 6, &out), TT_OK);
    assert_true(out.u.send.waited_us == TAPE_NONE);
    assert_int_equal(decode("\x9b\x0a\x01\x02\x00\x00\xa0\xc0\x00\x00\x96\x00\x00\x00\x00\x00\x00\xc0", 18, &out),
                     TT_OK);
    assert_true(out.u.done.blind_us == TAPE_NONE);
}

static void unknown_kinds(void **state)
{
    (void)state;
    struct tape_record out;
    assert_int_equal(decode("\x92\xcc\x80\x01", 4, &out), TT_OK);
    assert_int_equal(out.kind, 128);
    assert_string_equal(record_kind_name(128), "SIGN");
    assert_int_equal(decode("\x92\xcd\x03\xe8\x81\xa1k\x01", 8, &out), TT_OK);
    assert_int_equal(out.kind, 1000);
    assert_null(record_kind_name(1000));
    assert_true(record_time(&out) == TAPE_NONE);
    assert_int_equal(decode("\x92\xcc\xc8\xc1", 4, &out), TT_MALFORMED);
    assert_int_equal(decode("\x92\x13\x01", 3, &out), TT_VERSION);
    assert_int_equal(decode("\x92\x7f\x01", 3, &out), TT_VERSION);
    assert_string_equal(record_kind_name(TAPE_READ), "READ");
    assert_null(record_kind_name(19));
}

static void malformed_records(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        enum tt_status want;
    } cases[] = {
        {"\x90", 1, TT_MALFORMED},                                          /* no kind */
        {"\x01", 1, TT_MALFORMED},                                          /* no array */
        {"\x81\x05\x01", 3, TT_MALFORMED},                                  /* a map */
        {"\x92\xa1x\x01", 4, TT_MALFORMED},                                 /* kind is a text */
        {"\x92\xff\x01", 3, TT_MALFORMED},                                  /* kind is negative */
        {"\x92\xcf\x00\x00\x00\x01\x00\x00\x00\x00\x01", 11, TT_MALFORMED}, /* kind of 2^32 */
        {"\x92\x05\x07", 3, TT_MALFORMED},                                  /* START without time */
        {"\x93\x05\xc0\x09", 4, TT_MALFORMED},                              /* request is nil */
        {"\x93\x05\xff\x09", 4, TT_MALFORMED},                              /* request is negative */
        {"\x93\x05\x07\xc3", 4, TT_MALFORMED},                              /* time is a bool */
        {"\x93\x05\xce\x00\x10\x00\x00\x09", 8, TT_LIMIT},                  /* request 2^20 */
        {"\x93\x05\x07\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 12, TT_LIMIT}, /* time 2^64-1 */
        {"\x97\x09\x01\x02\xcf\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc4\x00", 17, TT_LIMIT}, /* lag 2^63 */
        {"\x97\x09\x01\x02\xc0\x00\x00\xa0", 8, TT_MALFORMED},                                  /* READ of str */
        {"\x92\x00\xc4\x01x", 5, TT_MALFORMED},                                                 /* SCHEMA of bin */
        {"\x93\x12\xc4\x01x\xa0", 6, TT_MALFORMED},                                             /* hash of 1 byte */
        {"\x93\x12\xc0\xa0", 4, TT_MALFORMED},                                                  /* hash nil */
        {"\x95\x08\x01\x02\xa0\x91\xa1x", 8, TT_MALFORMED},                                     /* odd headers */
        {"\x95\x08\x01\x02\xa0\x92\xa1x\x01", 9, TT_MALFORMED},                                 /* value no text */
        {"\x95\x08\x01\x02\xa0\x92\xa1x\x90", 9, TT_MALFORMED},                                 /* value an array */
        {"\x95\x08\x01\x02\xa0\x80", 6, TT_MALFORMED},                                          /* headers a map */
        {"\x96\x0c\x01\x02\x03\xa0\x91\xff", 8, TT_MALFORMED},                                  /* LOST request -1 */
        {"\x96\x0c\x01\x02\x03\xa0\x91\xce\x00\x10\x00\x00", 12, TT_LIMIT},                     /* LOST 2^20 */
        {"\x96\x01\x00\x81\x01\x01\x80\x80\x80", 9, TT_MALFORMED},                              /* RUN key 1 */
        {"\x96\x01\x00\x81\xa1k\x90\x80\x80\x80", 10, TT_MALFORMED},                            /* RUN value */
        {"\x96\x01\x00\xde\x08\x01", 6, TT_TRUNCATED},                                          /* RUN map of 2049 */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tape_record out;
        enum tt_status st = decode(cases[i].bytes, cases[i].n, &out);
        if (st != cases[i].want)
            fail_msg("case %zu: %s, not %s", i, tt_status_name(st), tt_status_name(cases[i].want));
    }
}

static enum tt_status encode(const struct tape_record *rec, size_t cap)
{
    struct tt_error err = {0};
    size_t n;
    enum tt_status st = record_encode(rec, packed, cap, &n, &err);
    if (st != TT_OK)
        assert_int_equal(n, 0);
    return st;
}

static void encoding_refuses_what_decoding_would(void **state)
{
    (void)state;
    const size_t cap = sizeof(packed);
    struct tape_record rec = {.kind = TAPE_START, .u.start = {TAPE_MAX_REQUESTS, 0}};
    assert_int_equal(encode(&rec, cap), TT_LIMIT);
    rec.u.start.request = TAPE_NONE;
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = (struct tape_record){.kind = TAPE_START, .u.start = {1, TAPE_NONE}};
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = (struct tape_record){.kind = TAPE_READ, .u.read.bytes = tt_view_of(packed, TAPE_MAX_READ_BYTES + 1)};
    assert_int_equal(encode(&rec, cap), TT_LIMIT);
    rec = (struct tape_record){.kind = TAPE_BLOB, .u.blob.sha256 = tt_view_of(hash, 31)};
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = (struct tape_record){.kind = TAPE_HEAD, .u.head.headers = text("\x91\xa1x")};
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = (struct tape_record){.kind = TAPE_HEAD, .u.head.headers = text("\x92\xa1x\xa1y\x01")};
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = (struct tape_record){.kind = TAPE_RUN, .u.run.options.packed = text("\x81\xa1x")};
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = (struct tape_record){.kind = TAPE_SAMPLE, .u.sample.bytes = tt_view_of(packed, TAPE_MAX_RECORD_BYTES)};
    assert_int_equal(encode(&rec, cap), TT_LIMIT);
    rec = (struct tape_record){.kind = TAPE_SIGN};
    assert_int_equal(encode(&rec, cap), TT_USAGE);
    rec = some_done();
    assert_int_equal(encode(&rec, record_bound(&rec) - 1), TT_LIMIT);
    assert_int_equal(encode(&rec, record_bound(&rec)), TT_OK);
}

static void maps_are_walked(void **state)
{
    (void)state;
    struct pack p = {0};
    struct tape_scalar v;
    struct tt_view key;
    size_t at = 0;
    pack_map(&p, 3);
    pack_str(&p, text("a"));
    pack_uint(&p, 7);
    pack_str(&p, text("b"));
    pack_int(&p, -7);
    pack_str(&p, text("c"));
    pack_str(&p, text("see"));
    struct tape_map map = {tt_view_of(p.bytes, p.len)};
    assert_int_equal(tape_map_next(&map, &at, &key, &v, NULL), TT_OK);
    assert_true(tt_view_equal(key, "a"));
    assert_int_equal(v.type, TAPE_UINT);
    assert_int_equal(v.u, 7);
    assert_int_equal(tape_map_next(&map, &at, &key, &v, NULL), TT_OK);
    assert_int_equal(v.type, TAPE_INT);
    assert_int_equal(v.i, -7);
    assert_int_equal(tape_map_next(&map, &at, &key, &v, NULL), TT_OK);
    assert_true(tt_view_equal(v.text, "see"));
    assert_int_equal(tape_map_next(&map, &at, &key, &v, NULL), TT_END);
    assert_int_equal(tape_map_find(&map, "b", &v, NULL), TT_OK);
    assert_int_equal(v.i, -7);
    assert_int_equal(tape_map_find(&map, "d", &v, NULL), TT_END);
    at = 0;
    map.packed.n--;
    assert_int_equal(tape_map_next(&map, &at, &key, &v, NULL), TT_TRUNCATED);
    map.packed = NIL;
    assert_int_equal(tape_map_find(&map, "a", &v, NULL), TT_END);
    pack_free(&p);
}

static void arrays_are_walked(void **state)
{
    (void)state;
    struct tape_scalar v;
    size_t at = 0;
    assert_int_equal(tape_array_next(text("\x93\xc3\xa1x\xcb\x3f\xe0"), &at, &v, NULL), TT_TRUNCATED);
    struct tt_view array = tt_view_of("\x94\xc3\xa1x\xc0\xcb\x3f\xe0\0\0\0\0\0\0", 14);
    assert_int_equal(tape_array_next(array, &at, &v, NULL), TT_OK);
    assert_int_equal(v.type, TAPE_BOOL);
    assert_true(v.boolean);
    assert_int_equal(tape_array_next(array, &at, &v, NULL), TT_OK);
    assert_true(tt_view_equal(v.text, "x"));
    assert_int_equal(tape_array_next(array, &at, &v, NULL), TT_OK);
    assert_int_equal(v.type, TAPE_NIL);
    assert_int_equal(tape_array_next(array, &at, &v, NULL), TT_OK);
    assert_true(v.f == 0.5);
    assert_int_equal(tape_array_next(array, &at, &v, NULL), TT_END);
    at = 0;
    assert_int_equal(tape_array_next(text("\x91\x91\x01"), &at, &v, NULL), TT_LIMIT);
    assert_int_equal(tape_array_next(text("\x81\x01\x01"), &at, &v, NULL), TT_MALFORMED);
    assert_int_equal(tape_array_next(NIL, &at, &v, NULL), TT_END);
}

int main(void)
{
    memset(big, 'x', sizeof(big));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_run_clock),
        cmocka_unit_test(blob_plan_start),
        cmocka_unit_test(conn_send_head),
        cmocka_unit_test(read_done),
        cmocka_unit_test(redact_lost_host_turn),
        cmocka_unit_test(event_sample_end_origin),
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(extra_fields_are_ignored),
        cmocka_unit_test(later_fields_may_be_missing),
        cmocka_unit_test(unknown_kinds),
        cmocka_unit_test(malformed_records),
        cmocka_unit_test(encoding_refuses_what_decoding_would),
        cmocka_unit_test(maps_are_walked),
        cmocka_unit_test(arrays_are_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
