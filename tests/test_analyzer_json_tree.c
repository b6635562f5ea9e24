/* A JSON document as a tree: order, decoding, refusals with their place, files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../analyzer/json_tree.h"

static struct json_tree *parse(const char *text)
{
    struct json_tree *tree;
    struct tt_error err;
    enum tt_status status = json_tree_parse(&tree, tt_view_str(text), &err);
    if (status != TT_OK)
        fail_msg("%s: %s", text, err.line);
    return tree;
}

static void keeps_order_and_text(void **state)
{
    (void)state;
    struct json_tree *tree = parse("{\"b\":[1.50,-2,\"x\\u00e9\\u0000y\"],\"a\":{\"\":null},\"t\":true}");
    const struct json_node *root = json_tree_root(tree);
    assert_int_equal(root->type, JSON_OBJECT_BEGIN);
    assert_int_equal(root->children, 3);
    assert_true(tt_view_equal(root->child->key, "b"));
    const struct json_node *n = json_node_get(root, "b");
    assert_ptr_equal(n, root->child);
    assert_int_equal(n->type, JSON_ARRAY_BEGIN);
    assert_int_equal(n->children, 3);
    n = n->child;
    assert_true(tt_view_equal(n->text, "1.50"));
    assert_null(n->key.p);
    assert_true(tt_view_equal(n->next->text, "-2"));
    n = n->next->next;
    assert_int_equal(n->text.n, 5);
    assert_memory_equal(n->text.p, "x\xc3\xa9\0y", 6);
    assert_null(n->next);
    const struct json_node *inner = json_node_get(json_node_get(root, "a"), "");
    assert_non_null(inner);
    assert_int_equal(inner->type, JSON_NULL);
    assert_null(json_node_get(root, "absent"));
    assert_null(json_node_get(inner, "a"));
    assert_null(json_node_get(NULL, "a"));
    json_tree_free(tree);
}

static void reads_numbers(void **state)
{
    (void)state;
    struct json_tree *tree = parse("[18446744073709551615,0.5,\"7\",-3]");
    const struct json_node *n = json_tree_root(tree)->child;
    uint64_t u;
    double d;
    assert_true(json_node_u64(n, &u) && u == UINT64_MAX);
    n = n->next;
    assert_false(json_node_u64(n, &u));
    assert_true(json_node_double(n, &d) && d == 0.5);
    n = n->next;
    assert_false(json_node_u64(n, &u));
    assert_false(json_node_double(n, &d));
    assert_false(json_node_u64(n->next, &u));
    assert_false(json_node_u64(NULL, &u));
    assert_false(json_node_double(NULL, &d));
    json_tree_free(tree);
}

static void takes_a_bare_value(void **state)
{
    (void)state;
    struct json_tree *tree = parse(" \"\\ud800\" ");
    assert_true(tt_view_equal(json_tree_root(tree)->text, "\xef\xbf\xbd"));
    json_tree_free(tree);
}

static void expect_refusal(const char *text, enum tt_status code, uint64_t offset)
{
    struct json_tree *tree;
    struct tt_error err;
    assert_int_equal(json_tree_parse(&tree, tt_view_str(text), &err), code);
    assert_null(tree);
    assert_int_equal(err.code, code);
    assert_int_equal(err.offset, offset);
}

static void refuses_with_the_place(void **state)
{
    (void)state;
    expect_refusal("", TT_MALFORMED, 0);
    expect_refusal("{\"a\":1,}", TT_MALFORMED, 7);
    expect_refusal("[1,2] x", TT_MALFORMED, 6);
    expect_refusal("{\"a\":1,\"a\":2}", TT_MALFORMED, 13);
    expect_refusal("{\"a\":1,\"\\u0061\":2}", TT_MALFORMED, 18);
    expect_refusal("[{\"x\":{\"a\":1,\"b\":1,\"a\":1}}]", TT_MALFORMED, 25);
}

static void tells_equal_keys_from_similar_ones(void **state)
{
    (void)state;
    json_tree_free(parse("{\"a\":1,\"a\\u0000\":2,\"\":3,\"b\":{\"a\":1},\"c\":{\"a\":1}}"));
}

/* Many keys: the last one repeats the first. */
static void finds_a_duplicate_among_many(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    size_t room = KEYS * 16 + 64, n = 1;
    char *text = malloc(room);
    assert_non_null(text);
    text[0] = '{';
    for (int i = 0; i < KEYS; i++)
        n += (size_t)snprintf(text + n, room - n, "\"k%d\":0,", i);
    size_t whole = n;
    n += (size_t)snprintf(text + n, room - n, "\"k%d\":0}", KEYS);
    struct json_tree *tree = parse(text);
    assert_int_equal(json_tree_root(tree)->children, KEYS + 1);
    json_tree_free(tree);
    snprintf(text + whole, room - whole, "\"k0\":0}");
    struct tt_error err;
    assert_int_equal(json_tree_parse(&tree, tt_view_str(text), &err), TT_MALFORMED);
    assert_non_null(strstr(err.line, "\"k0\""));
    free(text);
}

static void takes_depth_and_refuses_more(void **state)
{
    (void)state;
    char text[2 * JSON_MAX_DEPTH + 3] = "";
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    json_tree_free(parse(text));
    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    expect_refusal(text, TT_MALFORMED, JSON_MAX_DEPTH);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void loads_files_within_bounds(void **state)
{
    (void)state;
    char path[64];
    int fd = memfd_create("json", MFD_CLOEXEC);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct json_tree *tree;
    struct tt_error err;
    write_file(path, "{\"a\":[1,2]}");
    assert_int_equal(json_tree_load(&tree, path, 11, &err), TT_OK);
    assert_int_equal(json_node_get(json_tree_root(tree), "a")->children, 2);
    json_tree_free(tree);
    assert_int_equal(json_tree_load(&tree, path, 10, &err), TT_LIMIT);
    assert_null(tree);
    write_file(path, "{\"a\":");
    assert_int_equal(json_tree_load(&tree, path, 100, &err), TT_MALFORMED);
    assert_int_equal(err.offset, 5);
    assert_non_null(strstr(err.line, path));
    assert_int_equal(close(fd), 0);
    assert_int_equal(json_tree_load(&tree, path, 100, &err), TT_IO);
    assert_non_null(strstr(err.line, path));
    assert_int_equal(json_tree_load(&tree, "/", 100, &err), TT_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order_and_text),
        cmocka_unit_test(reads_numbers),
        cmocka_unit_test(takes_a_bare_value),
        cmocka_unit_test(refuses_with_the_place),
        cmocka_unit_test(tells_equal_keys_from_similar_ones),
        cmocka_unit_test(finds_a_duplicate_among_many),
        cmocka_unit_test(takes_depth_and_refuses_more),
        cmocka_unit_test(loads_files_within_bounds),
    };
    return cmocka_run_group_tests_name("json_tree", tests, NULL, NULL);
}
