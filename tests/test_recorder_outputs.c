/* What may be written where, the server's name and port, and how failures are told. */
#include <errno.h>
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

#include "../recorder/outcomes.h"
#include "../recorder/outputs.h"
#include "../recorder/resolve.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/outputs-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[8][160];
    static unsigned turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
    return p;
}

static void touch(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static void a_free_name_is_taken(void **state)
{
    (void)state;
    struct tt_error err;
    assert_int_equal(outputs_check(in_folder("a.tape"), in_folder("a.json"), &err), TT_OK);
    assert_int_equal(outputs_check(in_folder("a.tape"), NULL, &err), TT_OK);
    assert_int_equal(outputs_check_file("in-this-folder", "--tape", &err), TT_OK);
}

static void what_exists_is_refused(void **state)
{
    (void)state;
    struct tt_error err;
    const char *tape = in_folder("b.tape"), *head = in_folder("b.tape.head"), *json = in_folder("b.json");
    touch(head);
    assert_int_equal(outputs_check(tape, NULL, &err), TT_EXISTS);
    assert_non_null(strstr(err.line, "b.tape.head"));
    unlink(head);
    touch(json);
    assert_int_equal(outputs_check(tape, json, &err), TT_EXISTS);
    assert_non_null(strstr(err.line, "--output"));
    unlink(json);
    touch(tape);
    assert_int_equal(outputs_check(tape, NULL, &err), TT_EXISTS);
    unlink(tape);
}

static void links_missing_folders_and_doubles_are_refused(void **state)
{
    (void)state;
    struct tt_error err;
    const char *link = in_folder("c.tape");
    assert_int_equal(symlink("nowhere", link), 0);
    assert_int_equal(outputs_check(link, NULL, &err), TT_EXISTS);
    assert_non_null(strstr(err.line, "symbolic link"));
    unlink(link);
    assert_int_equal(outputs_check(in_folder("missing/c.tape"), NULL, &err), TT_USAGE);
    touch(in_folder("file"));
    assert_int_equal(outputs_check(in_folder("file/c.tape"), NULL, &err), TT_USAGE);
    unlink(in_folder("file"));
    assert_int_equal(outputs_check(in_folder("d"), in_folder("d"), &err), TT_USAGE);
    assert_int_equal(outputs_check(in_folder("d"), in_folder("d.head"), &err), TT_USAGE);
    assert_int_equal(outputs_check("", NULL, &err), TT_USAGE);
    assert_int_equal(outputs_check(in_folder(""), NULL, &err), TT_USAGE);
}

static void split(const char *url, const char *host, const char *port)
{
    char h[256], p[16];
    assert_true(resolve_split(url, h, sizeof(h), p, sizeof(p)));
    assert_string_equal(h, host);
    assert_string_equal(p, port);
}

static void urls_are_split(void **state)
{
    (void)state;
    char h[8], p[16], out[64];
    split("http://a.example:8000/v1", "a.example", "8000");
    split("http://a.example/v1", "a.example", "80");
    split("HTTPS://a.example", "a.example", "443");
    split("http://[::1]:9/v1", "::1", "9");
    split("http://[fe80::1]/v1", "fe80::1", "80");
    assert_false(resolve_split("ftp://a/", h, sizeof(h), p, sizeof(p)));
    assert_false(resolve_split("http://", h, sizeof(h), p, sizeof(p)));
    assert_false(resolve_split("http://longer-than-8/", h, sizeof(h), p, sizeof(p)));
    assert_false(resolve_url("http://127.0.0.1:1/v1", 1000, out, sizeof(out)));
    assert_false(resolve_url("http://[::1]:1/v1", 1000, out, sizeof(out)));
    assert_string_equal(out, "");
}

static struct request_outcome good(void)
{
    return (struct request_outcome){
        .reason = "complete", .status = 200, .event_stream = true, .body_bytes = 5, .error = ""};
}

static void outcomes_are_judged(void **state)
{
    (void)state;
    struct outcomes o = {0};
    struct request_outcome r = good();
    assert_true(outcomes_add(&o, &r, "u"));
    r.reason = "done_grace";
    assert_true(outcomes_add(&o, &r, "u"));
    r = good(), r.body_bytes = 0;
    assert_false(outcomes_add(&o, &r, "u"));
    r = good(), r.event_stream = false;
    assert_false(outcomes_add(&o, &r, "u"));
    r = good(), r.lost = 1;
    assert_false(outcomes_add(&o, &r, "u"));
    r = good(), r.status = 500;
    assert_false(outcomes_add(&o, &r, "u"));
    r = good(), r.reason = "timeout";
    assert_false(outcomes_add(&o, &r, "u"));
    assert_int_equal(o.succeeded, 2);
    assert_int_equal(o.failed, 5);
}

static void the_commonest_reason_is_named(void **state)
{
    (void)state;
    char line[512];
    struct outcomes o = {0};
    outcomes_describe(&o, 3, line, sizeof(line));
    assert_string_equal(line, "");
    struct request_outcome r = {.reason = "fault", .curl_code = 7, .os_errno = ECONNREFUSED, .error = "x"};
    outcomes_add(&o, &r, "http://h:1/v1");
    outcomes_describe(&o, 3, line, sizeof(line));
    assert_string_equal(line, "1 of 3 calls failed: connection refused (is the server listening at http://h:1/v1?)");
    r = good(), r.status = 429;
    outcomes_add(&o, &r, "http://h:1/v1");
    outcomes_add(&o, &r, "http://h:1/v1");
    outcomes_describe(&o, 3, line, sizeof(line));
    assert_string_equal(line, "3 of 3 calls failed; most often (2): HTTP 429 from http://h:1/v1 (lower --concurrency)");
}

static void many_kinds_are_bounded(void **state)
{
    (void)state;
    char line[512];
    struct outcomes o = {0};
    for (unsigned status = 300; status < 400; status++) {
        struct request_outcome r = good();
        r.status = status;
        outcomes_add(&o, &r, "u");
    }
    assert_int_equal(o.kinds_used, OUTCOMES_KINDS);
    outcomes_describe(&o, 100, line, sizeof(line));
    assert_non_null(strstr(line, "various reasons"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_name_is_taken),
        cmocka_unit_test(what_exists_is_refused),
        cmocka_unit_test(links_missing_folders_and_doubles_are_refused),
        cmocka_unit_test(urls_are_split),
        cmocka_unit_test(outcomes_are_judged),
        cmocka_unit_test(the_commonest_reason_is_named),
        cmocka_unit_test(many_kinds_are_bounded),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
