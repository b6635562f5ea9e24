/* The writer on a healthy disk: creation and its refusals, when blocks close and
 * syncs happen, what a finished tape looks like. */
#include "test_format_tapes.h"

#include <sys/wait.h>

/* Counts calls and passes them on. */
struct counts {
    unsigned writes, syncs, truncates;
    size_t bytes;
};

static ssize_t count_write(void *ctx, int fd, const void *p, size_t n)
{
    struct counts *c = ctx;
    c->writes++;
    c->bytes += n;
    return write(fd, p, n);
}

static int count_sync(void *ctx, int fd)
{
    ((struct counts *)ctx)->syncs++;
    return fdatasync(fd);
}

static int count_fallocate(void *ctx, int fd, int mode, off_t offset, off_t len)
{
    (void)ctx;
    return fallocate(fd, mode, offset, len);
}

static int count_truncate(void *ctx, int fd, off_t len)
{
    ((struct counts *)ctx)->truncates++;
    return ftruncate(fd, len);
}

static int count_close(void *ctx, int fd)
{
    (void)ctx;
    return close(fd);
}

static struct writer_io counting_io(struct counts *c)
{
    *c = (struct counts){0};
    return (struct writer_io){count_write, count_sync, count_fallocate, count_truncate, NULL, count_close, c};
}

static struct writer *create(const char *path, const struct writer_io *io)
{
    struct writer_options o = test_options(1);
    struct writer *w;
    struct tt_error err = {0};
    o.io = io;
    test_unlink_tape(path);
    if (writer_create(&w, path, &o, &err) != TT_OK)
        fail_msg("%s", err.line);
    return w;
}

static void append_read(struct writer *w, uint64_t now_ns, const char *bytes)
{
    struct tape_record rec = test_read(1, now_ns, bytes);
    assert_int_equal(writer_append(w, &rec, now_ns, NULL), TT_OK);
}

static void append_end(struct writer *w)
{
    struct tape_record rec = test_end(0);
    assert_int_equal(writer_append(w, &rec, 0, NULL), TT_OK);
}

static void expect_refusal(const char *path, enum tt_status want, const char *named)
{
    struct writer_options o = test_options(1);
    struct writer *w = (struct writer *)&o;
    struct tt_error err = {0};
    assert_int_equal(writer_create(&w, path, &o, &err), want);
    assert_null(w);
    assert_non_null(strstr(err.line, named));
    assert_null(strchr(err.line, '\n'));
}

static void refuses_what_exists(void **state)
{
    (void)state;
    const char *path = test_path("there.tape"), *head = test_path("new.tape.head"), *link = test_path("link.tape");
    close(open(path, O_WRONLY | O_CREAT, 0600));
    expect_refusal(path, TT_EXISTS, path);
    struct stat sb;
    assert_int_equal(stat(path, &sb), 0);
    assert_int_equal(sb.st_size, 0); /* untouched */
    assert_int_equal(symlink("nowhere.tape", link), 0);
    expect_refusal(link, TT_EXISTS, link);
    assert_int_equal(access(test_path("nowhere.tape"), F_OK), -1);
    close(open(head, O_WRONLY | O_CREAT, 0600));
    expect_refusal(test_path("new.tape"), TT_EXISTS, head);
    assert_int_equal(access(test_path("new.tape"), F_OK), -1);
    expect_refusal(test_path("no/such/dir.tape"), TT_IO, "directory");
    expect_refusal(test_path("there.tape/x"), TT_IO, "there.tape/x");
    expect_refusal(test_dir, TT_EXISTS, test_dir);
    unlink(head);
}

