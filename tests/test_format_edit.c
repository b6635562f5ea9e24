/* Tapes changed by someone who knows the format: CRCs hold, the chain does not. */
#include "test_format_tapes.h"

#include "../format/zframe.h"

#define BLOCKS 5
#define ALL (BLOCKS + 1)

static struct image whole, other;

static int make_tapes(void **state)
{
    if (test_dir_make(state) != 0)
        return -1;
    test_write_tape(test_path("whole.tape"), 7, BLOCKS);
    test_write_tape(test_path("other.tape"), 8, BLOCKS);
    whole = image_load(test_path("whole.tape"));
    other = image_load(test_path("other.tape"));
    return whole.blocks == ALL && other.blocks == ALL ? 0 : -1;
}

static int drop_tapes(void **state)
{
    free(whole.p);
    free(other.p);
    return test_dir_remove(state);
}

/* Puts the file together from whole blocks of `whole` in the order given. */
static struct image arrange(const int *order, size_t n)
{
    struct image m = image_copy(&whole);
    m.n = 80;
    for (size_t i = 0; i < n; i++) {
        size_t from = whole.block_at[order[i]], bytes = image_block_bytes(&whole, (size_t)order[i]);
        memcpy(m.p + m.n, whole.p + from, bytes);
        m.n += bytes;
    }
    size_t index = whole.n - whole.block_at[ALL];
    memcpy(m.p + m.n, whole.p + whole.block_at[ALL], index);
    m.n += index;
    image_find_blocks(&m);
    return m;
}

/* Puts a whole block of another tape in the place of one of this. */
static void replace_block(struct image *m, size_t block, const struct image *from, size_t other_block)
{
    size_t at = m->block_at[block], rest = m->block_at[block + 1], n = image_block_bytes(from, other_block);
    memmove(m->p + at + n, m->p + rest, m->n - rest);
    m->n = m->n - rest + at + n;
    memcpy(m->p + at, from->p + from->block_at[other_block], n);
    image_find_blocks(m);
}

#define B(n) (1u << (n))
#define EVERY (B(ALL) - 1)

/* `named`: what the flaw is called; `salvaged`: bits of the blocks that salvage gives back. */
static void expect_edited(const struct image *m, uint64_t blocks, unsigned salvaged, const char *named)
{
    struct seen s = test_read_image(m, READER_PREFIX);
    test_expect(&s, READER_EDITED, blocks, named);
    assert_int_equal(s.outcome, TT_END);
    if (!strstr(s.report.flaw.line, named))
        fail_msg("'%s' does not say '%s'", s.report.flaw.line, named);
    s = test_read_image(m, READER_STRICT);
    assert_true(s.outcome == TT_CHAIN || s.outcome == TT_MALFORMED);
    assert_string_equal(s.error.line, s.report.flaw.line);
    s = test_read_image(m, READER_SALVAGE);
    assert_int_equal(s.report.state, READER_EDITED);
    assert_non_null(strstr(s.report.flaw.line, named));
    if (s.given != salvaged)
        fail_msg("%s: salvage gives blocks %x, not %x", named, s.given, salvaged);
}

static void blocks_dropped_swapped_doubled(void **state)
{
    (void)state;
    struct image m = arrange((int[]){0, 1, 3, 4, 5}, 5);
    expect_edited(&m, 2, EVERY - B(2), "it is missing: block 3 stands here");
    free(m.p);
    m = arrange((int[]){0, 4, 5}, 3);
    expect_edited(&m, 1, B(0) | B(4) | B(5), "blocks 1 to 3 are missing: block 4 stands here");
    free(m.p);
    m = arrange((int[]){1, 2, 3, 4, 5}, 5);
    expect_edited(&m, 0, EVERY - B(0), "it is missing: block 1 stands here");
    free(m.p);
    m = arrange((int[]){0, 1, 2, 3, 4}, 5);
    expect_edited(&m, 5, EVERY - B(5), "END is missing before it: blocks were taken out");
    free(m.p);
    m = arrange((int[]){0, 1, 3, 2, 4, 5}, 6);
    expect_edited(&m, 2, EVERY - B(3), "block 3 stands here, before it: order was changed");
    free(m.p);
    m = arrange((int[]){4, 1, 2, 3, 0, 5}, 6);
    expect_edited(&m, 0, EVERY - B(0) - B(4), "block 0 at byte 80: block 4 stands here, before it: order was changed");
    free(m.p);
    m = arrange((int[]){0, 1, 2, 2, 3, 4, 5}, 7);
    expect_edited(&m, 3, EVERY, "block 2 stands here once more");
    free(m.p);
    m = arrange((int[]){0, 1, 2, 3, 4, 5, 5}, 7);
    expect_edited(&m, 6, EVERY, "behind END at byte");
    free(m.p);
}

