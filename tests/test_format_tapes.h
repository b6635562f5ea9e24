/* Small tapes for the tests of writer and reader: made by the writer, taken apart
 * and put together again by knowing the header offsets of FORMAT.md. */
#ifndef TEST_FORMAT_TAPES_H
#define TEST_FORMAT_TAPES_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../format/chain.h"
#include "../format/crc32c.h"
#include "../format/limits.h"
#include "../format/reader.h"
#include "../format/writer.h"

#define MS 1000000ull
#define MAX_BLOCKS 64

/* A tape in memory, with room to grow. */
struct image {
    uint8_t *p;
    size_t n;
    size_t block_at[MAX_BLOCKS + 1]; /* the last one: where the blocks end */
    size_t blocks;
};

static char test_dir[256];

static inline int test_dir_make(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(test_dir, sizeof(test_dir), "%s/tape-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(test_dir) ? 0 : -1;
}

static inline int test_dir_remove(void **state)
{
    (void)state;
    DIR *d = opendir(test_dir);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    return rmdir(test_dir);
}

static inline const char *test_path(const char *name)
{
    static char path[4][512];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof(path[0]), "%s/%s", test_dir, name);
    return p;
}

static inline void test_unlink_tape(const char *path)
{
    char head[600];
    snprintf(head, sizeof(head), "%s.head", path);
    unlink(path);
    unlink(head);
}

static inline struct writer_options test_options(uint8_t id)
{
    struct writer_options o = {.base_monotonic_ns = 1000, .base_realtime_ns = 2000};
    memset(o.tape_id, id, sizeof(o.tape_id));
    memset(o.boot_hash, 0xb0, sizeof(o.boot_hash));
    return o;
}

static inline struct tape_record test_read(uint64_t request, uint64_t time_ns, const char *bytes)
{
    return (struct tape_record){
        .kind = TAPE_READ,
        .u.read = {.request = request, .time_ns = time_ns, .lag_ns = 5, .bytes = tt_view_str(bytes)}};
}

static inline struct tape_record test_end(uint64_t time_ns)
{
    return (struct tape_record){.kind = TAPE_END, .u.end = {.time_ns = time_ns, .reason = tt_view_str("complete")}};
}

/* `blocks` blocks of three READs each, then END in one more, then INDEX. */
static inline void test_write_tape(const char *path, uint8_t id, unsigned blocks)
{
    struct writer_options o = test_options(id);
    struct writer *w;
    struct tt_error err = {0};
    test_unlink_tape(path);
    if (writer_create(&w, path, &o, &err) != TT_OK)
        fail_msg("%s", err.line);
    for (unsigned i = 0; i < 3 * blocks; i++) {
        char text[64];
        snprintf(text, sizeof(text), "data: event number %u of tape %u\n\n", i, id);
        struct tape_record rec = test_read(i % 4, 10 * MS * (i + 1), text);
        assert_int_equal(writer_append(w, &rec, 0, &err), TT_OK);
        if (i % 3 == 2)
            assert_int_equal(writer_sync(w, 0, &err), TT_OK);
    }
    struct tape_record rec = test_end(10 * MS * (3 * blocks + 1));
    assert_int_equal(writer_append(w, &rec, 0, &err), TT_OK);
    if (writer_finish(w, 0, &err) != TT_OK)
        fail_msg("%s", err.line);
    writer_free(w);
}

static inline void image_find_blocks(struct image *m)
{
    size_t at = 80;
    m->blocks = 0;
    while (at + 100 <= m->n && tt_get_u32(m->p + at) == 0x184D2A51u) {
        assert_true(m->blocks < MAX_BLOCKS);
        m->block_at[m->blocks++] = at;
        at += 100 + tt_get_u32(m->p + at + 28);
    }
    m->block_at[m->blocks] = at;
}

static inline struct image image_load(const char *path)
{
    struct image m = {.p = malloc(8 << 20)};
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t n = read(fd, m.p, 8 << 20);
    assert_true(n >= 0);
    close(fd);
    m.n = (size_t)n;
    image_find_blocks(&m);
    return m;
}

