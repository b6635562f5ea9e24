/* The line that says how far reading is. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../analyzer/progress.h"

static char *said(int fd)
{
    static char text[4096];
    ssize_t n = read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return text;
}

static void says_each_percentage_once_and_wipes_the_line(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    struct progress p = {.fd = ends[1]};
    uint64_t total = 3 * (uint64_t)PROGRESS_LEAST_BYTES;
    progress_show(&p, 0, total);
    assert_string_equal(said(ends[0]), "\rread 0 % of 25 MB");
    progress_show(&p, 1, total);
    assert_string_equal(said(ends[0]), "");
    progress_show(&p, total / 2, total);
    assert_string_equal(said(ends[0]), "\rread 50 % of 25 MB");
    progress_show(&p, total - 1, total);
    assert_string_equal(said(ends[0]), "\rread 99 % of 25 MB");
    progress_show(&p, total, total);
    assert_string_equal(said(ends[0]), "\r\033[K");
    progress_show(&p, total, total);
    assert_string_equal(said(ends[0]), "");
    close(ends[0]);
    close(ends[1]);
}

static void says_nothing_of_a_small_tape(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    struct progress p = {.fd = ends[1]};
    for (uint64_t done = 0; done < PROGRESS_LEAST_BYTES; done += PROGRESS_LEAST_BYTES / 8)
        progress_show(&p, done, PROGRESS_LEAST_BYTES - 1);
    progress_show(&p, 0, 0);
    assert_string_equal(said(ends[0]), "");
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_each_percentage_once_and_wipes_the_line),
        cmocka_unit_test(says_nothing_of_a_small_tape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
