/* A tape that is moved, deleted or changed while it is written: what was recorded is still there at the end, and the
 * writer says where. */
#include "test_format_tapes.h"

static struct writer *begin(const char *path)
{
    struct writer_options o = test_options(4);
    struct writer *w;
    struct tt_error err = {0};
    test_unlink_tape(path);
    if (writer_create(&w, path, &o, &err) != TT_OK)
        fail_msg("%s", err.line);
    return w;
}

static void add(struct writer *w, unsigned reads)
{
    for (unsigned i = 0; i < reads; i++) {
        struct tape_record rec = test_read(1, i + 1, "bytes of a stream");
        assert_int_equal(writer_append(w, &rec, 0, NULL), TT_OK);
    }
    assert_int_equal(writer_sync(w, 0, NULL), TT_OK);
}

static enum tt_status end(struct writer *w, struct tt_error *err)
{
    struct tape_record rec = test_end(100);
    writer_append(w, &rec, 0, NULL);
    return writer_finish(w, 0, err);
}

/* Whole at `path`, under an own lock's end, with a head file beside it that agrees. */
static void expect_whole(const char *path, uint64_t reads)
{
    char head[600], hex[80] = "";
    struct seen s = test_read_tape(path, NULL);
    assert_int_equal(s.opened, TT_OK);
    assert_int_equal(s.report.state, READER_COMPLETE);
    assert_true(s.report.has_index);
    assert_int_equal(s.reads, reads);
    struct stat sb;
    assert_int_equal(stat(path, &sb), 0);
    assert_int_equal(sb.st_mode & 0777, 0600);
    snprintf(head, sizeof(head), "%s.head", path);
    int fd = open(head, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, hex, sizeof(hex) - 1), 65);
    close(fd);
    char expected[CHAIN_HEX_BYTES + 1];
    chain_hex(s.report.head, expected);
    assert_memory_equal(hex, expected, 64);
    unlink(path);
    unlink(head);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void a_moved_tape_keeps_its_new_name(void **state)
{
    (void)state;
    struct tt_error err = {0};
    struct writer *w = begin(test_path("a.tape"));
    add(w, 3);
    assert_int_equal(rename(test_path("a.tape"), test_path("b.tape")), 0);
    add(w, 3);
    assert_int_equal(writer_trouble(w, &err), TT_OK); /* nothing is at stake: the run goes on */
    assert_int_equal(end(w, &err), TT_IO);
    assert_non_null(strstr(err.line, "a.tape was moved while it was being written: it is now "));
    assert_non_null(strstr(err.line, "b.tape"));
    assert_true(writer_is_whole(w));
    assert_string_equal(writer_path(w), test_path("b.tape"));
    writer_free(w);
    expect_whole(test_path("b.tape"), 6);
    assert_false(exists(test_path("a.tape")) || exists(test_path("a.tape.head")));
}

static void a_deleted_tape_is_written_again(void **state)
{
    (void)state;
    struct tt_error err = {0};
    struct writer *w = begin(test_path("a.tape"));
    add(w, 3);
    unlink(test_path("a.tape"));
    add(w, 3);
    assert_int_equal(writer_trouble(w, &err), TT_IO); /* nothing new should be started */
    assert_non_null(strstr(err.line, "deleted"));
    add(w, 20000); /* what was in flight */
    assert_int_equal(end(w, &err), TT_IO);
    assert_non_null(strstr(err.line, "written again as"));
    assert_true(writer_is_whole(w));
    writer_free(w);
    expect_whole(test_path("a.tape"), 20006);
}

static void a_name_that_was_taken_is_left_alone(void **state)
{
    (void)state;
    struct tt_error err = {0};
    struct writer *w = begin(test_path("a.tape"));
    add(w, 3);
    unlink(test_path("a.tape"));
    int fd = open(test_path("a.tape"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(fd, "mine", 4), 4);
    close(fd);
    assert_int_equal(end(w, &err), TT_IO);
    assert_non_null(strstr(err.line, "a.tape.rescued"));
    assert_string_equal(writer_path(w), test_path("a.tape.rescued"));
    writer_free(w);
    expect_whole(test_path("a.tape.rescued"), 3);
    struct stat sb;
    assert_int_equal(stat(test_path("a.tape"), &sb), 0);
    assert_int_equal(sb.st_size, 4);
}

static void without_its_folder_it_goes_to_the_working_one(void **state)
{
    (void)state;
    struct tt_error err = {0};
    char here[4096];
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(mkdir(test_path("sub"), 0700), 0);
    struct writer *w = begin(test_path("sub/a.tape"));
    add(w, 3);
    unlink(test_path("sub/a.tape"));
    assert_int_equal(rmdir(test_path("sub")), 0);
    assert_int_equal(chdir(test_dir), 0);
    assert_int_equal(end(w, &err), TT_IO);
    assert_int_equal(chdir(here), 0);
    assert_string_equal(writer_path(w), "a.tape.rescued");
    writer_free(w);
    expect_whole(test_path("a.tape.rescued"), 3);
}

/* Neither END nor sync: what the last whole block holds is brought back all the same. */
static void a_tape_that_failed_is_brought_back_too(void **state)
{
    (void)state;
    struct tt_error err = {0};
    struct writer *w = begin(test_path("a.tape"));
    add(w, 3);
    int fd = open(test_path("a.tape"), O_WRONLY | O_APPEND);
    unlink(test_path("a.tape"));
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    struct tape_record rec = test_read(1, 9, "more");
    assert_int_equal(writer_append(w, &rec, 0, NULL), TT_OK);
    assert_int_equal(writer_sync(w, 0, &err), TT_IO);
    assert_non_null(strstr(err.line, "changed by another program"));
    assert_int_equal(end(w, NULL), TT_IO);
    assert_false(writer_is_whole(w));
    assert_string_equal(writer_path(w), test_path("a.tape"));
    writer_free(w);
    struct seen s = test_read_tape(test_path("a.tape"), NULL);
    assert_int_equal(s.reads, 3);
}

static void a_tape_cut_by_others_is_noticed(void **state)
{
    (void)state;
    struct tt_error err = {0};
    struct writer *w = begin(test_path("a.tape"));
    add(w, 3);
    assert_int_equal(truncate(test_path("a.tape"), 100), 0);
    struct tape_record rec = test_read(1, 9, "more");
    assert_int_equal(writer_append(w, &rec, 0, NULL), TT_OK);
    assert_int_equal(writer_sync(w, 0, &err), TT_IO);
    assert_non_null(strstr(err.line, "changed by another program"));
    writer_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_tape_keeps_its_new_name),
        cmocka_unit_test(a_deleted_tape_is_written_again),
        cmocka_unit_test(a_name_that_was_taken_is_left_alone),
        cmocka_unit_test(without_its_folder_it_goes_to_the_working_one),
        cmocka_unit_test(a_tape_that_failed_is_brought_back_too),
        cmocka_unit_test(a_tape_cut_by_others_is_noticed),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
