/* The n-th system call of the writer fails, for every n: what it says, and what
 * can be read afterwards. */
#include "test_format_tapes.h"

#include <errno.h>

enum call { CALL_WRITE, CALL_SYNC, CALL_FALLOCATE, CALL_TRUNCATE, CALL_CLOSE, CALLS };

/* Fails call `which` for the `nth` time (from 0) with `number`, and from then on
 * if `for_good`. A failing write may still take half of its bytes. */
struct fault {
    enum call which;
    unsigned nth, count[CALLS];
    int number;
    bool for_good, half;
    bool fired;
    bool no_fallocate, tells_free;
    uint64_t disk_bytes, used_bytes; /* disk_bytes 0: no limit */
    unsigned syncs_after;            /* syncs tried after one failed */
};

static bool strikes(struct fault *f, enum call which)
{
    unsigned n = f->count[which]++;
    bool hit = f->which == which && (n == f->nth || (f->for_good && n > f->nth));
    f->fired = f->fired || hit;
    if (hit)
        errno = f->number;
    return hit;
}

static ssize_t fault_write(void *ctx, int fd, const void *p, size_t n)
{
    struct fault *f = ctx;
    if (strikes(f, CALL_WRITE)) {
        if (f->half && write(fd, p, n / 2) < 0)
            fail();
        errno = f->number;
        return -1;
    }
    if (f->disk_bytes) { /* a disk that takes what fits, then nothing */
        struct stat sb;
        assert_int_equal(fstat(fd, &sb), 0);
        uint64_t left = f->disk_bytes > (uint64_t)sb.st_size ? f->disk_bytes - (uint64_t)sb.st_size : 0;
        if (left == 0) {
            errno = ENOSPC;
            return -1;
        }
        n = n < left ? n : (size_t)left;
    }
    return write(fd, p, n);
}

static int fault_sync(void *ctx, int fd)
{
    struct fault *f = ctx;
    if (f->fired && f->which == CALL_SYNC)
        f->syncs_after++;
    return strikes(f, CALL_SYNC) ? -1 : fdatasync(fd);
}

static int fault_fallocate(void *ctx, int fd, int mode, off_t offset, off_t len)
{
    struct fault *f = ctx;
    if (f->no_fallocate) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (strikes(f, CALL_FALLOCATE))
        return -1;
    if (f->disk_bytes && (uint64_t)(offset + len) > f->disk_bytes) {
        errno = ENOSPC;
        return -1;
    }
    return fallocate(fd, mode, offset, len);
}

static int fault_truncate(void *ctx, int fd, off_t len)
{
    return strikes(ctx, CALL_TRUNCATE) ? -1 : ftruncate(fd, len);
}

/* What is free is told only when nothing can be reserved: else nobody asks. */
static int fault_free_bytes(void *ctx, int fd, uint64_t *bytes)
{
    struct fault *f = ctx;
    struct stat sb;
    if (!f->tells_free || fstat(fd, &sb) < 0)
        return -1;
    *bytes = f->disk_bytes > (uint64_t)sb.st_size ? f->disk_bytes - (uint64_t)sb.st_size : 0;
    return 0;
}

static int fault_close(void *ctx, int fd)
{
    bool hit = strikes(ctx, CALL_CLOSE);
    int number = errno;
    close(fd);
    errno = number;
    return hit ? -1 : 0;
}

static struct writer_io faulty(struct fault *f)
{
    return (struct writer_io){fault_write, fault_sync, fault_fallocate, fault_truncate, fault_free_bytes,
                              fault_close, f};
}

/* How far a run came. */
struct run {
    enum tt_status created, appended, ended, finished;
    unsigned synced_reads; /* READs in blocks that were written and synced */
    struct tt_error err;
    bool short_of_space, whole;
};

static bool is_short(struct writer *w)
{
    struct tt_error err;
    return writer_trouble(w, &err) == TT_NOSPC;
}

static const char *tape(void)
{
    return test_path("fault.tape");
}

