/* From the I/O thread to the tape: order, bodies, a disk that stalls, a disk that fails. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../format/reader.h"
#include "../format/writer.h"
#include "../recorder/sink.h"

static char folder[64], path[96], head_path[128];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sink-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/t.tape", folder);
    snprintf(head_path, sizeof(head_path), "%s.head", path);
    return 0;
}

static int remove_tape(void **state)
{
    (void)state;
    unlink(path);
    unlink(head_path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* System calls that wait while `hold` is set, or fail when `fail` is. */
static atomic_bool hold;
static atomic_int fail;

static ssize_t held_write(void *ctx, int fd, const void *p, size_t n)
{
    (void)ctx;
    while (atomic_load(&hold))
        poll(NULL, 0, 1);
    if (atomic_load(&fail)) {
        errno = atomic_load(&fail);
        return -1;
    }
    return write(fd, p, n);
}

static int plain_sync(void *ctx, int fd)
{
    (void)ctx;
    return fdatasync(fd);
}

static int no_fallocate(void *ctx, int fd, int mode, off_t offset, off_t len)
{
    (void)ctx, (void)fd, (void)mode, (void)offset, (void)len;
    errno = EOPNOTSUPP;
    return -1;
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

static const struct writer_io io = {held_write, plain_sync, no_fallocate, plain_truncate, NULL, plain_close, NULL};

static struct sink *start(size_t ring_bytes)
{
    struct sink *s;
    struct tt_error err;
    struct sink_options o = {.path = path,
                             .base = stamp_take_base(),
                             .concurrency = 2,
                             .host_root = "",
                             .ring_bytes = ring_bytes,
                             .io = &io};
    atomic_store(&hold, false);
    atomic_store(&fail, 0);
    assert_int_equal(sink_create(&s, &o, &err), TT_OK);
    assert_int_equal(sink_append_clock(s, &err), TT_OK);
    assert_int_equal(sink_sync_now(s, &err), TT_OK);
    sink_start(s);
    return s;
}

static enum tt_status finish(struct sink *s, struct tt_error *err)
{
    struct tape_record end = {.kind = TAPE_END};
    end.u.end.reason = tt_view_str("complete");
    struct pollfd p = {.fd = sink_finish(s, &end), .events = POLLIN};
    assert_int_equal(poll(&p, 1, 20000), 1);
    return sink_join(s, err);
}

static struct tape_record read_record(uint64_t request, const char *bytes, size_t n)
{
    struct tape_record rec = {.kind = TAPE_READ};
    rec.u.read.request = request;
    rec.u.read.time_ns = 5;
    rec.u.read.lag_ns = TAPE_LAG_NONE;
    rec.u.read.bytes = tt_view_of(bytes, n);
    return rec;
}

static struct reader *open_tape(void)
{
    struct reader *r;
    struct tt_error err;
    assert_int_equal(reader_open(&r, path, NULL, &err), TT_OK);
    return r;
}

static void records_arrive_whole_and_in_order(void **state)
{
    (void)state;
    struct sink *s = start(0);
    char text[32];
    for (uint64_t i = 0; i < 3000; i++) {
        int n = snprintf(text, sizeof(text), "event %u", (unsigned)i);
        struct tape_record rec = read_record(i, text, (size_t)n);
        assert_true(sink_put(s, &rec));
        memset(text, 'x', sizeof(text)); /* the sink has its own copy */
    }
    assert_int_equal(finish(s, NULL), TT_OK);
    sink_free(s);
    struct reader *r = open_tape();
    struct tape_record rec;
    uint64_t next = 0;
    while (reader_next(r, &rec, NULL) == TT_OK) {
        if (rec.kind != TAPE_READ)
            continue;
        int n = snprintf(text, sizeof(text), "event %u", (unsigned)next);
        assert_int_equal(rec.u.read.request, next++);
        assert_int_equal(rec.u.read.bytes.n, n);
        assert_memory_equal(rec.u.read.bytes.p, text, (size_t)n);
    }
    assert_int_equal(next, 3000);
    assert_int_equal(reader_report(r)->state, READER_COMPLETE);
    reader_free(r);
}

static struct body *make_body(size_t n)
{
    uint8_t *bytes = malloc(n), hash[32] = {1, 2, 3};
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7);
    return body_take(bytes, n, hash);
}

