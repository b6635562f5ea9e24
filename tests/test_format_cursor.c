/* The bounded msgpack reader: every type, every cut, every lie about a length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../format/cursor.h"
#include "../format/limits.h"
#include "../format/pack.h"

static struct cursor_item take(const char *bytes, size_t n)
{
    struct cursor c = cursor_of(tt_view_of(bytes, n));
    struct cursor_item item = {0};
    assert_int_equal(cursor_next(&c, &item), TT_OK);
    return item;
}

#define TAKE(bytes) take(bytes, sizeof(bytes) - 1)

static enum tt_status skip_value(const char *bytes, size_t n, unsigned max_nesting, size_t *at)
{
    /* An allocation of just this size lets the sanitizer see a read too far. */
    char *copy = malloc(n ? n : 1);
    memcpy(copy, bytes, n);
    struct cursor c = cursor_of(tt_view_of(copy, n));
    enum tt_status st = cursor_skip(&c, max_nesting);
    if (at)
        *at = c.at;
    free(copy);
    return st;
}

static void takes_integers(void **state)
{
    (void)state;
    assert_int_equal(TAKE("\x00").u, 0);
    assert_int_equal(TAKE("\x7f").u, 127);
    assert_int_equal(TAKE("\xcc\xff").u, 255);
    assert_int_equal(TAKE("\xcd\x01\x00").u, 256);
    assert_int_equal(TAKE("\xce\xff\xff\xff\xff").u, 0xffffffffu);
    assert_true(TAKE("\xcf\xff\xff\xff\xff\xff\xff\xff\xfe").u == UINT64_MAX - 1);
    struct cursor_item item = TAKE("\xff");
    assert_int_equal(item.type, CURSOR_INT);
    assert_int_equal(item.i, -1);
    assert_int_equal(TAKE("\xe0").i, -32);
    assert_int_equal(TAKE("\xd0\x80").i, -128);
    assert_int_equal(TAKE("\xd1\x80\x00").i, -32768);
    assert_int_equal(TAKE("\xd2\x80\x00\x00\x00").i, INT32_MIN);
    assert_true(TAKE("\xd3\x80\x00\x00\x00\x00\x00\x00\x00").i == INT64_MIN);
    item = TAKE("\xd1\x00\x05"); /* a signed type with a positive value is a UINT */
    assert_int_equal(item.type, CURSOR_UINT);
    assert_int_equal(item.u, 5);
}

static void takes_other_scalars(void **state)
{
    (void)state;
    assert_int_equal(TAKE("\xc0").type, CURSOR_NIL);
    assert_false(TAKE("\xc2").boolean);
    assert_true(TAKE("\xc3").boolean);
    assert_true(TAKE("\xca\x3f\xc0\x00\x00").f == 1.5);
    assert_true(TAKE("\xcb\xbf\xf8\x00\x00\x00\x00\x00\x00").f == -1.5);
    assert_true(tt_view_equal(TAKE("\xa3xyz").text, "xyz"));
    assert_true(tt_view_equal(TAKE("\xd9\x03xyz").text, "xyz"));
    assert_true(tt_view_equal(TAKE("\xda\x00\x03xyz").text, "xyz"));
    assert_true(tt_view_equal(TAKE("\xdb\x00\x00\x00\x03xyz").text, "xyz"));
    struct cursor_item item = TAKE("\xc4\x01\x80");
    assert_int_equal(item.type, CURSOR_BIN);
    assert_int_equal(item.text.n, 1);
    assert_int_equal(TAKE("\xc5\x00\x01\x80").text.n, 1);
    assert_int_equal(TAKE("\xc6\x00\x00\x00\x01\x80").text.n, 1);
    item = TAKE("\xa0"); /* an empty text is not nil */
    assert_non_null(item.text.p);
}

static void takes_container_heads(void **state)
{
    (void)state;
    struct cursor_item item = TAKE("\x92\x01\x02");
    assert_int_equal(item.type, CURSOR_ARRAY);
    assert_int_equal(item.count, 2);
    assert_int_equal(TAKE("\xdc\x00\x01\x01").count, 1);
    assert_int_equal(TAKE("\xdd\x00\x00\x00\x01\x01").count, 1);
    item = TAKE("\x81\xa1k\x01");
    assert_int_equal(item.type, CURSOR_MAP);
    assert_int_equal(item.count, 1);
    assert_int_equal(TAKE("\xde\x00\x01\xa1k\x01").count, 1);
    assert_int_equal(TAKE("\xdf\x00\x00\x00\x01\xa1k\x01").count, 1);
}

