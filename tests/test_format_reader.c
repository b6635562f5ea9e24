/* What the reader makes of whole, cut, damaged and edited tapes. */
#include "test_format_tapes.h"

#define BLOCKS 5 /* of READs; with END it is one more */
#define ALL (BLOCKS + 1)

static struct image whole;

static int make_whole(void **state)
{
    if (test_dir_make(state) != 0)
        return -1;
    test_write_tape(test_path("whole.tape"), 7, BLOCKS);
    whole = image_load(test_path("whole.tape"));
    return whole.blocks == ALL ? 0 : -1;
}

static int drop_whole(void **state)
{
    free(whole.p);
    return test_dir_remove(state);
}

static void a_whole_tape_is_complete(void **state)
{
    (void)state;
    struct reader_options strict = {.mode = READER_STRICT};
    struct seen s = test_read_tape(test_path("whole.tape"), &strict);
    test_expect(&s, READER_COMPLETE, ALL, "whole");
    assert_int_equal(s.outcome, TT_END);
    assert_int_equal(s.records, 1 + 3 * BLOCKS + 1);
    assert_int_equal(s.report.records, s.records);
    assert_int_equal(s.reads, 3 * BLOCKS);
    assert_true(s.report.has_index && s.report.has_end);
    assert_int_equal(s.report.major, 1);
    assert_int_equal(s.report.tape_id[15], 7);
    assert_int_equal(s.report.base_monotonic_ns, 1000);
    assert_int_equal(s.report.base_realtime_ns, 2000);
    assert_int_equal(s.report.first_time_ns, 10 * MS);
    assert_int_equal(s.report.last_time_ns, 10 * MS * (3 * BLOCKS + 1));
    assert_int_equal(s.report.file_bytes, whole.n);
    assert_int_equal(s.report.accepted_bytes, whole.block_at[ALL]);
    assert_int_equal(s.report.unknown_records, 0);
    uint8_t head[32];
    image_hash(&whole, whole.block_at[ALL - 1], whole.block_at[ALL], head);
    assert_memory_equal(head, s.report.head, 32);
}

static void positions_are_evidence(void **state)
{
    (void)state;
    struct reader *r;
    struct tape_record rec;
    assert_int_equal(reader_open(&r, test_path("whole.tape"), NULL, NULL), TT_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(reader_next(r, &rec, NULL), TT_OK);
    struct reader_position p = reader_position(r); /* SCHEMA and 3, then the second of block 1 */
    assert_int_equal(p.record, 5);
    assert_int_equal(p.block, 1);
    assert_int_equal(p.block_offset, whole.block_at[1]);
    assert_true(p.in_block > 0);
    reader_free(r);
    reader_free(NULL);
}

/* The file cut at `n`: which blocks are whole, and what is the rest? */
static void expect_cut(const struct image *tape, size_t n)
{
    struct image m = *tape;
    char what[64];
    m.n = n;
    size_t blocks = 0;
    while (blocks < m.blocks && m.block_at[blocks + 1] <= n)
        blocks++;
    bool ended = blocks == m.blocks, all = n == m.block_at[blocks] ? ended : n == tape->n;
    snprintf(what, sizeof(what), "cut at %zu of %zu", n, tape->n);
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, all ? READER_COMPLETE : READER_TORN, blocks, what);
    assert_int_equal(s.outcome, TT_END);
    assert_int_equal(s.report.has_end, ended);
    assert_int_equal(s.report.accepted_bytes, m.block_at[blocks]);
    assert_int_equal(s.records, s.report.records);
    if (!all)
        assert_int_equal(s.report.flaw.code, TT_TRUNCATED);
    s = test_read_image(&m, READER_STRICT);
    assert_int_equal(s.outcome, all ? TT_END : TT_TRUNCATED);
    s = test_read_image(&m, READER_SALVAGE);
    assert_int_equal(s.report.blocks, blocks);
    assert_int_equal(s.report.state, all ? READER_COMPLETE : READER_TORN);
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t n = whole.block_at[ALL - 3]; n <= whole.n; n++)
        expect_cut(&whole, n);
    for (size_t n = 80; n < whole.block_at[0] + 120; n++)
        expect_cut(&whole, n);
}