/* The same with numbers, chain and CRCs made anew: only INDEX and head tell. */
static void a_forged_chain_contradicts_the_index(void **state)
{
    (void)state;
    struct image m = arrange((int[]){0, 1, 3, 4, 5}, 5);
    image_forge_chain(&m);
    expect_edited(&m, 5, EVERY - B(2), "its counts or head hash contradict the blocks");
    m.n = m.block_at[5]; /* INDEX cut off: now only a head can tell */
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_COMPLETE, 5, "chained anew without INDEX");
    uint8_t head[32];
    image_hash(&whole, whole.block_at[ALL - 1], whole.block_at[ALL], head);
    struct reader_options o = {.expected_head = head};
    s = test_read_tape(test_path("image.tape"), &o);
    test_expect(&s, READER_EDITED, 5, "chained anew against the head");
    free(m.p);
}

static void a_changed_byte_with_crcs_made_good(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    size_t at = whole.block_at[2];
    m.p[at + 96 - 33] ^= 1; /* previous hash */
    image_seal(&m, at);
    expect_edited(&m, 2, EVERY, "its hash of block 1 differs: one was changed");
    memcpy(m.p, whole.p, whole.n);
    m.p[at + 20] = 9; /* sequence */
    image_seal(&m, at);
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_EDITED, 2, "sequence changed");
    memcpy(m.p, whole.p, whole.n);
    m.p[at + 16] ^= 1; /* salt */
    image_seal(&m, at);
    expect_edited(&m, 2, EVERY - B(2), "a block of another tape");
    memcpy(m.p, whole.p, whole.n);
    m.p[at + 44] ^= 1; /* least time */
    image_seal(&m, at);
    expect_edited(&m, 2, EVERY - B(2), "times of its records contradict its header");
    memcpy(m.p, whole.p, whole.n);
    m.p[at + 36] ^= 1; /* records */
    image_seal(&m, at);
    expect_edited(&m, 2, EVERY - B(2), "it holds 3 records, its header says 2");
    memcpy(m.p, whole.p, whole.n);
    m.p[at + 42] ^= 1; /* a compatible flag: allowed, but it breaks the chain behind it */
    image_seal(&m, at);
    expect_edited(&m, 3, EVERY, "its hash of block 2 differs: one was changed");
    free(m.p);
}

static void lengths_that_cannot_be(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    size_t at = whole.block_at[2];
    static const uint32_t lengths[] = {0, (1u << 20) + (1u << 12) + 1, 0x7fffffff, 0xffffffff};
    for (size_t i = 0; i < 4; i++) {
        tt_put_u32(m.p + at + 28, lengths[i]);
        tt_put_u32(m.p + at + 96, crc32c(m.p + at, 96));
        struct seen s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_DAMAGED, 2, "compressed length");
        memcpy(m.p, whole.p, whole.n);
    }
    static const uint32_t raw[] = {0, (1u << 20) + 1, 0xffffffff, 17};
    for (size_t i = 0; i < 4; i++) {
        tt_put_u32(m.p + at + 32, raw[i]);
        image_seal(&m, at);
        struct seen s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_DAMAGED, 2, "raw length");
        memcpy(m.p, whole.p, whole.n);
    }
    tt_put_u32(m.p + at + 36, 0);
    image_seal(&m, at);
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_DAMAGED, 2, "no records");
    free(m.p);
}

