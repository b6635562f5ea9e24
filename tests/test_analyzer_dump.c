#include "analyzer_tapes.h"

#include "../analyzer/base64.h"
#include "../analyzer/dump.h"
#include "../analyzer/json_tree.h"

static char *dump_to_text(const char *path, bool text)
{
    struct dump_options options = {.text = text};
    struct json_out *json = json_out_create(0);
    struct reader *reader;
    struct tape_record rec;
    struct tt_error err;
    assert_int_equal(reader_open(&reader, path, NULL, &err), TT_OK);
    while (reader_next(reader, &rec, &err) == TT_OK) {
        struct reader_position at = reader_position(reader);
        assert_int_equal(dump_record(json, &rec, &at, &options), TT_OK);
    }
    struct tt_view bytes = json_out_bytes(json);
    char *copy = calloc(1, bytes.n + 1);
    memcpy(copy, bytes.p, bytes.n);
    reader_free(reader);
    json_out_free(json);
    return copy;
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in the dump", part);
}

/* One record of each kind. */
static void make_tape(const char *path)
{
    struct maker_options options = {.requests = 1, .canaries = true};
    struct maker m = maker_begin(path, &options, true);
    struct tape_record rec = {.kind = TAPE_CLOCK};
    rec.u.clock.time_ns = rec.u.clock.monotonic_raw_ns = 7;
    rec.u.clock.boottime_ns = TAPE_NONE - 1;
    put(&m, &rec);
    rec = (struct tape_record){.kind = TAPE_BLOB};
    rec.u.blob.sha256 = tt_view_of("0123456789abcdef0123456789abcdef", 32);
    rec.u.blob.total_bytes = 2;
    rec.u.blob.bytes = tt_view_str("{}");
    put(&m, &rec);
    put_start(&m, 0, 2);
    put_conn(&m, 0, 3);
    put_send(&m, 0, 3, 4);
    put_head(&m, 0, 5);
    rec = (struct tape_record){.kind = TAPE_READ};
    rec.u.read.time_ns = 6 * MS;
    rec.u.read.lag_ns = TAPE_LAG_NONE;
    rec.u.read.flags = TAPE_READ_CONTINUED;
    rec.u.read.bytes = tt_view_of("\x1b[2J\0\xff", 6);
    put(&m, &rec);
    rec = (struct tape_record){.kind = TAPE_REDACT};
    rec.u.redact.stream = tt_view_str("body");
    rec.u.redact.rule = tt_view_str("plain");
    put(&m, &rec);
    put_lost(&m, 7, 0);
    rec = (struct tape_record){.kind = TAPE_HOST};
    rec.u.host.time_ns = 8 * MS;
    rec.u.host.steal_ticks = TAPE_NONE;
    rec.u.host.rss_bytes = 4096;
    put(&m, &rec);
    rec = (struct tape_record){.kind = TAPE_TURN};
    rec.u.turn.before_ns = 8 * MS;
    rec.u.turn.after_ns = 9 * MS;
    put(&m, &rec);
    rec = (struct tape_record){.kind = TAPE_SAMPLE};
    rec.u.sample.source = tt_view_str("models");
    rec.u.sample.asked_ns = rec.u.sample.answered_ns = 9 * MS;
    put(&m, &rec);
    rec = (struct tape_record){.kind = TAPE_ORIGIN};
    rec.u.origin.head_sha256 = tt_view_of("0123456789abcdef0123456789abcdef", 32);
    rec.u.origin.rules = tt_view_str("none");
    put(&m, &rec);
    put_done(&m, 0, 10);
    maker_finish(&m, 11);
}

static void test_every_kind_is_a_json_line(void **state)
{
    (void)state;
    static const char *const kinds[] = {"SCHEMA", "RUN",   "CLOCK",  "BLOB", "PLAN",   "START", "CONN",
                                        "SEND",   "HEAD",  "READ",   "DONE", "REDACT", "LOST",  "HOST",
                                        "TURN",   "EVENT", "SAMPLE", "END",  "ORIGIN"};
    const char *path = tape_path("kinds.tape");
    make_tape(path);
    char *text = dump_to_text(path, false);
    size_t lines = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        struct json_tree *tree;
        struct tt_error err;
        if (json_tree_parse(&tree, tt_view_str(line), &err) != TT_OK)
            fail_msg("%s: %s", line, err.line);
        const struct json_node *number = json_node_get(json_tree_root(tree), "record");
        uint64_t n;
        assert_true(number && json_node_u64(number, &n) && n == lines);
        json_tree_free(tree);
        lines++;
    }
    free(text);
    text = dump_to_text(path, false);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char part[40];
        snprintf(part, sizeof part, "\"kind\": \"%s\"", kinds[i]);
        contains(text, part);
    }
    contains(text, "\"bytes\": \"G1sySgD/\"");
    contains(text, "\"bytes\": \"e30=\"");
    contains(text, "\"bytes\": null");
    contains(text, "\"continued\": true");
    contains(text, "\"lag_ns\": null");
    contains(text, "\"boottime_ns\": 18446744073709551614");
    contains(text, "\"steal_ticks\": null");
    contains(text, "\"headers\": [[\"content-type\", \"text/event-stream\"]]");
    contains(text, "\"requests\": [0]");
    contains(text, "\"marker\": \"ANVIL_REQ_0_00000\"");
    contains(text, "\"sha256\": \"3031323334353637383961626364656630313233343536373839616263646566\"");
    contains(text, "\"timeout_s\": 900.0");
    contains(text, "\"top_p\": null");
    free(text);
}

static void test_text_is_safe_for_a_terminal(void **state)
{
    (void)state;
    const char *path = tape_path("text.tape");
    make_tape(path);
    char *text = dump_to_text(path, true);
    contains(text, "\"text\": \"\\u001b[2J\\u0000\\ufffd\"");
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
    free(text);
}

static void test_base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}}; /* RFC 4648 section 10 */
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char out[16] = "";
        base64_encode(tt_view_str(pairs[i][0]), out);
        assert_string_equal(out, pairs[i][1]);
        assert_int_equal(base64_length(strlen(pairs[i][0])), strlen(pairs[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_a_json_line),
        cmocka_unit_test(test_text_is_safe_for_a_terminal),
        cmocka_unit_test(test_base64),
    };
    return cmocka_run_group_tests_name("analyzer_dump", tests, tape_dir_make, tape_dir_remove);
}
