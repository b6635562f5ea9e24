/* The head hash published outside the tape: it tells a cut tape from a torn one
 * and an edited one from a whole one. */
#include "test_format_tapes.h"

#define BLOCKS 4
#define ALL (BLOCKS + 1)

static struct image whole;
static uint8_t heads[ALL + 1][32]; /* heads[n]: after n blocks */

static int make_whole(void **state)
{
    if (test_dir_make(state) != 0)
        return -1;
    test_write_tape(test_path("whole.tape"), 7, BLOCKS);
    whole = image_load(test_path("whole.tape"));
    image_hash(&whole, 0, 80, heads[0]);
    for (size_t i = 0; i < ALL; i++)
        image_hash(&whole, whole.block_at[i], whole.block_at[i + 1], heads[i + 1]);
    return 0;
}

static int drop_whole(void **state)
{
    free(whole.p);
    return test_dir_remove(state);
}

static struct seen read_with_head(size_t bytes, const uint8_t head[32], enum reader_mode mode)
{
    struct image m = whole;
    struct reader_options o = {.mode = mode, .expected_head = head};
    m.n = bytes;
    image_store(&m, test_path("m.tape"));
    return test_read_tape(test_path("m.tape"), &o);
}

static void write_head_file(const char *text, size_t n)
{
    int fd = open(test_path("m.tape.head"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
}

static struct seen read_with_file(size_t bytes, const char *text, size_t n)
{
    struct image m = whole;
    m.n = bytes;
    image_store(&m, test_path("m.tape"));
    write_head_file(text, n);
    struct seen s = test_read_tape(test_path("m.tape"), NULL);
    unlink(test_path("m.tape.head"));
    return s;
}

static void the_published_head_agrees(void **state)
{
    (void)state;
    struct seen s = read_with_head(whole.n, heads[ALL], READER_STRICT);
    test_expect(&s, READER_COMPLETE, ALL, "head agrees");
    assert_int_equal(s.outcome, TT_END);
    s = read_with_head(whole.block_at[ALL], heads[ALL], READER_PREFIX);
    test_expect(&s, READER_COMPLETE, ALL, "head agrees, no INDEX");
    s = read_with_head(whole.block_at[2], heads[2], READER_PREFIX);
    test_expect(&s, READER_TORN, 2, "torn where the head says"); /* no END all the same */
}

static void a_cut_tape_is_told_from_a_torn_one(void **state)
{
    (void)state;
    for (size_t n = 80; n < whole.block_at[ALL]; n += 41) {
        struct seen s = read_with_head(n, heads[ALL], READER_PREFIX);
        assert_int_equal(s.report.state, READER_CUT);
        assert_int_equal(s.report.flaw.code, TT_CHAIN);
        s = read_with_head(n, heads[ALL], READER_STRICT);
        assert_int_equal(s.outcome, TT_CHAIN);
    }
}

static void an_edit_is_told_from_a_whole_tape(void **state)
{
    (void)state;
    uint8_t unknown[32] = {1};
    struct seen s = read_with_head(whole.n, unknown, READER_PREFIX);
    test_expect(&s, READER_EDITED, ALL, "another head");
    s = read_with_head(whole.n, heads[3], READER_PREFIX);
    test_expect(&s, READER_EDITED, ALL, "blocks behind the published head");
    s = read_with_head(whole.block_at[3], heads[2], READER_PREFIX);
    test_expect(&s, READER_EDITED, 3, "blocks behind the published head, no END");
    s = read_with_head(whole.n, heads[0], READER_PREFIX);
    test_expect(&s, READER_EDITED, ALL, "head of nothing");
    s = read_with_head(80, heads[0], READER_PREFIX);
    test_expect(&s, READER_TORN, 0, "head of nothing, and nothing there");
}

static void damage_comes_before_the_head(void **state)
{
    (void)state;
    struct image m = image_copy(&whole);
    struct reader_options o = {.expected_head = heads[ALL]};
    m.p[whole.block_at[2] + 120] ^= 1;
    image_store(&m, test_path("m.tape"));
    struct seen s = test_read_tape(test_path("m.tape"), &o);
    test_expect(&s, READER_DAMAGED, 2, "damaged, head given");
    assert_int_equal(s.report.flaw.code, TT_CRC);
    free(m.p);
}

static void the_head_file_is_found(void **state)
{
    (void)state;
    char hex[80];
    chain_hex(heads[ALL], hex);
    memcpy(hex + 64, "\n", 2);
    struct seen s = read_with_file(whole.n, hex, 65);
    test_expect(&s, READER_COMPLETE, ALL, "head file");
    s = read_with_file(whole.n, hex, 64); /* newline lost */
    test_expect(&s, READER_COMPLETE, ALL, "head file without newline");
    s = read_with_file(whole.block_at[3], hex, 65);
    test_expect(&s, READER_CUT, 3, "head file of a cut tape");
    for (char *p = hex; *p; p++)
        if (*p >= 'a')
            *p = (char)(*p - 'a' + 'A');
    s = read_with_file(whole.n, hex, 65);
    test_expect(&s, READER_COMPLETE, ALL, "upper case");
    hex[5] = hex[5] == '0' ? '1' : '0';
    s = read_with_file(whole.n, hex, 65);
    test_expect(&s, READER_EDITED, ALL, "head file of another tape");
    write_head_file(hex, 65);
    struct reader_options o = {.ignore_head_file = true};
    s = test_read_tape(test_path("m.tape"), &o);
    test_expect(&s, READER_COMPLETE, ALL, "head file ignored");
    o = (struct reader_options){.expected_head = heads[ALL]};
    s = test_read_tape(test_path("m.tape"), &o);
    test_expect(&s, READER_COMPLETE, ALL, "given head comes before the file");
    unlink(test_path("m.tape.head"));
}

static void head_files_that_are_none(void **state)
{
    (void)state;
    struct seen s = read_with_file(whole.n, "", 0);
    test_expect(&s, READER_COMPLETE, ALL, "empty head file");
    s = read_with_file(whole.n, "nonsense\n", 9);
    test_expect(&s, READER_DAMAGED, ALL, "garbled head file");
    s = read_with_file(whole.block_at[2], "nonsense\n", 9);
    test_expect(&s, READER_TORN, 2, "garbled head file of a torn tape");
    char hex[128];
    memset(hex, 'a', sizeof(hex));
    s = read_with_file(whole.n, hex, sizeof(hex));
    test_expect(&s, READER_DAMAGED, ALL, "too many digits");
    s = read_with_file(whole.n, hex, 63);
    test_expect(&s, READER_DAMAGED, ALL, "too few digits");
    assert_int_equal(mkdir(test_path("m.tape.head"), 0700), 0);
    s = test_read_tape(test_path("m.tape"), NULL);
    test_expect(&s, READER_COMPLETE, ALL, "a directory is no head file");
    rmdir(test_path("m.tape.head"));
}

static void files_that_are_no_tapes(void **state)
{
    (void)state;
    struct seen s = test_read_tape(test_path("nothing.tape"), NULL);
    assert_int_equal(s.opened, TT_IO);
    assert_non_null(strstr(s.error.line, "nothing.tape"));
    s = test_read_tape(test_dir, NULL);
    assert_int_equal(s.opened, TT_FOREIGN);
    assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
    s = test_read_tape(test_path("fifo"), NULL); /* must not wait for a writer */
    assert_int_equal(s.opened, TT_FOREIGN);
    struct image m = {
        .p = (uint8_t *)(uintptr_t) "{\"schema\": 5, and so on, but no tape at all, whatever its name says}", .n = 66};
    s = test_read_image(&m, READER_PREFIX);
    assert_int_equal(s.opened, TT_FOREIGN);
    m = (struct image){.p = (uint8_t *)(uintptr_t) "", .n = 0};
    s = test_read_image(&m, READER_PREFIX);
    assert_int_equal(s.opened, TT_FOREIGN);
    assert_non_null(strstr(s.error.line, "empty"));
    m = (struct image){.p = (uint8_t *)(uintptr_t) "P\x2a\x4d\x18\x04\0\0\0abcdefghij", .n = 18};
    s = test_read_image(&m, READER_PREFIX); /* a skippable frame of somebody else */
    assert_int_equal(s.opened, TT_FOREIGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_head_agrees),
        cmocka_unit_test(a_cut_tape_is_told_from_a_torn_one),
        cmocka_unit_test(an_edit_is_told_from_a_whole_tape),
        cmocka_unit_test(damage_comes_before_the_head),
        cmocka_unit_test(the_head_file_is_found),
        cmocka_unit_test(head_files_that_are_none),
        cmocka_unit_test(files_that_are_no_tapes),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
