/* A tape that is read while it is written: every state its file can be in. */
#include "test_format_tapes.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#define BLOCKS 5 /* of READs; with END it is one more */
#define ALL (BLOCKS + 1)
#define PIECES 100 /* tapes written in pieces by another process */

static struct image whole, shorter; /* the same tape, ended after three blocks */

static int make_whole(void **state)
{
    if (test_dir_make(state) != 0)
        return -1;
    test_write_tape(test_path("whole.tape"), 7, BLOCKS);
    whole = image_load(test_path("whole.tape"));
    test_write_tape(test_path("shorter.tape"), 7, 3);
    shorter = image_load(test_path("shorter.tape"));
    return memcmp(whole.p, shorter.p, whole.block_at[3]) == 0 ? 0 : -1;
}

static int drop_whole(void **state)
{
    free(whole.p);
    free(shorter.p);
    return test_dir_remove(state);
}

/* A recorder as far as the reader can tell: a file and a lock. */
static int begin_recording(const char *path)
{
    test_unlink_tape(path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_true(fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0);
    return fd;
}

static void append(int fd, const struct image *m, size_t from, size_t to)
{
    assert_int_equal(write(fd, m->p + from, to - from), to - from);
}

static struct reader *open_tape(const char *path, enum reader_mode mode)
{
    struct reader_options options = {.mode = mode};
    struct tt_error err = {0};
    struct reader *r;
    if (reader_open(&r, path, &options, &err) != TT_OK)
        fail_msg("%s", err.line);
    return r;
}

/* Reads what there is: in order, each record once. */
static void read_on(struct reader *r, uint64_t *records)
{
    struct tape_record rec;
    struct tt_error err = {0};
    enum tt_status st;
    while ((st = reader_next(r, &rec, &err)) == TT_OK)
        assert_int_equal(reader_position(r).record, (*records)++);
    if (st != TT_END)
        fail_msg("%s", err.line);
    assert_int_equal(reader_report(r)->records, *records);
}

static size_t whole_blocks(const struct image *m, size_t bytes)
{
    size_t blocks = 0;
    while (blocks < m->blocks && m->block_at[blocks + 1] <= bytes)
        blocks++;
    return blocks;
}

static void expect_report(const struct reader *r, enum reader_state state, size_t blocks, size_t bytes)
{
    const struct reader_report *report = reader_report(r);
    bool flawed = state != READER_WRITING && state != READER_COMPLETE;
    if (report->state != state || report->blocks != blocks || (report->flaw.code != TT_OK) != flawed ||
        report->gaps != 0)
        fail_msg("%zu bytes: %s with %u blocks (%s), not %s with %zu", bytes, reader_state_name(report->state),
                 (unsigned)report->blocks, report->flaw.line, reader_state_name(state), blocks);
}

static void grow_byte_by_byte(enum reader_mode mode)
{
    const char *path = test_path("live.tape");
    int fd = begin_recording(path);
    append(fd, &whole, 0, 80);
    struct reader *r = open_tape(path, mode);
    uint64_t records = 0;
    for (size_t n = 80; n <= whole.n; n++) {
        read_on(r, &records);
        expect_report(r, n == whole.n ? READER_COMPLETE : READER_WRITING, whole_blocks(&whole, n), n);
        if (n < whole.n)
            append(fd, &whole, n, n + 1);
    }
    assert_int_equal(records, 1 + 3 * BLOCKS + 1);
    close(fd);
    read_on(r, &records);
    expect_report(r, READER_COMPLETE, ALL, whole.n);
    reader_free(r);
}

static void at_every_length_it_is_being_written(void **state)
{
    (void)state;
    grow_byte_by_byte(READER_PREFIX);
    grow_byte_by_byte(READER_SALVAGE);
}

/* Killed at every length of the last three blocks and INDEX, a reader attached. */
static void a_lock_that_goes_away_settles_it(void **state)
{
    (void)state;
    for (size_t n = whole.block_at[ALL - 3]; n <= whole.n; n++) {
        const char *path = test_path("live.tape");
        int fd = begin_recording(path);
        append(fd, &whole, 0, n / 2);
        struct reader *r = open_tape(path, READER_PREFIX);
        uint64_t records = 0;
        read_on(r, &records);
        expect_report(r, READER_WRITING, whole_blocks(&whole, n / 2), n / 2);
        append(fd, &whole, n / 2, n);
        if (n % 2) { /* seen, and then nothing more came */
            read_on(r, &records);
            expect_report(r, n == whole.n ? READER_COMPLETE : READER_WRITING, whole_blocks(&whole, n), n);
        }
        close(fd);
        read_on(r, &records);
        bool all = n == whole.block_at[ALL] || n == whole.n;
        expect_report(r, all ? READER_COMPLETE : READER_TORN, whole_blocks(&whole, n), n);
        reader_free(r);
    }
}

/* What happens right before or behind the reader's next look at the lock. */
static void (*before_look)(void), (*behind_look)(void);

static void happen(void (**what)(void))
{
    void (*now)(void) = *what;
    *what = NULL;
    if (now)
        now();
}

/* Where off_t had 32 bits once, the older call knows none of these locks. */
#ifdef SYS_fcntl64
#define FCNTL SYS_fcntl64
#else
#define FCNTL SYS_fcntl
#endif

static int look(int fd, int cmd, void *arg)
{
    if (cmd == F_OFD_GETLK)
        happen(&before_look);
    int result = (int)syscall(FCNTL, fd, cmd, arg);
    if (cmd == F_OFD_GETLK)
        happen(&behind_look);
    return result;
}

/* Stand in for libc's, in this program alone. It has two names for the one call: which of them a file uses is a
 * matter of how it was compiled, and a look that passes by here would let a test wait for nothing. */
#define STAND_IN(function, name)                                                                                       \
    int function(int fd, int cmd, ...) __asm__(name);                                                                  \
    int function(int fd, int cmd, ...)                                                                                 \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, cmd);                                                                                           \
        void *arg = va_arg(args, void *);                                                                              \
        va_end(args);                                                                                                  \
        return look(fd, cmd, arg);                                                                                     \
    }