static void foreign_blocks_and_headers(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    memcpy(m.p, other.p, 80);
    expect_edited(&m, 0, 0, "a block of another tape: the FILE header belongs to another one");
    memcpy(m.p, whole.p, whole.n);
    m.p[60] ^= 1; /* its own, with another base */
    tt_put_u32(m.p + 76, crc32c(m.p, 76));
    expect_edited(&m, 0, EVERY, "its hash of the FILE header differs: one was changed");
    memcpy(m.p, whole.p, whole.n);
    replace_block(&m, 2, &other, 2);
    expect_edited(&m, 2, EVERY - B(2), "block 2 at byte");
    free(m.p);
    m = image_copy(&whole);
    memcpy(m.p, whole.p, whole.n);
    memcpy(m.p + whole.n, other.p, other.n);
    m.n = whole.n + other.n;
    expect_edited(&m, 6, EVERY, "another tape begins here: two were joined");
    m.n = whole.block_at[3];
    memcpy(m.p + m.n, other.p, other.n);
    m.n += other.n;
    expect_edited(&m, 3, B(0) | B(1) | B(2), "another tape begins here: two were joined");
    free(m.p);
}

static void trailing_bytes(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    memset(m.p + m.n, 'x', 300);
    for (size_t n = 1; n < 300; n += 37) {
        m.n = whole.n + n;
        struct seen s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_DAMAGED, 6, "bytes behind INDEX");
        memset(m.p + whole.block_at[ALL], 'x', 300);
        m.n = whole.block_at[ALL] + n;
        s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_DAMAGED, 6, "bytes behind END");
        memcpy(m.p, whole.p, whole.n);
    }
    memcpy(m.p + whole.n, whole.p + whole.block_at[ALL - 1], image_block_bytes(&whole, ALL - 1));
    m.n = whole.n + image_block_bytes(&whole, ALL - 1);
    expect_edited(&m, 6, EVERY, "behind INDEX at byte");
    memcpy(m.p + whole.n, whole.p + whole.block_at[ALL], whole.n - whole.block_at[ALL]);
    m.n = whole.n + (whole.n - whole.block_at[ALL]);
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_DAMAGED, 6, "INDEX doubled");
    free(m.p);
}

static void seal_index(struct image *m)
{
    size_t at = m->block_at[ALL];
    uint32_t crc = crc32c(m->p + at, m->n - 20 - at);
    tt_put_u32(m->p + m->n - 20, crc32c_add(crc, m->p + m->n - 16, 16));
}

static void a_forged_index(void **state)
{
    (void)state;
    for (size_t at = whole.block_at[ALL] + 16; at < whole.n - 20; at++) {
        struct image m = image_copy(&whole);
        m.p[at] ^= 0x20;
        seal_index(&m);
        struct seen s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_EDITED, ALL, "INDEX changed");
        assert_false(s.report.has_index);
        free(m.p);
    }
    static const uint32_t lengths[] = {0, 83, 84, 332, 5000, 64u << 20, 0xffffffff};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct image m = image_copy(&whole);
        tt_put_u32(m.p + whole.block_at[ALL] + 4, lengths[i]);
        seal_index(&m);
        struct seen s = test_read_image(&m, READER_PREFIX);
        bool genuine = lengths[i] + 8 == whole.n - whole.block_at[ALL];
        test_expect(&s, genuine ? READER_COMPLETE : READER_DAMAGED, ALL, "INDEX of another length");
        free(m.p);
    }
    struct image m = image_copy(&whole);
    tt_put_u64(m.p + m.n - 16, 80);
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_DAMAGED, ALL, "pointer back changed");
    seal_index(&m);
    s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_EDITED, ALL, "pointer back forged");
    free(m.p);
}

/* Replaces the content of the block `at` by `raw` and chains all anew. */
static void forge_content(struct image *m, size_t block, const void *raw, size_t n, uint32_t records)
{
    struct zframe_packer *z;
    uint8_t packed[4096];
    size_t len;
    assert_int_equal(zframe_packer_create(&z, NULL), TT_OK);
    assert_int_equal(zframe_pack(z, tt_view_of(raw, n), packed, sizeof(packed), &len, NULL), TT_OK);
    zframe_packer_free(z);
    size_t at = m->block_at[block], rest = m->block_at[block + 1];
    memmove(m->p + at + 100 + len, m->p + rest, m->n - rest);
    m->n = m->n - rest + at + 100 + len;
    memcpy(m->p + at + 100, packed, len);
    tt_put_u32(m->p + at + 28, (uint32_t)len);
    tt_put_u32(m->p + at + 32, (uint32_t)n);
    tt_put_u32(m->p + at + 36, records);
    memset(m->p + at + 44, 0xff, 16); /* no times */
    image_forge_chain(m);
}