/* Six blocks of three READs, END, finish; stops recording at the first failure, as a recorder does. */
static struct run record(struct fault *f)
{
    struct run run = {0};
    struct writer_options o = test_options(3);
    struct writer_io io = faulty(f);
    struct writer *w;
    o.io = &io;
    test_unlink_tape(tape());
    run.created = writer_create(&w, tape(), &o, &run.err);
    if (run.created != TT_OK)
        return run;
    for (unsigned i = 0; i < 18 && run.appended == TT_OK; i++) {
        struct tape_record rec = test_read(1, i + 1, "some bytes of a stream\n");
        run.appended = writer_append(w, &rec, 0, &run.err);
        if (run.appended == TT_OK && i % 3 == 2) {
            run.appended = writer_sync(w, 0, &run.err);
            run.synced_reads += run.appended == TT_OK ? 3 : 0;
        }
    }
    struct tt_error again = {0};
    if (run.appended != TT_OK) { /* it stays failed */
        struct tape_record rec = test_read(1, 99, "too late");
        assert_int_equal(writer_append(w, &rec, 0, &again), run.appended);
        assert_string_equal(again.line, run.err.line);
    }
    struct tape_record end = test_end(100);
    run.ended = writer_append(w, &end, 0, NULL);
    run.finished = writer_finish(w, 0, run.appended == TT_OK ? &run.err : NULL);
    run.short_of_space = is_short(w);
    run.whole = writer_is_whole(w);
    writer_free(w);
    return run;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Whatever happened: what was synced is there, nothing partial is taken. */
static struct seen expect_readable(const struct run *run)
{
    struct seen s = test_read_tape(tape(), NULL);
    assert_int_equal(s.opened, TT_OK);
    assert_true(s.reads >= run->synced_reads);
    assert_true(s.reads % 3 == 0);
    assert_true(s.report.state == READER_TORN || s.report.state == READER_COMPLETE);
    return s;
}

static void each_write_fails(void **state)
{
    (void)state;
    static const int numbers[] = {EIO, ENOSPC, EDQUOT};
    for (size_t k = 0; k < 3; k++) {
        for (unsigned half = 0; half < 2; half++) {
            unsigned nth = 0;
            for (;; nth++) {
                struct fault f = {
                    .which = CALL_WRITE, .nth = nth, .number = numbers[k], .half = half, .for_good = true};
                struct run run = record(&f);
                enum tt_status want = numbers[k] == EIO ? TT_IO : TT_NOSPC;
                if (!f.fired)
                    break;
                assert_int_equal(run.err.code, want);
                assert_null(strchr(run.err.line, '\n'));
                assert_non_null(strstr(run.err.line, "fault.tape"));
                if (run.created != TT_OK) {
                    assert_false(exists(tape()));
                    continue;
                }
                assert_int_equal(run.finished, want);
                struct seen s = expect_readable(&run);
                struct stat sb;
                assert_int_equal(stat(tape(), &sb), 0);
                assert_int_equal(sb.st_size,
                                 s.report.accepted_bytes + (s.report.has_index ? 92 + 40 * s.report.blocks : 0));
                assert_false(exists(test_path("fault.tape.head")));
            }
            assert_true(nth > 8);
        }
    }
}

/* One write fails for want of space and then there is some again: END gets in. */
static void space_for_end_is_found(void **state)
{
    (void)state;
    for (unsigned nth = 1; nth < 7; nth++) {
        struct fault f = {.which = CALL_WRITE, .nth = nth, .number = ENOSPC, .half = true};
        struct run run = record(&f);
        assert_int_equal(run.appended, TT_NOSPC);
        assert_int_equal(run.ended, TT_OK);
        assert_int_equal(run.finished, TT_NOSPC);
        assert_false(run.whole);
        struct seen s = test_read_tape(tape(), NULL);
        test_expect(&s, READER_COMPLETE, nth, "END after ENOSPC");
        assert_int_equal(s.reads, run.synced_reads);
        assert_true(exists(test_path("fault.tape.head")));
    }
}

static void each_sync_fails(void **state)
{
    (void)state;
    unsigned nth = 0;
    for (;; nth++) {
        struct fault f = {.which = CALL_SYNC, .nth = nth, .number = EIO};
        struct run run = record(&f);
        if (!f.fired)
            break;
        assert_int_equal(run.finished, TT_IO);
        assert_int_equal(f.syncs_after, 0); /* a failed sync is never tried again */
        expect_readable(&run);
        assert_false(exists(test_path("fault.tape.head")));
    }
    assert_true(nth >= 8); /* six blocks, the end, the head file */
}

static void truncating_fails_too(void **state)
{
    (void)state;
    struct fault f = {.which = CALL_TRUNCATE, .nth = 0, .number = EIO, .for_good = true, .disk_bytes = 2600};
    f.no_fallocate = true;
    struct run run = record(&f);
    assert_int_equal(run.appended, TT_NOSPC);
    assert_int_equal(run.ended, TT_NOSPC); /* nothing may follow the partial block */
    assert_int_equal(run.finished, TT_NOSPC);
    struct seen s = expect_readable(&run);
    assert_int_equal(s.report.state, READER_TORN);
    assert_true(s.report.accepted_bytes < s.report.file_bytes);
}

static void fallocate_fails(void **state)
{
    (void)state;
    static const int numbers[] = {EOPNOTSUPP, EIO, EINVAL, ENOSYS};
    for (size_t k = 0; k < 4; k++) { /* cannot be had: go on without, and say so */
        struct fault f = {.which = CALL_FALLOCATE, .number = numbers[k], .for_good = true};
        struct run run = record(&f);
        assert_int_equal(run.finished, TT_OK);
        assert_int_equal(f.count[CALL_FALLOCATE], 1);
        assert_false(run.short_of_space);
        struct seen s = expect_readable(&run);
        assert_int_equal(s.report.state, READER_COMPLETE);
    }
    struct fault f = {.which = CALL_FALLOCATE, .number = EINTR};
    struct run run = record(&f);
    assert_int_equal(run.finished, TT_OK);
    f = (struct fault){.which = CALL_FALLOCATE, .number = ENOSPC, .for_good = true};
    run = record(&f);
    assert_int_equal(run.created, TT_NOSPC); /* not even the space to close a tape */
    assert_false(exists(tape()));
}

static void missing_features_are_named(void **state)
{
    (void)state;
    struct fault f = {.no_fallocate = true, .which = CALLS};
    struct writer_options o = test_options(3);
    struct writer_io io = faulty(&f);
    struct writer *w;
    o.io = &io;
    test_unlink_tape(tape());
    assert_int_equal(writer_create(&w, tape(), &o, NULL), TT_OK);
    assert_memory_equal(writer_missing_features(w), "fallocate", 9);
    writer_free(w);
}

static void closing_fails(void **state)
{
    (void)state;
    for (unsigned nth = 0; nth < 2; nth++) { /* the head file, then the tape */
        struct fault f = {.which = CALL_CLOSE, .nth = nth, .number = EIO};
        struct run run = record(&f);
        assert_int_equal(run.finished, TT_IO);
        struct seen s = expect_readable(&run);
        assert_int_equal(s.report.state, READER_COMPLETE);
    }
}

/* Disks of every size from nothing to enough, with and without fallocate. */
static void disks_of_every_size(void **state)
{
    (void)state;
    for (unsigned with = 0; with < 2; with++) {
        unsigned complete = 0, torn = 0, refused = 0;
        for (uint64_t disk = 16; disk < 5200; disk += 61) {
            struct fault f = {.which = CALLS, .disk_bytes = with ? 60000 + disk * 3 : disk, .no_fallocate = !with};
            struct run run = record(&f);
            if (run.created != TT_OK) {
                assert_int_equal(run.created, TT_NOSPC);
                refused++;
                continue;
            }
            struct seen s = expect_readable(&run);
            complete += s.report.state == READER_COMPLETE;
            torn += s.report.state == READER_TORN;
            if (run.finished == TT_OK)
                assert_int_equal(s.reads, 18);
            if (with) /* with space reserved ahead, END always gets in */
                assert_int_equal(s.report.state, READER_COMPLETE);
        }
        assert_true(complete > 10 && refused > 0);
        assert_true(with ? torn == 0 : torn > 0);
    }
}

/* A READ of 50 KB that hardly compresses. */
static enum tt_status append_noise(struct writer *w, uint32_t *seed, uint64_t time_ns)
{
    static char noise[50001];
    for (size_t k = 0; k < sizeof(noise) - 1; k++) {
        *seed = *seed * 1664525u + 1013904223u;
        noise[k] = (char)(1 + (*seed >> 24) % 255);
    }
    struct tape_record rec = test_read(1, time_ns, noise);
    return writer_append(w, &rec, 0, NULL);
}

/* Space ends early in a long run: the writer says so before data is lost, and
 * what is appended until then is all there. */
static void short_of_space_is_said_in_time(void **state)
{
    (void)state;
    struct fault f = {.which = CALLS, .disk_bytes = 3u << 20};
    struct writer_options o = test_options(3);
    struct writer_io io = faulty(&f);
    struct writer *w;
    uint32_t seed = 1;
    uint64_t reads = 0;
    o.io = &io;
    test_unlink_tape(tape());
    assert_int_equal(writer_create(&w, tape(), &o, NULL), TT_OK);
    assert_false(is_short(w));
    while (!is_short(w))
        assert_int_equal(append_noise(w, &seed, ++reads), TT_OK);
    assert_true(writer_bytes(w) > 300000);
    for (int i = 0; i < 4; i++) /* requests in flight still have room */
        assert_int_equal(append_noise(w, &seed, ++reads), TT_OK);
    struct tape_record end = test_end(100);
    assert_int_equal(writer_append(w, &end, 0, NULL), TT_OK);
    assert_int_equal(writer_finish(w, 0, NULL), TT_OK);
    writer_free(w);
    struct seen s = test_read_tape(tape(), NULL);
    assert_int_equal(s.report.state, READER_COMPLETE);
    assert_int_equal(s.reads, reads);
}

/* A small disk is used well, however it is asked for space: in large steps while there are some, then in small ones;
 * or by looking at what is free. */
static void a_small_disk_is_used_to_its_end(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct fault f = {.which = CALLS, .disk_bytes = 2u << 20, .no_fallocate = way, .tells_free = way};
        struct writer_options o = test_options(3);
        struct writer_io io = faulty(&f);
        struct writer *w;
        struct tt_error err;
        uint64_t reads = 0;
        uint32_t seed = 1;
        o.io = &io;
        test_unlink_tape(tape());
        assert_int_equal(writer_create(&w, tape(), &o, NULL), TT_OK);
        while (!is_short(w))
            assert_int_equal(append_noise(w, &seed, ++reads), TT_OK);
        assert_true(writer_bytes(w) > 1200000 && writer_bytes(w) < 1900000);
        assert_int_equal(writer_trouble(w, &err), TT_NOSPC);
        assert_non_null(strstr(err.line, "No space left on device (free some space"));
        while (append_noise(w, &seed, reads + 1) == TT_OK)
            reads++;
        assert_true(writer_bytes(w) > 1600000);
        struct tape_record end = test_end(100);
        assert_int_equal(writer_append(w, &end, 0, NULL), TT_OK);
        assert_int_equal(writer_finish(w, 0, NULL), TT_NOSPC);
        assert_false(writer_is_whole(w));
        writer_free(w);
        struct seen s = test_read_tape(tape(), NULL);
        assert_int_equal(s.report.state, READER_COMPLETE);
        assert_true(s.report.has_index && s.reads + 6 > reads && s.reads <= reads);
    }
}