STAND_IN(plain_fcntl, "fcntl")
STAND_IN(large_fcntl, "fcntl64")

static int closing_fd;

static void write_rest_and_close(void)
{
    append(closing_fd, &whole, whole.block_at[2], whole.n);
    close(closing_fd);
}

static void close_without_a_word(void)
{
    close(closing_fd);
}

/* Between two system calls of the reader the recorder may come to its end, or be killed. */
static void closed_while_the_reader_looks(void **state)
{
    (void)state;
    void (**const moments[])(void) = {&before_look, &behind_look};
    for (size_t i = 0; i < 4; i++) {
        const char *path = test_path("live.tape");
        uint64_t records = 0;
        bool killed = i >= 2;
        closing_fd = begin_recording(path);
        append(closing_fd, &whole, 0, whole.block_at[2]);
        struct reader *r = open_tape(path, READER_PREFIX);
        *moments[i % 2] = killed ? close_without_a_word : write_rest_and_close;
        read_on(r, &records);
        if (*moments[i % 2])
            fail_msg("the reader did not look at the lock by way of this program's fcntl");
        while (reader_report(r)->state == READER_WRITING)
            read_on(r, &records);
        if (killed)
            expect_report(r, READER_TORN, 2, whole.block_at[2]);
        else
            expect_report(r, READER_COMPLETE, ALL, whole.n);
        reader_free(r);
    }
}

/* Any interleaving of a writer that ends well with a reader that never rests. */
static void write_in_pieces(const char *path, unsigned seed)
{
    int fd = begin_recording(path);
    size_t at = 0;
    while (at < whole.n) {
        size_t n = (size_t)rand_r(&seed) % 900 + 1;
        n = at + n < whole.n ? n : whole.n - at;
        append(fd, &whole, at, at + n);
        at += n;
    }
    _exit(0); /* the lock goes as the process goes */
}

