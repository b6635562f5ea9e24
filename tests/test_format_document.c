/* FORMAT.md and the code say the same: its tiny tape is read, and limits, lines, states, kinds and fields are
 * those of the code. */
#include "test_format_tapes.h"

#include "../format/header.h"
#include "../format/index.h"
#include "../format/record_layout.h"

static char document[1 << 16], records[1 << 16];

static int load_text(const char *path, char *text, size_t cap)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, cap - 1);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return -1;
    text[n] = '\0';
    return 0;
}

static int load_document(void **state)
{
    if (load_text("format/FORMAT.md", document, sizeof(document)) != 0 ||
        load_text("format/RECORDS.md", records, sizeof(records)) != 0)
        return -1;
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

struct limit {
    const char *name;
    unsigned long long value;
};

#define LIMIT(name)                                                                                                    \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const struct limit limits[] = {
    LIMIT(TAPE_VERSION_MAJOR),         LIMIT(TAPE_VERSION_MINOR),
    LIMIT(TAPE_MAX_RAW_BLOCK_BYTES),   LIMIT(TAPE_MAX_PACKED_BLOCK_BYTES),
    LIMIT(TAPE_CLOSE_RAW_BLOCK_BYTES), LIMIT(TAPE_CLOSE_BLOCK_AGE_NS),
    LIMIT(TAPE_SYNC_AGE_NS),           LIMIT(TAPE_SYNC_BYTES),
    LIMIT(TAPE_SYNC_AFTER_FAILURE_NS), LIMIT(TAPE_MAX_HEADER_FRAME_BYTES),
    LIMIT(TAPE_MAX_INDEX_FRAME_BYTES), LIMIT(TAPE_MAX_SALVAGE_TRIES),
    LIMIT(TAPE_MAX_ZERO_TAIL_BYTES),   LIMIT(TAPE_ZSTD_LEVEL),
    LIMIT(TAPE_ZSTD_WINDOW_LOG),       LIMIT(TAPE_MAX_NESTING),
    LIMIT(TAPE_MAX_REQUESTS),          LIMIT(TAPE_MAX_RECORD_BYTES),
    LIMIT(TAPE_MAX_BLOB_PIECE_BYTES),  LIMIT(TAPE_MAX_READ_BYTES),
    LIMIT(TAPE_MAX_STRING_BYTES),      LIMIT(TAPE_MAX_MAP_ENTRIES),
    LIMIT(TAPE_MAX_READER_BYTES),      LIMIT(TAPE_MAX_ANALYZER_BYTES),
    LIMIT(TAPE_MAX_SHOW_BYTES),        LIMIT(TAPE_MAX_RUN_BYTES),
    LIMIT(TAPE_RUN_BYTES_PER_REQUEST), LIMIT(TAPE_CHECK_BYTES_PER_REQUEST),
    LIMIT(TAPE_FIRST_OPTIONAL_KIND),
};

static void expect_limit(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        char row[160];
        if (strlen(limits[i].name) != n || memcmp(limits[i].name, name, n) != 0)
            continue;
        snprintf(row, sizeof(row), "\n| `%s` | %llu | ", limits[i].name, limits[i].value);
        if (!strstr(document, row))
            fail_msg("FORMAT.md has no row: %s", row + 1);
        return;
    }
    fail_msg("limits.h has %.*s: put it into this test and into FORMAT.md", (int)n, name);
}

/* Every #define of limits.h with a value stands in FORMAT.md with that value. */
static void limits_are_documented(void **state)
{
    (void)state;
    need_document();
    static char header[1 << 14];
    unsigned seen = 0;
    assert_int_equal(load_text("format/limits.h", header, sizeof(header)), 0);
    for (const char *p = header; (p = strstr(p, "\n#define ")) != NULL; seen++) {
        size_t n = strcspn(p += 9, " \n");
        if (p[n] == ' ')
            expect_limit(p, n);
    }
    assert_true(seen > sizeof(limits) / sizeof(limits[0]));
}

#define ELLIPSIS "\u2026"