static void refuses_what_is_no_tape_msgpack(void **state)
{
    (void)state;
    static const unsigned char types[] = {0xc1, 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8};
    for (size_t i = 0; i < sizeof(types); i++) {
        char bytes[24] = {0};
        bytes[0] = (char)types[i];
        size_t at = 99;
        assert_int_equal(skip_value(bytes, sizeof(bytes), TAPE_MAX_NESTING, &at), TT_MALFORMED);
        assert_int_equal(at, 0);
    }
}

static void believes_no_length(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } lies[] = {
        {"\xdd\xff\xff\xff\xff", 5},
        {"\xdf\xff\xff\xff\xff", 5},
        {"\xdb\xff\xff\xff\xff", 5},
        {"\xc6\xff\xff\xff\xff", 5},
        {"\xdf\x80\x00\x00\x00\x01\x01", 7},
        {"\xdc\xff\xff\x01", 4},
        {"\x9f\x01", 2},
        {"\x8f\x01\x01", 3},
        {"\xbf", 1},
        {"\x91", 1},
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        size_t at = 99;
        assert_int_equal(skip_value(lies[i].bytes, lies[i].n, TAPE_MAX_NESTING, &at), TT_TRUNCATED);
        assert_int_equal(at, 0);
    }
}

static void stops_at_the_nesting_limit(void **state)
{
    (void)state;
    assert_int_equal(skip_value("\x91\x91\x91\x91\x01", 5, 4, NULL), TT_OK);
    assert_int_equal(skip_value("\x91\x91\x91\x91\x91\x01", 6, 4, NULL), TT_LIMIT);
    assert_int_equal(skip_value("\x91\x90", 2, 1, NULL), TT_LIMIT);
    assert_int_equal(skip_value("\x01", 1, 0, NULL), TT_OK);
    char deep[4096];
    memset(deep, 0x91, sizeof(deep));
    assert_int_equal(skip_value(deep, sizeof(deep), TAPE_MAX_NESTING, NULL), TT_LIMIT);
}

static void skips_one_value_and_no_more(void **state)
{
    (void)state;
    size_t at;
    assert_int_equal(skip_value("\x93\x01\x92\xa1x\xc0\x81\xa1k\x90\x07", 11, 4, &at), TT_OK);
    assert_int_equal(at, 10);
    assert_int_equal(skip_value("\x90\x07", 2, 4, &at), TT_OK);
    assert_int_equal(at, 1);
}

static void every_cut_is_truncated(void **state)
{
    (void)state;
    struct pack p = {0};
    char big[70000] = {0};
    pack_array(&p, 8);
    pack_uint(&p, 1u << 20);
    pack_int(&p, -70000);
    pack_double(&p, 0.25);
    pack_map(&p, 1);
    pack_str(&p, tt_view_str("key"));
    pack_bool(&p, true);
    pack_str(&p, tt_view_of(big, 300));
    pack_bin(&p, tt_view_of(big, 66000));
    pack_nil(&p);
    pack_uint(&p, TAPE_NONE);
    assert_false(p.failed);
    size_t at;
    assert_int_equal(skip_value((char *)p.bytes, p.len, TAPE_MAX_NESTING, &at), TT_OK);
    assert_int_equal(at, p.len);
    for (size_t n = 0; n<p.len; n += n> 400 && n < p.len - 10 ? 997 : 1) {
        assert_int_equal(skip_value((char *)p.bytes, n, TAPE_MAX_NESTING, &at), TT_TRUNCATED);
        assert_int_equal(at, 0);
    }
    pack_free(&p);
}

static void pack_refuses_lengths_past_a_block(void **state)
{
    (void)state;
    struct pack p = {0};
    pack_bin(&p, tt_view_of(&p, TAPE_MAX_RAW_BLOCK_BYTES + 1)); /* must not be read */
    assert_true(p.failed);
    pack_uint(&p, 1);
    assert_int_equal(p.len, 0);
    pack_reset(&p);
    pack_uint(&p, 1);
    assert_int_equal(p.len, 1);
    pack_free(&p);
    assert_null(p.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_integers),
        cmocka_unit_test(takes_other_scalars),
        cmocka_unit_test(takes_container_heads),
        cmocka_unit_test(refuses_what_is_no_tape_msgpack),
        cmocka_unit_test(believes_no_length),
        cmocka_unit_test(stops_at_the_nesting_limit),
        cmocka_unit_test(skips_one_value_and_no_more),
        cmocka_unit_test(every_cut_is_truncated),
        cmocka_unit_test(pack_refuses_lengths_past_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