static void a_tape_that_is_closed_meanwhile_is_never_torn(void **state)
{
    (void)state;
    const char *path = test_path("pieces.tape");
    for (unsigned i = 0; i < PIECES; i++) {
        struct reader *r = NULL;
        uint64_t records = 0;
        test_unlink_tape(path);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_in_pieces(path, i);
        while (reader_open(&r, path, NULL, NULL) != TT_OK)
            ;
        do
            read_on(r, &records);
        while (reader_report(r)->state == READER_WRITING);
        expect_report(r, READER_COMPLETE, ALL, whole.n);
        reader_free(r);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
}

/* A full disk: part of a block is cut off again, and END stands in its place. */
static void a_block_cut_off_and_replaced(void **state)
{
    (void)state;
    for (size_t n = whole.block_at[3] + 1; n < whole.block_at[4]; n++) {
        const char *path = test_path("live.tape");
        int fd = begin_recording(path);
        append(fd, &whole, 0, n);
        struct reader *r = open_tape(path, READER_PREFIX);
        uint64_t records = 0;
        read_on(r, &records);
        expect_report(r, READER_WRITING, 3, n);
        assert_int_equal(ftruncate(fd, (off_t)shorter.block_at[3]), 0);
        if (n % 2) {
            read_on(r, &records);
            expect_report(r, READER_WRITING, 3, shorter.block_at[3]);
        }
        append(fd, &shorter, shorter.block_at[3], shorter.n);
        close(fd);
        read_on(r, &records);
        expect_report(r, READER_COMPLETE, 4, shorter.n);
        reader_free(r);
    }
}

static void damage_is_told_while_it_is_written(void **state)
{
    (void)state;
    const char *path = test_path("live.tape");
    struct image m = image_copy(&whole);
    m.p[m.block_at[3] + 120] ^= 1;
    int fd = begin_recording(path);
    append(fd, &m, 0, m.block_at[3]);
    struct reader *r = open_tape(path, READER_PREFIX);
    uint64_t records = 0;
    read_on(r, &records);
    expect_report(r, READER_WRITING, 3, m.block_at[3]);
    append(fd, &m, m.block_at[3], m.n);
    read_on(r, &records);
    expect_report(r, READER_DAMAGED, 3, m.n);
    close(fd);
    read_on(r, &records);
    expect_report(r, READER_DAMAGED, 3, m.n);
    reader_free(r);
    free(m.p);
}

static void an_index_that_contradicts_is_told_while_it_is_written(void **state)
{
    (void)state;
    const char *path = test_path("live.tape");
    struct image m = image_copy(&whole);
    size_t at = m.block_at[ALL];
    m.p[at + 72 + 8] ^= 1; /* least time of an entry, under a CRC that holds */
    tt_put_u32(m.p + m.n - 20, crc32c_add(crc32c(m.p + at, m.n - at - 20), m.p + m.n - 16, 16));
    int fd = begin_recording(path);
    append(fd, &m, 0, m.n);
    struct reader *r = open_tape(path, READER_PREFIX);
    uint64_t records = 0;
    read_on(r, &records);
    expect_report(r, READER_EDITED, ALL, m.n);
    close(fd);
    reader_free(r);
    free(m.p);
}

static void write_head(const char *path, const uint8_t head[32])
{
    char name[600], hex[80];
    snprintf(name, sizeof(name), "%s.head", path);
    chain_hex(head, hex);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, hex, 64), 64);
    close(fd);
}

/* It is written last, long after the reader opened the tape. */
static void the_head_file_counts_when_the_tape_ends(void **state)
{
    (void)state;
    for (int honest = 0; honest < 2; honest++) {
        const char *path = test_path("live.tape");
        uint8_t head[32];
        int fd = begin_recording(path);
        append(fd, &whole, 0, whole.block_at[1]);
        struct reader *r = open_tape(path, READER_PREFIX);
        uint64_t records = 0;
        read_on(r, &records);
        append(fd, &whole, whole.block_at[1], whole.n);
        image_hash(&whole, whole.block_at[ALL - 1], whole.block_at[ALL], head);
        head[0] = (uint8_t)(head[0] + !honest);
        write_head(path, head);
        close(fd);
        read_on(r, &records);
        expect_report(r, honest ? READER_COMPLETE : READER_EDITED, ALL, whole.n);
        reader_free(r);
    }
}

static void strict_mode_takes_no_live_tape(void **state)
{
    (void)state;
    const char *path = test_path("live.tape");
    int fd = begin_recording(path);
    append(fd, &whole, 0, whole.block_at[1] + 50);
    struct reader *r = open_tape(path, READER_STRICT);
    struct tape_record rec;
    enum tt_status st;
    while ((st = reader_next(r, &rec, NULL)) == TT_OK)
        ;
    assert_int_equal(st, TT_TRUNCATED);
    assert_int_equal(reader_report(r)->state, READER_WRITING);
    close(fd);
    assert_int_equal(reader_next(r, &rec, NULL), TT_TRUNCATED);
    reader_free(r);
}

static void a_reader_holds_no_lock(void **state)
{
    (void)state;
    const char *path = test_path("live.tape");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    image_store(&whole, path);
    struct reader *r = open_tape(path, READER_PREFIX);
    uint64_t records = 0;
    assert_false(reader_is_locked(path));
    read_on(r, &records);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0);
    assert_true(reader_is_locked(path));
    assert_false(reader_is_locked(test_path("none.tape")));
    reader_free(r);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_length_it_is_being_written),
        cmocka_unit_test(a_lock_that_goes_away_settles_it),
        cmocka_unit_test(closed_while_the_reader_looks),
        cmocka_unit_test(a_tape_that_is_closed_meanwhile_is_never_torn),
        cmocka_unit_test(a_block_cut_off_and_replaced),
        cmocka_unit_test(damage_is_told_while_it_is_written),
        cmocka_unit_test(an_index_that_contradicts_is_told_while_it_is_written),
        cmocka_unit_test(the_head_file_counts_when_the_tape_ends),
        cmocka_unit_test(strict_mode_takes_no_live_tape),
        cmocka_unit_test(a_reader_holds_no_lock),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