static struct seen read_forged(const void *raw, size_t n, uint32_t records)
{
    struct image m = image_copy(&whole);
    forge_content(&m, 2, raw, n, records);
    struct seen s = test_read_image(&m, READER_PREFIX);
    free(m.p);
    return s;
}

static void forged_records(void **state)
{
    (void)state;
    struct seen s = read_forged("\x92\xcc\xc8\x01\x93\xcc\x80\xc0\xc0", 9, 2);
    assert_int_equal(s.report.unknown_records, 2);
    test_expect(&s, READER_EDITED, 6, "unknown kinds are passed, the INDEX tells");
    s = read_forged("\x92\xcc\xc8\x01", 4, 2);
    test_expect(&s, READER_EDITED, 2, "one record of two");
    s = read_forged("\x92\xcc\xc8\x01\x92", 5, 1);
    test_expect(&s, READER_EDITED, 2, "a record cut off");
    s = read_forged("\x92\x7f\x01", 3, 1);
    assert_int_equal(s.outcome, TT_VERSION);
    assert_int_equal(s.report.blocks, 2);
    assert_non_null(strstr(s.error.line, "version 1.1"));
    s = read_forged("\xc1\xc1\xc1", 3, 1);
    test_expect(&s, READER_EDITED, 2, "no msgpack");
    s = read_forged("\xdd\xff\xff\xff\xff", 5, 1);
    test_expect(&s, READER_EDITED, 2, "an array bomb");
    s = read_forged("\x99\x11\x00\xa0\x00\x00\x00\x00\x00\x00\x92\xcc\xc8\x01", 14, 2);
    test_expect(&s, READER_EDITED, 2, "a record behind END");
}

/* FILE header with changed version or flags and a good CRC. */
static void versions_and_flags(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        enum tt_status want;
    } cases[] = {{16, TT_VERSION}, {18, TT_OK}, {20, TT_OK}, {24, TT_VERSION}, {27, TT_VERSION}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct image m = image_copy(&whole);
        m.p[cases[i].at] ^= 0x40;
        tt_put_u32(m.p + 76, crc32c(m.p, 76));
        struct seen s = test_read_image(&m, READER_PREFIX);
        assert_int_equal(s.opened, cases[i].want);
        if (s.opened == TT_OK)
            test_expect(&s, READER_EDITED, 0, "FILE header changed");
        else
            assert_non_null(strstr(s.error.line, cases[i].at == 16 ? "version 65.1" : "version 1.1"));
        free(m.p);
    }
    struct image m = image_copy(&whole);
    m.p[whole.block_at[1] + 40] = 1; /* an incompatible flag */
    image_seal(&m, whole.block_at[1]);
    struct seen s = test_read_image(&m, READER_PREFIX);
    assert_int_equal(s.outcome, TT_VERSION);
    m.p[whole.block_at[1] + 40] = 0;
    m.p[whole.block_at[1] + 12] = 2; /* block version */
    image_seal(&m, whole.block_at[1]);
    s = test_read_image(&m, READER_PREFIX);
    assert_int_equal(s.outcome, TT_VERSION);
    free(m.p);
}

/* A later minor version may make the FILE header longer. */
static void a_longer_file_header(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    m.n = 80 + 12;
    m.p[18] = 3;
    tt_put_u32(m.p + 4, 72 + 12);
    memset(m.p + 76, 0xaa, 12);
    tt_put_u32(m.p + 88, crc32c(m.p, 88));
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_TORN, 0, "longer FILE header");
    assert_int_equal(s.report.minor, 3);
    uint8_t head[32];
    image_hash(&m, 0, 92, head);
    assert_memory_equal(head, s.report.head, 32);
    free(m.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_dropped_swapped_doubled),
        cmocka_unit_test(a_forged_chain_contradicts_the_index),
        cmocka_unit_test(a_changed_byte_with_crcs_made_good),
        cmocka_unit_test(lengths_that_cannot_be),
        cmocka_unit_test(foreign_blocks_and_headers),
        cmocka_unit_test(trailing_bytes),
        cmocka_unit_test(a_forged_index),
        cmocka_unit_test(forged_records),
        cmocka_unit_test(versions_and_flags),
        cmocka_unit_test(a_longer_file_header),
    };
    return cmocka_run_group_tests(tests, make_tapes, drop_tapes);
}