/* A recorded one: never a part of a block accepted, never a whole one lost. */
static void a_fixture_cut_at_every_byte(void **state)
{
    (void)state;
    if (access("fixtures/good/failures.tape", R_OK) != 0)
        skip(); /* not run from the top of the tree */
    struct image m = image_load("fixtures/good/failures.tape");
    assert_true(m.blocks > 3);
    for (size_t n = m.block_at[m.blocks - 3]; n <= m.n; n++)
        expect_cut(&m, n);
    print_message("# figure: %zu cuts\n", m.n + 1 - m.block_at[m.blocks - 3]);
    free(m.p);
}

static void shorter_than_its_header(void **state)
{
    (void)state;
    for (size_t n = 0; n < 80; n++) {
        struct image m = whole;
        m.n = n;
        struct seen s = test_read_image(&m, READER_PREFIX);
        assert_int_equal(s.opened, n == 0 ? TT_FOREIGN : TT_TRUNCATED);
        assert_null(strchr(s.error.line, '\n'));
    }
}

/* The tail of the file as a power loss leaves it: size there, bytes not. */
static void zero_filled_tail(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    size_t edge = whole.block_at[3];
    memset(m.p + edge, 0, 8192);
    m.n = edge + 1;
    struct seen s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_TORN, 3, "one zero");
    m.n = edge + 8192;
    s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_TORN, 3, "zeros from a block edge");
    for (size_t kept = 10; kept < 150; kept += 23) {
        memcpy(m.p + edge, whole.p + edge, kept); /* some of the block came through */
        s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_TORN, 3, "zeros from inside a block");
    }
    m.p[edge + 8191] = 1;
    s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_DAMAGED, 3, "not all zeros");
    memcpy(m.p, whole.p, whole.n);
    memset(m.p + whole.block_at[ALL] + 80, 0, 4096);
    m.n = whole.block_at[ALL] + 4096;
    s = test_read_image(&m, READER_PREFIX);
    test_expect(&s, READER_TORN, ALL, "zeros from inside INDEX");
    free(m.p);
}

/* What a flipped bit at this place of a block is called. */
static const char *flip_is_called(size_t in_block)
{
    bool in_magic = in_block < 12; /* skippable head and tag */
    return in_magic ? "no BLOCK header here" : in_block < 100 ? "CRC32C of its header differs" : "CRC32C differs";
}

/* Every bit of one block and of the INDEX. */
static void flipped_bits_are_damage(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    for (size_t at = whole.block_at[2]; at < whole.block_at[3]; at++) {
        for (int bit = 0; bit < 8; bit++) {
            m.p[at] ^= (uint8_t)(1 << bit);
            struct seen s = test_read_image(&m, READER_PREFIX);
            test_expect(&s, READER_DAMAGED, 2, "flipped bit");
            assert_int_equal(s.report.flaw.offset, whole.block_at[2]);
            assert_non_null(strstr(s.report.flaw.line, flip_is_called(at - whole.block_at[2])));
            s = test_read_image(&m, READER_SALVAGE);
            assert_int_equal(s.given, (1u << ALL) - 1 - (1u << 2));
            m.p[at] ^= (uint8_t)(1 << bit);
        }
    }
    for (size_t at = whole.block_at[ALL]; at < whole.n; at++) {
        m.p[at] ^= (uint8_t)(1 << at % 8);
        struct seen s = test_read_image(&m, READER_PREFIX);
        test_expect(&s, READER_DAMAGED, ALL, "flipped bit in INDEX");
        assert_false(s.report.has_index);
        size_t in_index = at - whole.block_at[ALL];
        bool in_magic = in_index < 12 && (in_index < 4 || in_index >= 8);
        assert_non_null(strstr(s.report.flaw.line, in_magic ? "is no part of a tape" : "INDEX at byte"));
        m.p[at] ^= (uint8_t)(1 << at % 8);
    }
    free(m.p);
}