/* The other way: nobody stops. Blocks are lost whole, END still gets in. */
static void a_full_disk_keeps_room_for_end(void **state)
{
    (void)state;
    struct fault f = {.which = CALLS, .disk_bytes = 1u << 20};
    struct writer_options o = test_options(3);
    struct writer_io io = faulty(&f);
    struct writer *w;
    uint32_t seed = 1;
    enum tt_status st = TT_OK;
    o.io = &io;
    test_unlink_tape(tape());
    assert_int_equal(writer_create(&w, tape(), &o, NULL), TT_OK);
    for (uint64_t i = 1; st == TT_OK && i < 1000; i++)
        st = append_noise(w, &seed, i);
    assert_int_equal(st, TT_NOSPC);
    struct tape_record lost = {.kind = TAPE_LOST, .u.lost = {1, 5, 250000, tt_view_str("ring_full"), {NULL, 0}}};
    assert_int_equal(writer_append(w, &lost, 0, NULL), TT_OK);
    struct tape_record rec = test_read(1, 1, "x");
    assert_int_equal(writer_append(w, &rec, 0, NULL), TT_NOSPC);
    for (int i = 0; i < 2000; i++) { /* even a caller that says too much cannot push END out */
        struct tape_record event = {.kind = TAPE_EVENT, .u.event = {.time_ns = 1, .name = tt_view_str("note")}};
        event.u.event.realtime_ns = TAPE_NONE;
        writer_append(w, &event, 0, NULL);
    }
    struct tape_record end = test_end(100);
    assert_int_equal(writer_append(w, &end, 0, NULL), TT_OK);
    assert_int_equal(writer_finish(w, 0, NULL), TT_NOSPC);
    writer_free(w);
    struct seen s = test_read_tape(tape(), NULL);
    assert_int_equal(s.report.state, READER_COMPLETE);
    assert_true(s.report.has_index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_write_fails),
        cmocka_unit_test(space_for_end_is_found),
        cmocka_unit_test(each_sync_fails),
        cmocka_unit_test(truncating_fails_too),
        cmocka_unit_test(fallocate_fails),
        cmocka_unit_test(missing_features_are_named),
        cmocka_unit_test(closing_fails),
        cmocka_unit_test(disks_of_every_size),
        cmocka_unit_test(short_of_space_is_said_in_time),
        cmocka_unit_test(a_small_disk_is_used_to_its_end),
        cmocka_unit_test(a_full_disk_keeps_room_for_end),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
