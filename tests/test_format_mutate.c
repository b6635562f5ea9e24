/* A seeded mutator that knows the format: bad content under CRCs and hashes that
 * hold, and bad bytes anywhere. The reader must end, stay in its bounds (run it
 * with the sanitizers), and never call a changed tape complete. */
#include "test_format_tapes.h"

#include "../format/zframe.h"
#include "fuzz/mutate.h"

#define ROUNDS 1500

static struct image whole;
static struct mutate_rng rng = {20240607};

static uint32_t draw(uint32_t below)
{
    return mutate_draw(&rng, below);
}

static int make_whole(void **state)
{
    if (test_dir_make(state) != 0)
        return -1;
    test_write_tape(test_path("whole.tape"), 7, 4);
    whole = image_load(test_path("whole.tape"));
    return 0;
}

static int drop_whole(void **state)
{
    free(whole.p);
    return test_dir_remove(state);
}

static void read_every_way(const struct image *m, bool changed)
{
    static const enum reader_mode modes[] = {READER_PREFIX, READER_STRICT, READER_SALVAGE};
    for (int i = 0; i < 3; i++) {
        struct seen s = test_read_image(m, modes[i]);
        if (s.opened != TT_OK)
            continue;
        assert_int_equal(s.records <= s.report.records, 1);
        assert_true(s.report.accepted_bytes <= s.report.file_bytes);
        assert_null(strpbrk(s.report.flaw.line, "\n\x1b"));
        if (changed)
            assert_true(s.report.state != READER_COMPLETE || s.outcome == TT_VERSION);
    }
}

static void bytes_anywhere(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct image m = image_copy(&whole);
        mutate_bytes(&rng, m.p, &m.n, m.n + 4096);
        bool changed = m.n != whole.n || memcmp(m.p, whole.p, m.n) != 0;
        bool cut_to_end = m.n == whole.block_at[whole.blocks] && memcmp(m.p, whole.p, m.n) == 0;
        read_every_way(&m, changed && !cut_to_end);
        free(m.p);
    }
}

/* Unpacks a block, changes its records, packs and chains all again. */
static void records_under_good_hashes(void **state)
{
    (void)state;
    struct zframe_packer *z;
    struct zframe_unpacker *u;
    static uint8_t raw[1 << 20], packed[TAPE_MAX_PACKED_BLOCK_BYTES];
    assert_int_equal(zframe_packer_create(&z, NULL), TT_OK);
    assert_int_equal(zframe_unpacker_create(&u, NULL), TT_OK);
    for (int round = 0; round < ROUNDS; round++) {
        struct image m = image_copy(&whole);
        size_t block = draw((uint32_t)m.blocks), at = m.block_at[block], rest = m.block_at[block + 1], len;
        size_t n = tt_get_u32(m.p + at + 32), before = n;
        struct tt_view content = tt_view_of(m.p + at + 100, rest - at - 100);
        assert_int_equal(zframe_unpack(u, content, n, raw, sizeof(raw), NULL), TT_OK);
        mutate_bytes(&rng, raw, &n, before + 64);
        assert_int_equal(zframe_pack(z, tt_view_of(raw, n), packed, sizeof(packed), &len, NULL), TT_OK);
        memmove(m.p + at + 100 + len, m.p + rest, m.n - rest);
        m.n = m.n - rest + at + 100 + len;
        memcpy(m.p + at + 100, packed, len);
        tt_put_u32(m.p + at + 28, (uint32_t)len);
        tt_put_u32(m.p + at + 32, (uint32_t)n);
        image_forge_chain(&m);
        read_every_way(&m, m.n != whole.n || memcmp(m.p, whole.p, m.n) != 0);
        free(m.p);
    }
    zframe_packer_free(z);
    zframe_unpacker_free(u);
}

/* Header fields changed, CRC made good. */
static void headers_under_good_crcs(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct image m = image_copy(&whole);
        size_t at = m.block_at[draw((uint32_t)m.blocks)] + 8;
        uint8_t before[88];
        memcpy(before, m.p + at, sizeof(before));
        size_t n = 88;
        mutate_bytes(&rng, m.p + at, &n, n);
        bool changed = memcmp(before, m.p + at, sizeof(before)) != 0;
        tt_put_u32(m.p + at + 88, crc32c(m.p + at - 8, 96));
        read_every_way(&m, changed);
        free(m.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_anywhere),
        cmocka_unit_test(records_under_good_hashes),
        cmocka_unit_test(headers_under_good_crcs),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