static void flipped_bits_in_the_file_header(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    for (size_t at = 0; at < 80; at++) {
        for (int bit = 0; bit < 8; bit++) {
            m.p[at] ^= (uint8_t)(1 << bit);
            struct seen s = test_read_image(&m, READER_PREFIX);
            bool is_magic = at < 4 || (at >= 8 && at < 16);
            if (is_magic)
                assert_int_equal(s.opened, TT_FOREIGN);
            else
                assert_true(s.opened == TT_CRC || (at < 8 && s.opened == TT_TRUNCATED));
            m.p[at] ^= (uint8_t)(1 << bit);
        }
    }
    free(m.p);
}

static void salvage_steps_over_a_bad_block(void **state)
{
    (void)state;
    for (size_t block = 0; block < BLOCKS; block++) {
        struct image m = image_copy(&whole);
        m.p[whole.block_at[block] + 130] ^= 1;
        struct seen s = test_read_image(&m, READER_SALVAGE);
        test_expect(&s, READER_DAMAGED, ALL - 1, "salvage over a bad payload");
        assert_int_equal(s.outcome, TT_END);
        assert_int_equal(s.reads, 3 * (BLOCKS - 1));
        assert_int_equal(s.report.gaps, 1);
        assert_int_equal(s.report.gap_bytes, image_block_bytes(&whole, block));
        assert_true(s.report.has_index);
        m.p[whole.block_at[block] + 30] ^= 1;
        s = test_read_image(&m, READER_SALVAGE);
        test_expect(&s, READER_DAMAGED, ALL - 1, "salvage over a bad header");
        s = test_read_image(&m, READER_STRICT);
        assert_int_equal(s.outcome, TT_CRC);
        assert_int_equal(s.report.blocks, block);
        free(m.p);
    }
}

/* Bytes that look like the beginning of a block, and headers that hold without a
 * block behind them, are passed over. */
static void salvage_is_not_led_astray(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    size_t at = whole.block_at[2], n = 0;
    for (int i = 0; i < 5000; i++, n += 20)
        memcpy(m.p + at + n, whole.p + at, 20);
    for (int i = 0; i < 50; i++, n += 100)
        memcpy(m.p + at + n, whole.p + whole.block_at[3], 100);
    memcpy(m.p + at + n, whole.p + whole.block_at[3], whole.n - whole.block_at[3]);
    m.n = at + n + whole.n - whole.block_at[3];
    struct seen s = test_read_image(&m, READER_SALVAGE);
    test_expect(&s, READER_DAMAGED, ALL - 1, "false starts");
    assert_int_equal(s.report.gap_bytes, n);
    free(m.p);
}

static void error_lines_tell_where(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    char want[128];
    m.p[whole.block_at[3] + 110] ^= 1;
    struct seen s = test_read_image(&m, READER_STRICT);
    snprintf(want, sizeof(want), "block 3 at byte %zu: CRC32C differs (stored 0x%08x, computed 0x", whole.block_at[3],
             (unsigned)tt_get_u32(m.p + whole.block_at[3] + 92));
    assert_memory_equal(s.error.line, want, strlen(want));
    assert_int_equal(s.error.offset, whole.block_at[3]);
    free(m.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_tape_is_complete),
        cmocka_unit_test(positions_are_evidence),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(a_fixture_cut_at_every_byte),
        cmocka_unit_test(shorter_than_its_header),
        cmocka_unit_test(zero_filled_tail),
        cmocka_unit_test(flipped_bits_are_damage),
        cmocka_unit_test(flipped_bits_in_the_file_header),
        cmocka_unit_test(salvage_steps_over_a_bad_block),
        cmocka_unit_test(salvage_is_not_led_astray),
        cmocka_unit_test(error_lines_tell_where),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