static void bodies_come_in_pieces_or_as_a_hash(void **state)
{
    (void)state;
    struct sink *s = start(0);
    struct body *body = make_body(200000);
    assert_true(sink_put_body(s, body, true));
    assert_true(sink_put_body(s, body, false));
    body_release(body);
    assert_int_equal(finish(s, NULL), TT_OK);
    sink_free(s);
    struct reader *r = open_tape();
    struct tape_record rec;
    uint64_t at = 0, bare = 0;
    while (reader_next(r, &rec, NULL) == TT_OK) {
        if (rec.kind != TAPE_BLOB)
            continue;
        assert_int_equal(rec.u.blob.total_bytes, 200000);
        bare += rec.u.blob.bytes.p == NULL;
        for (size_t i = 0; rec.u.blob.bytes.p && i < rec.u.blob.bytes.n; i++)
            assert_int_equal(rec.u.blob.bytes.p[i], (uint8_t)((rec.u.blob.offset_bytes + i) * 7));
        if (rec.u.blob.bytes.p) {
            assert_int_equal(rec.u.blob.offset_bytes, at);
            at += rec.u.blob.bytes.n;
        }
    }
    assert_int_equal(at, 200000);
    assert_int_equal(bare, 1);
    reader_free(r);
}

static void a_stalled_disk_never_blocks_and_claims_hold(void **state)
{
    (void)state;
    struct sink *s = start(65536);
    char big[4000] = "";
    atomic_store(&hold, true);
    assert_true(sink_claim_room(s));
    struct tape_record rec = read_record(0, big, sizeof(big));
    unsigned taken = 0;
    while (taken < 10000 && sink_put_lossy(s, &rec)) /* full blocks go to the held write, then the ring fills */
        taken++;
    assert_true(taken < 10000);
    struct tape_record done = {.kind = TAPE_DONE};
    done.u.done.reason = tt_view_str("complete");
    assert_true(sink_put(s, &done)); /* what was claimed is there */
    unsigned claims = 0;
    while (claims < 10000 && sink_claim_room(s))
        claims++;
    assert_true(claims < 10000); /* and nobody can claim what is not */
    atomic_store(&hold, false);
    assert_int_equal(finish(s, NULL), TT_OK);
    sink_free(s);
    struct reader *r = open_tape();
    unsigned reads = 0, dones = 0;
    while (reader_next(r, &rec, NULL) == TT_OK) {
        reads += rec.kind == TAPE_READ;
        dones += rec.kind == TAPE_DONE;
    }
    assert_int_equal(reads, taken);
    assert_int_equal(dones, 1);
    reader_free(r);
}

static void put_until_noticed(struct sink *s)
{
    char big[8000];
    uint32_t dice = 1;
    for (size_t i = 0; i < sizeof(big); i++)
        big[i] = (char)((dice = dice * 1664525u + 1013904223u) >> 24);
    for (int i = 0; i < 20000 && !sink_is_dead(s); i++) {
        struct tape_record rec = read_record(0, big, sizeof(big));
        sink_put_lossy(s, &rec);
        poll(NULL, 0, i % 8 ? 0 : 1);
    }
    assert_true(sink_is_dead(s));
}

static void a_write_error_ends_it_and_keeps_the_prefix(void **state)
{
    (void)state;
    struct sink *s = start(0);
    struct tt_error err = {0};
    struct body *body = make_body(1000);
    atomic_store(&fail, EIO);
    put_until_noticed(s);
    assert_int_equal(sink_status(s), TT_IO);
    assert_true(sink_put_body(s, body, true)); /* is let go of, though it cannot be written */
    body_release(body);
    assert_int_equal(finish(s, &err), TT_IO);
    assert_true(err.line[0] != '\0');
    sink_free(s);
    struct reader *r = open_tape();
    struct tape_record rec;
    unsigned records = 0;
    while (reader_next(r, &rec, NULL) == TT_OK)
        records++;
    assert_true(records >= 2);
    assert_int_equal(reader_report(r)->state, READER_TORN);
    reader_free(r);
}

static void a_full_disk_is_told_apart(void **state)
{
    (void)state;
    struct sink *s = start(0);
    struct tt_error err = {0};
    atomic_store(&fail, ENOSPC);
    put_until_noticed(s);
    assert_int_equal(sink_status(s), TT_NOSPC);
    assert_int_equal(finish(s, &err), TT_NOSPC);
    sink_free(s);
}

static void never_started_is_freed(void **state)
{
    (void)state;
    struct sink *s;
    struct sink_options o = {.path = path, .base = stamp_take_base(), .concurrency = 1, .host_root = ""};
    assert_int_equal(sink_create(&s, &o, NULL), TT_OK);
    sink_free(s);
    sink_free(NULL);
    struct tt_error err;
    assert_int_equal(sink_create(&s, &o, &err), TT_EXISTS);
    assert_null(s);
}

#define TEST(f) cmocka_unit_test_teardown(f, remove_tape)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_arrive_whole_and_in_order),
        TEST(bodies_come_in_pieces_or_as_a_hash),
        TEST(a_stalled_disk_never_blocks_and_claims_hold),
        TEST(a_write_error_ends_it_and_keeps_the_prefix),
        TEST(a_full_disk_is_told_apart),
        TEST(never_started_is_freed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