static void a_finished_tape(void **state)
{
    (void)state;
    const char *path = test_path("done.tape");
    mode_t old = umask(0);
    struct writer *w = create(path, NULL);
    uint8_t head[32];
    char hex[66], want[66];
    struct stat sb;
    append_end(w);
    assert_int_equal(writer_finish(w, 0, NULL), TT_OK);
    umask(old);
    assert_int_equal(writer_finish(w, 0, NULL), TT_USAGE);
    struct tape_record rec = test_read(1, 1, "late");
    assert_int_equal(writer_append(w, &rec, 0, NULL), TT_USAGE);
    assert_int_equal(writer_tick(w, 1, NULL), TT_OK);
    assert_int_equal(stat(path, &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0600);
    assert_int_equal(sb.st_size, writer_bytes(w));
    assert_true(sb.st_blocks * 512 < (1 << 20)); /* the space reserved ahead was given back */
    writer_head(w, head);
    writer_free(w);
    assert_int_equal(stat(test_path("done.tape.head"), &sb), 0);
    assert_int_equal(sb.st_mode & 07777, 0600);
    assert_int_equal(sb.st_size, 65);
    int fd = open(test_path("done.tape.head"), O_RDONLY);
    assert_int_equal(read(fd, hex, 65), 65);
    close(fd);
    chain_hex(head, want);
    assert_memory_equal(hex, want, 64);
    assert_int_equal(hex[64], '\n');
    struct seen s = test_read_tape(path, NULL);
    test_expect(&s, READER_COMPLETE, 2, "finished");
    assert_memory_equal(s.report.head, head, 32);
}

static void finish_needs_end(void **state)
{
    (void)state;
    struct writer *w = create(test_path("noend.tape"), NULL);
    assert_int_equal(writer_finish(w, 0, NULL), TT_USAGE);
    append_end(w);
    struct tape_record rec = test_read(1, 1, "x");
    assert_int_equal(writer_append(w, &rec, 0, NULL), TT_USAGE);
    assert_int_equal(writer_finish(w, 0, NULL), TT_OK);
    writer_free(w);
}

static void a_record_that_cannot_be_is_refused_alone(void **state)
{
    (void)state;
    struct writer *w = create(test_path("refuse.tape"), NULL);
    struct tt_error err = {0};
    struct tape_record rec = {.kind = TAPE_START, .u.start = {1, TAPE_NONE}};
    assert_int_equal(writer_append(w, &rec, 0, &err), TT_USAGE);
    assert_non_null(strstr(err.line, "START"));
    append_read(w, 1, "goes on");
    append_end(w);
    assert_int_equal(writer_finish(w, 0, NULL), TT_OK);
    writer_free(w);
    struct seen s = test_read_tape(test_path("refuse.tape"), NULL);
    assert_int_equal(s.records, 3);
}

static void blocks_close_by_age_and_size(void **state)
{
    (void)state;
    struct counts c;
    struct writer_io io = counting_io(&c);
    struct writer *w = create(test_path("close.tape"), &io);
    char big[60001];
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    assert_int_equal(c.writes, 1); /* FILE */
    append_read(w, 1000 * MS, "a");
    assert_int_equal(writer_tick(w, 1499 * MS, NULL), TT_OK);
    assert_int_equal(c.writes, 1);
    assert_int_equal(writer_tick(w, 1500 * MS, NULL), TT_OK);
    assert_int_equal(c.writes, 2);
    for (int i = 0; i < 4; i++)
        append_read(w, 1500 * MS, big);
    assert_int_equal(c.writes, 2);
    append_read(w, 1500 * MS, big); /* passes 256 KiB */
    assert_int_equal(c.writes, 3);
    append_read(w, 1600 * MS, "b");
    append_read(w, 2100 * MS, "c"); /* by age, without a tick */
    assert_int_equal(c.writes, 4);
    writer_free(w);
    struct seen s = test_read_tape(test_path("close.tape"), NULL);
    test_expect(&s, READER_TORN, 3, "not finished");
    assert_int_equal(s.reads, 8);
}

static void syncs_when_due(void **state)
{
    (void)state;
    struct counts c;
    struct writer_io io = counting_io(&c);
    struct writer *w = create(test_path("sync.tape"), &io);
    append_read(w, 1000 * MS, "a");
    assert_int_equal(writer_tick(w, 1500 * MS, NULL), TT_OK);
    assert_int_equal(writer_tick(w, 1999 * MS, NULL), TT_OK);
    assert_int_equal(c.syncs, 0);
    assert_int_equal(writer_tick(w, 2000 * MS, NULL), TT_OK); /* 1 s after the oldest record */
    assert_int_equal(c.syncs, 1);
    assert_int_equal(writer_tick(w, 9000 * MS, NULL), TT_OK); /* nothing new */
    assert_int_equal(c.syncs, 1);
    append_read(w, 9000 * MS, "b");
    writer_note_failure(w, 9000 * MS);
    assert_int_equal(writer_tick(w, 9010 * MS, NULL), TT_OK); /* closes the block and syncs */
    assert_int_equal(c.syncs, 2);
    unsigned writes = c.writes;
    append_read(w, 9011 * MS, "c");
    writer_note_failure(w, 9011 * MS);
    writer_note_failure(w, 9012 * MS);
    assert_int_equal(writer_tick(w, 9012 * MS, NULL), TT_OK); /* too soon after the last */
    assert_int_equal(c.syncs, 2);
    assert_int_equal(writer_tick(w, 9031 * MS, NULL), TT_OK);
    assert_int_equal(c.syncs, 3);
    assert_int_equal(c.writes, writes + 1);
    writer_free(w);
}

static void syncs_after_eight_mebibytes(void **state)
{
    (void)state;
    struct counts c;
    struct writer_io io = counting_io(&c);
    struct writer *w = create(test_path("much.tape"), &io);
    static char noise[60001];
    uint32_t seed = 1;
    for (int i = 0; i < 150; i++) {
        for (size_t k = 0; k < sizeof(noise) - 1; k++) {
            seed = seed * 1664525u + 1013904223u;
            noise[k] = (char)(1 + (seed >> 24) % 255);
        }
        append_read(w, 1, noise);
        assert_int_equal(writer_tick(w, 1, NULL), TT_OK);
    }
    assert_int_equal(c.syncs, 1);
    writer_free(w);
    struct seen s = test_read_tape(test_path("much.tape"), NULL);
    assert_int_equal(s.report.state, READER_TORN);
    assert_true(s.reads > 140);
}

static struct seen look(const char *path)
{
    return test_read_tape(path, NULL);
}

static void a_live_tape_is_being_written(void **state)
{
    (void)state;
    const char *path = test_path("live.tape");
    struct writer *w = create(path, NULL);
    if (strstr(writer_missing_features(w), "ofd_lock"))
        skip();
    struct seen s = look(path);
    test_expect(&s, READER_WRITING, 0, "live, no block yet");
    append_read(w, 1, "a");
    assert_int_equal(writer_sync(w, 1, NULL), TT_OK);
    s = look(path);
    test_expect(&s, READER_WRITING, 1, "live");
    struct reader_options strict = {.mode = READER_STRICT};
    s = test_read_tape(path, &strict);
    assert_int_equal(s.outcome, TT_TRUNCATED);
    append_end(w);
    assert_int_equal(writer_sync(w, 1, NULL), TT_OK);
    s = look(path);
    test_expect(&s, READER_WRITING, 2, "END written, INDEX to come");
    writer_free(w);
    writer_free(NULL);
    s = look(path);
    test_expect(&s, READER_COMPLETE, 2, "END without INDEX");
}

/* A recorder that is killed leaves its lock behind for nobody. */
static void a_killed_writer_leaves_a_torn_tape(void **state)
{
    (void)state;
    const char *path = test_path("killed.tape");
    pid_t pid = fork();
    if (pid == 0) {
        struct writer_options o = test_options(1);
        struct writer *w;
        struct tape_record rec = test_read(1, 5, "a");
        if (writer_create(&w, path, &o, NULL) != TT_OK || writer_append(w, &rec, 5, NULL) != TT_OK ||
            writer_sync(w, 5, NULL) != TT_OK)
            _exit(1);
        writer_append(w, &rec, 5, NULL);
        _exit(0); /* without writer_free() */
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    struct seen s = look(path);
    test_expect(&s, READER_TORN, 1, "killed");
    assert_int_equal(s.reads, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_exists),
        cmocka_unit_test(a_finished_tape),
        cmocka_unit_test(finish_needs_end),
        cmocka_unit_test(a_record_that_cannot_be_is_refused_alone),
        cmocka_unit_test(blocks_close_by_age_and_size),
        cmocka_unit_test(syncs_when_due),
        cmocka_unit_test(syncs_after_eight_mebibytes),
        cmocka_unit_test(a_live_tape_is_being_written),
        cmocka_unit_test(a_killed_writer_leaves_a_torn_tape),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