/* "stored 0x%08x" as the document says it: "stored ...". Directives that stand together become one. */
static void put_documented(const char *literal, char *out, size_t cap)
{
    size_t n = 0;
    for (const char *p = literal; *p && n + 4 < cap;) {
        size_t skip =
            strncmp(p, "0x%", 3) == 0 || strncmp(p, "2^%", 3) == 0 || strncmp(p, ".%", 2) == 0 ? strcspn(p, "%") : 0;
        if (p[skip] != '%') {
            out[n++] = *p++;
            continue;
        }
        p += skip + 1;
        p += strcspn(p, "sdux") + 1;
        if (*p == '.' && p[1] == '%')
            continue; /* "%u.%u" */
        memcpy(out + n, ELLIPSIS, 3);
        n += 3;
    }
    out[n] = '\0';
}

/* The next string literal of C text from *p on, those behind it joined, into out; false at the end. */
static bool next_literal(const char **p, char *out, size_t cap)
{
    size_t n = 0;
    const char *at = *p + strcspn(*p, "\"");
    if (!*at)
        return false;
    while (*at == '"') {
        for (at++; *at && *at != '"'; at++)
            if (n + 1 < cap)
                out[n++] = *at;
        at += 1 + strspn(at + 1, " \n");
    }
    out[n] = '\0';
    *p = at;
    return true;
}

static void expect_lines_of(const char *path)
{
    static char source[1 << 16];
    char literal[512], documented[512];
    assert_int_equal(load_text(path, source, sizeof(source)), 0);
    assert_true(source[0]);
    for (const char *p = source; next_literal(&p, literal, sizeof(literal));) {
        if (!strchr(literal, ' ') || strcmp(literal, "the limit follows zstd's bound") == 0)
            continue;
        put_documented(literal, documented, sizeof(documented));
        if (strspn(documented, ELLIPSIS ": ") < strlen(documented) && !strstr(document, documented))
            fail_msg("%s: FORMAT.md does not explain: %s", path, documented);
    }
}

/* Everything a reader can say is wrong with a tape. */
static void error_lines_are_documented(void **state)
{
    (void)state;
    need_document();
    static const char *const sources[] = {"format/reader.c",       "format/reader_end.c",  "format/reader_flaw.c",
                                          "format/reader_index.c", "format/reader_load.c", "format/reader_records.c",
                                          "format/reader_scan.c",  "format/reader_tail.c", "format/header.c",
                                          "format/zframe.c",       "format/chain.c",       "format/record_decode.c"};
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        expect_lines_of(sources[i]);
}

static bool may_be_nil(enum field_type type)
{
    return type == FIELD_U64_NIL || type == FIELD_STR_NIL || type == FIELD_BIN_NIL || type == FIELD_HASH_NIL ||
           type == FIELD_TCP_NIL || type == FIELD_LAG;
}

/* The fields of a row of RECORDS.md, "a, b?, c (d, e), f+", against the layout: how many, which may be nil,
 * which may be missing. */
static void expect_fields(const char *row, const struct record_layout *layout)
{
    uint32_t i = 0;
    for (const char *p = row; *p != '|' && *p != '\n'; i++) {
        bool nil = false, later = false;
        unsigned depth = 0;
        for (; *p != '|' && (depth || *p != ','); p++) {
            depth += *p == '(';
            depth -= *p == ')';
            nil |= *p == '?';
            later |= *p == '+';
        }
        p += *p == ',';
        if (i >= layout->field_count)
            fail_msg("%s: RECORDS.md has a field more than the code", layout->name);
        assert_int_equal(later, i >= layout->least);
        assert_int_equal(nil || later, may_be_nil(layout->fields[i].type));
    }
    if (i != layout->field_count)
        fail_msg("%s: RECORDS.md has %u fields, the code %u", layout->name, i, layout->field_count);
}

static void kinds_are_documented(void **state)
{
    (void)state;
    need_document();
    for (uint32_t kind = 0; kind < 256; kind++) {
        char row[64];
        const char *name = record_kind_name(kind), *at;
        if (!name)
            continue;
        snprintf(row, sizeof(row), "\n| %u | %s | ", (unsigned)kind, name);
        at = strstr(records, row);
        if (!at)
            fail_msg("RECORDS.md has no row of kind %u, %s", (unsigned)kind, name);
        if (record_layout_of(kind))
            expect_fields(at + strlen(row), record_layout_of(kind));
    }
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
        cmocka_unit_test(the_tiny_tape_is_read),          cmocka_unit_test(limits_are_documented),
        cmocka_unit_test(error_lines_are_documented),     cmocka_unit_test(kinds_are_documented),
        cmocka_unit_test(sizes_and_words_are_documented),
    };
    return cmocka_run_group_tests(tests, load_document, test_dir_remove);
}