static inline struct image image_copy(const struct image *m)
{
    struct image c = *m;
    c.p = malloc(8 << 20);
    memcpy(c.p, m->p, m->n);
    return c;
}

static inline void image_store(const struct image *m, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, m->p, m->n), m->n);
    close(fd);
}

static inline size_t image_block_bytes(const struct image *m, size_t block)
{
    return m->block_at[block + 1] - m->block_at[block];
}

/* Makes the CRCs of the block at `at` hold again. */
static inline void image_seal(struct image *m, size_t at)
{
    uint32_t packed = tt_get_u32(m->p + at + 28);
    tt_put_u32(m->p + at + 92, crc32c(m->p + at + 100, packed));
    tt_put_u32(m->p + at + 96, crc32c(m->p + at, 96));
}

/* The SHA-256 of one stretch, and with `from` = 0 of the FILE header. */
static inline void image_hash(const struct image *m, size_t from, size_t to, uint8_t hash[32])
{
    struct chain *c;
    assert_int_equal(chain_create(&c, NULL), TT_OK);
    assert_int_equal(chain_hash(c, m->p + from, to - from, hash, NULL), TT_OK);
    chain_free(c);
}

/* Numbers, chains and seals all blocks anew: a forger who knows the format. The
 * INDEX is left as it is. */
static inline void image_forge_chain(struct image *m)
{
    uint8_t previous[32];
    image_find_blocks(m);
    image_hash(m, 0, 80, previous);
    for (size_t i = 0; i < m->blocks; i++) {
        tt_put_u64(m->p + m->block_at[i] + 20, i);
        memcpy(m->p + m->block_at[i] + 60, previous, 32);
        image_seal(m, m->block_at[i]);
        image_hash(m, m->block_at[i], m->block_at[i + 1], previous);
    }
}

/* What a reader makes of a file. */
struct seen {
    enum tt_status opened, outcome;
    struct reader_report report;
    struct tt_error error;
    uint64_t records, reads;
    uint64_t read_times_ns; /* sum: stands for which READs were seen */
    unsigned given;         /* bits: which blocks of test_write_tape() gave a record */
};

/* The block of test_write_tape() that a record with this time stands in. */
static inline unsigned test_block_of(uint64_t time_ns)
{
    return (unsigned)(time_ns / (10 * MS) - 1) / 3;
}

static inline struct seen test_read_tape(const char *path, const struct reader_options *options)
{
    struct seen s = {0};
    struct reader *r;
    struct tape_record rec;
    s.opened = reader_open(&r, path, options, &s.error);
    if (s.opened != TT_OK)
        return s;
    while ((s.outcome = reader_next(r, &rec, &s.error)) == TT_OK) {
        assert_int_equal(reader_position(r).record, s.records);
        s.records++;
        if (rec.kind == TAPE_READ) {
            s.reads++;
            s.read_times_ns += rec.u.read.time_ns;
        }
        if ((rec.kind == TAPE_READ || rec.kind == TAPE_END) && record_time(&rec) >= 10 * MS)
            s.given |= (unsigned)(1ull << test_block_of(record_time(&rec)) % 64);
    }
    s.report = *reader_report(r);
    assert_int_equal(reader_next(r, &rec, NULL), s.outcome); /* and it stays so */
    reader_free(r);
    return s;
}

static inline struct seen test_read_image(const struct image *m, enum reader_mode mode)
{
    const char *path = test_path("image.tape");
    struct reader_options o = {.mode = mode};
    image_store(m, path);
    return test_read_tape(path, &o);
}

static inline void test_expect(const struct seen *s, enum reader_state state, uint64_t blocks, const char *what)
{
    assert_int_equal(s->opened, TT_OK);
    if (s->report.state != state || s->report.blocks != blocks)
        fail_msg("%s: %s with %u blocks (%s), not %s with %u", what, reader_state_name(s->report.state),
                 (unsigned)s->report.blocks, s->report.flaw.line, reader_state_name(state), (unsigned)blocks);
    assert_int_equal(s->report.flaw.code == TT_OK, state == READER_COMPLETE || state == READER_WRITING);
}

#endif
