/* FORMAT.md and the code say the same: its tiny tape is read, its limits are ours. */
#include "test_format_tapes.h"

#include "../format/header.h"
#include "../format/index.h"

static char document[1 << 16];

static int load_document(void **state)
{
    int fd = open("format/FORMAT.md", O_RDONLY);
    if (fd >= 0) {
        ssize_t n = read(fd, document, sizeof(document) - 1);
        close(fd);
        if (n < 0)
            return -1;
    }
    return test_dir_make(state);
}

static void need_document(void)
{
    if (!document[0])
        skip(); /* not run from the top of the tree */
}

/* The bytes of the ```hex chapter: lines of an offset and up to 16 bytes. */
static struct image tiny_tape(void)
{
    struct image m = {.p = malloc(4096)};
    const char *p = strstr(document, "```hex\n");
    assert_non_null(p);
    for (p += 7; *p != '`'; p = strchr(p, '\n') + 1) {
        char *at;
        assert_int_equal(strtoul(p, &at, 16), m.n);
        for (unsigned i = 0; i < 16 && *at != '\n'; i++)
            m.p[m.n++] = (uint8_t)strtoul(at, &at, 16);
    }
    image_find_blocks(&m);
    return m;
}

static void the_tiny_tape_is_read(void **state)
{
    (void)state;
    need_document();
    struct image m = tiny_tape();
    struct seen s = test_read_image(&m, READER_STRICT);
    test_expect(&s, READER_COMPLETE, 2, "tiny tape");
    assert_int_equal(s.records, 4);
    assert_int_equal(s.report.first_time_ns, 5000);
    assert_int_equal(s.report.last_time_ns, 90000);
    assert_int_equal(s.report.base_realtime_ns, 1700000000000000000ull);
    assert_true(s.report.has_index);
    char line[128], hex[CHAIN_HEX_BYTES + 1];
    chain_hex(s.report.head, hex);
    snprintf(line, sizeof(line), "Head: `%s`", hex);
    assert_non_null(strstr(document, line));
    for (m.n--; m.n > 80; m.n--) {
        s = test_read_image(&m, READER_PREFIX);
        bool all = m.n == m.block_at[2];
        assert_int_equal(s.report.state, all ? READER_COMPLETE : READER_TORN);
    }
    free(m.p);
}

static void expect_row(const char *what, unsigned long long value)
{
    char row[160];
    snprintf(row, sizeof(row), "| %s | %llu", what, value);
    if (!strstr(document, row))
        fail_msg("FORMAT.md has no row: %s", row);
}

static void limits_are_documented(void **state)
{
    (void)state;
    need_document();
    expect_row("raw block", TAPE_MAX_RAW_BLOCK_BYTES);
    expect_row("zstd frame", TAPE_MAX_PACKED_BLOCK_BYTES);
    expect_row("FILE frame", TAPE_MAX_HEADER_FRAME_BYTES);
    expect_row("INDEX frame", TAPE_MAX_INDEX_FRAME_BYTES);
    expect_row("record", TAPE_MAX_RECORD_BYTES);
    expect_row("str; map or header list as a whole", TAPE_MAX_STRING_BYTES);
    expect_row("bytes of READ, of a BLOB piece", TAPE_MAX_READ_BYTES);
    expect_row("entries of a map, pairs of headers", TAPE_MAX_MAP_ENTRIES);
    expect_row("nesting", TAPE_MAX_NESTING);
    expect_row("zeros at the end", TAPE_MAX_ZERO_TAIL_BYTES);
    assert_non_null(strstr(document, "| request numbers | below 1048576 |"));
    assert_int_equal(TAPE_MAX_REQUESTS, 1048576);
    assert_non_null(strstr(document, "| zstd window | 2^20 |"));
    assert_int_equal(TAPE_ZSTD_WINDOW_LOG, 20);
    assert_non_null(strstr(document, "after 16384 false starts"));
    assert_int_equal(TAPE_MAX_SALVAGE_TRIES, 16384);
    assert_int_equal(TAPE_MAX_BLOB_PIECE_BYTES, TAPE_MAX_READ_BYTES);
}

static void sizes_and_words_are_documented(void **state)
{
    (void)state;
    need_document();
    assert_int_equal(FILE_HEADER_BYTES, 80);
    assert_int_equal(BLOCK_HEADER_BYTES, 100);
    assert_int_equal(BLOCK_HEADER_FIXED_BYTES, 20);
    assert_int_equal(INDEX_FIXED_BYTES, 92);
    assert_int_equal(INDEX_ENTRY_BYTES, 40);
    assert_non_null(strstr(document, "| 92 + 40 × blocks |"));
    for (int i = READER_WRITING; i <= READER_EDITED; i++) {
        char row[64];
        snprintf(row, sizeof(row), "\n| %s | ", reader_state_name((enum reader_state)i));
        if (!strstr(document, row))
            fail_msg("FORMAT.md does not explain the state %s", reader_state_name((enum reader_state)i));
    }
    char version[64];
    snprintf(version, sizeof(version), "version %u.%u\n", TAPE_VERSION_MAJOR, TAPE_VERSION_MINOR);
    assert_non_null(strstr(document, version));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tiny_tape_is_read),
        cmocka_unit_test(limits_are_documented),
        cmocka_unit_test(sizes_and_words_are_documented),
    };
    return cmocka_run_group_tests(tests, load_document, test_dir_remove);
}
