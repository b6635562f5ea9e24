/* zstd frames: round trip, and frames that claim more than they hold. The status
 * lines and the record table ride along at the end. */
#include "test_format_tapes.h"

#include "../format/zframe.h"

static uint8_t raw[TAPE_MAX_RAW_BLOCK_BYTES], packed[TAPE_MAX_PACKED_BLOCK_BYTES], out[TAPE_MAX_RAW_BLOCK_BYTES];

static size_t pack_raw(size_t n)
{
    struct zframe_packer *z;
    size_t len;
    assert_int_equal(zframe_packer_create(&z, NULL), TT_OK);
    assert_int_equal(zframe_pack(z, tt_view_of(raw, n), packed, sizeof(packed), &len, NULL), TT_OK);
    zframe_packer_free(z);
    return len;
}

/* From a copy of just the right size, so that a sanitizer sees a read too far. */
static enum tt_status unpack(const void *bytes, size_t n, size_t raw_bytes)
{
    struct zframe_unpacker *z;
    struct tt_error err = {0};
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, bytes, n);
    assert_int_equal(zframe_unpacker_create(&z, NULL), TT_OK);
    enum tt_status st = zframe_unpack(z, tt_view_of(copy, n), raw_bytes, out, sizeof(out), &err);
    zframe_unpacker_free(z);
    free(copy);
    assert_int_equal(err.code, st);
    return st;
}

static void round_trips(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 255, 256, 257, 65536, 262143, TAPE_MAX_RAW_BLOCK_BYTES};
    uint32_t seed = 7;
    for (size_t i = 0; i < sizeof(raw); i++) {
        seed = seed * 1664525u + 1013904223u;
        raw[i] = (uint8_t)(seed >> 24);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t n = pack_raw(sizes[i]);
        assert_int_equal(unpack(packed, n, sizes[i]), TT_OK);
        assert_memory_equal(out, raw, sizes[i]);
        assert_int_equal(unpack(packed, n, sizes[i] - 1), TT_MALFORMED);
        assert_int_equal(unpack(packed, n - 1, sizes[i]), TT_MALFORMED);
    }
}

static void every_cut_and_flip_is_refused(void **state)
{
    (void)state;
    memset(raw, 'a', 3000);
    memcpy(raw + 1000, "something else", 14);
    size_t n = pack_raw(3000);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(unpack(packed, cut, 3000), TT_MALFORMED);
    for (size_t at = 0; at < n; at++) {
        for (int bit = 0; bit < 8; bit++) {
            packed[at] ^= (uint8_t)(1 << bit);
            enum tt_status st = unpack(packed, n, 3000);
            assert_true(st != TT_OK || memcmp(out, raw, 3000) == 0);
            packed[at] ^= (uint8_t)(1 << bit);
        }
    }
}

static void one_frame_and_no_more(void **state)
{
    (void)state;
    memset(raw, 'a', 100);
    size_t n = pack_raw(100);
    memcpy(packed + n, packed, n);
    assert_int_equal(unpack(packed, 2 * n, 100), TT_MALFORMED);
    assert_int_equal(unpack(packed, 2 * n, 200), TT_MALFORMED);
    memcpy(packed + n, "\x50\x2a\x4d\x18\0\0\0\0", 8);
    assert_int_equal(unpack(packed, n + 8, 100), TT_MALFORMED);
}

/* Frames built by hand, per RFC 8878: magic, descriptor, window, content size,
 * one RLE block. */
static void claims_move_nothing(void **state)
{
    (void)state;
    /* 1 GiB claimed by 8-byte content size, single segment, an RLE block of 128 KiB */
    static const uint8_t bomb[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe4, 0,   0, 0, 0x40, 0, 0,
                                   0,    0,    0x03, 0,    0x10, 'a', 0, 0, 0,    0};
    assert_int_equal(unpack(bomb, sizeof(bomb), 1 << 30), TT_MALFORMED);
    assert_int_equal(unpack(bomb, sizeof(bomb), 1 << 17), TT_MALFORMED);
    /* a window of 2^31 and a size of 4 bytes */
    static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0x84, 0xa8, 4, 0, 0, 0, 0x23, 0, 0, 'a', 0, 0, 0, 0};
    assert_int_equal(unpack(window, sizeof(window), 4), TT_LIMIT);
    /* no checksum; a dictionary */
    static const uint8_t bare[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x23, 0, 0, 'a'};
    assert_int_equal(unpack(bare, sizeof(bare), 4), TT_MALFORMED);
    static const uint8_t dictionary[] = {0x28, 0xb5, 0x2f, 0xfd, 0x25, 9, 4, 0x23, 0, 0, 'a', 0, 0, 0, 0};
    assert_int_equal(unpack(dictionary, sizeof(dictionary), 4), TT_MALFORMED);
}

static void status_lines(void **state)
{
    (void)state;
    struct tt_error err;
    assert_int_equal(tt_fail(&err, TT_CRC, 7, "bad %s\n\x1b[31m", "thing\x7f\xc2\x9b"), TT_CRC);
    assert_string_equal(err.line, "bad thing?????[31m");
    assert_int_equal(err.offset, 7);
    assert_int_equal(tt_wrap(&err, "cannot open %s", "x\ty"), TT_CRC);
    assert_string_equal(err.line, "cannot open x?y: bad thing?????[31m");
    char lengthy[2000];
    memset(lengthy, 'l', sizeof(lengthy));
    lengthy[sizeof(lengthy) - 1] = '\0';
    tt_wrap(&err, "%s", lengthy);
    assert_int_equal(strlen(err.line), sizeof(err.line) - 1);
    assert_int_equal(tt_fail(NULL, TT_IO, 0, "x"), TT_IO);
    assert_string_equal(tt_status_name(TT_CHAIN), "chain");
    assert_string_equal(tt_status_name((enum tt_status)99), "unknown");
    assert_string_equal(reader_state_name(READER_CUT), "cut");
}

static void the_record_table_is_the_document(void **state)
{
    (void)state;
    int fd = open("format/RECORDS.md", O_RDONLY);
    if (fd < 0)
        skip(); /* not run from the top of the tree */
    static char text[65536];
    ssize_t n = read(fd, text, sizeof(text));
    close(fd);
    assert_int_equal(n, strlen(record_table_text));
    assert_memory_equal(text, record_table_text, (size_t)n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),           cmocka_unit_test(every_cut_and_flip_is_refused),
        cmocka_unit_test(one_frame_and_no_more), cmocka_unit_test(claims_move_nothing),
        cmocka_unit_test(status_lines),          cmocka_unit_test(the_record_table_is_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
