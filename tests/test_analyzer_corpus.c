/* Every stream of fixtures/sse: its events and facts as written down by hand, and
 * the same facts however the bytes are cut into reads, with times that follow the
 * rule (an event's time is that of the read with its last byte). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../analyzer/json_tree.h"
#include "../analyzer/stream.h"
#include "../format/pack.h"

#define MAX_LABELS 64
#define WHOLE SIZE_MAX
/* Streams longer than this are cut at every byte of their first and last part only. */
#define EDGE_BYTES 2048u

struct labels {
    size_t n;
    const char *word[MAX_LABELS];
    uint64_t time_ns[MAX_LABELS];
};

struct sample {
    struct json_tree *tree;
    uint8_t *body;
    size_t body_bytes;
    const struct json_node *facts;
    const char *name;
};

static void note_label(void *ctx, uint64_t time_ns, const char *label)
{
    struct labels *l = ctx;
    if (l->n < MAX_LABELS) {
        l->word[l->n] = label;
        l->time_ns[l->n] = time_ns;
    }
    l->n++;
}

static const char *corpus_folder(void)
{
    const char *root = getenv("TOKENTAPE_FIXTURES");
    return root ? root : "fixtures";
}

static uint8_t *load_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t cap = 1u << 20;
    uint8_t *p = malloc(cap);
    assert_non_null(p);
    *n = fread(p, 1, cap, f);
    assert_true(*n < cap);
    fclose(f);
    /* an exact-size copy, so that a read past the end is seen */
    uint8_t *exact = malloc(*n ? *n : 1);
    assert_non_null(exact);
    memcpy(exact, p, *n);
    free(p);
    return exact;
}

static void sample_load(struct sample *s, const char *name)
{
    char path[512];
    struct tt_error err;
    s->name = name;
    snprintf(path, sizeof path, "%s/sse/%s.json", corpus_folder(), name);
    if (json_tree_load(&s->tree, path, 1u << 20, &err) != TT_OK)
        fail_msg("%s: %s", path, err.line);
    snprintf(path, sizeof path, "%s/sse/%s.sse", corpus_folder(), name);
    s->body = load_file(path, &s->body_bytes);
    s->facts = json_node_get(json_tree_root(s->tree), "facts");
    assert_non_null(s->facts);
}

static void sample_free(struct sample *s)
{
    json_tree_free(s->tree);
    free(s->body);
}

static bool node_is(const struct json_node *n, const char *text)
{
    return n && n->type == JSON_STRING && tt_view_equal(n->text, text);
}

/* Feeds the body cut at `cut` (WHOLE: not at all; 0: one byte at a time). The read
 * that starts at byte b has time b + 1. */
static struct stream *feed(const struct sample *s, size_t cut, struct labels *labels)
{
    const struct json_node *root = json_tree_root(s->tree);
    struct stream_options o = {0};
    o.endpoint = node_is(json_node_get(root, "endpoint"), "completions") ? STREAM_COMPLETIONS : STREAM_CHAT;
    struct stream *st = stream_create(&o);
    assert_non_null(st);
    stream_watch(st, note_label, labels);
    struct pack head = {0};
    pack_array(&head, 2);
    pack_str(&head, tt_view_str("content-type"));
    pack_str(&head, json_node_get(root, "content_type")->text);
    assert_int_equal(stream_head(st, 0, tt_view_str("HTTP/1.1 200 OK"), tt_view_of(head.bytes, head.len)), TT_OK);
    pack_free(&head);
    for (size_t at = 0; at < s->body_bytes;) {
        size_t n = s->body_bytes - at;
        if (cut == 0)
            n = 1;
        else if (cut != WHOLE && at < cut)
            n = cut;
        /* a copy of its own: a view kept past the call is seen by the sanitizer */
        uint8_t *piece = malloc(n);
        assert_non_null(piece);
        memcpy(piece, s->body + at, n);
        assert_int_equal(stream_read(st, at + 1, tt_view_of(piece, n)), TT_OK);
        free(piece);
        at += n;
    }
    bool clean = json_node_get(root, "clean_end")->type == JSON_TRUE;
    stream_end(st, s->body_bytes + 1, clean);
    return st;
}

static void check_count(const struct sample *s, const char *key, uint64_t got)
{
    uint64_t want;
    if (!json_node_u64(json_node_get(s->facts, key), &want))
        fail_msg("%s: no fact %s", s->name, key);
    if (want != got)
        fail_msg("%s: %s is %llu, expected %llu", s->name, key, (unsigned long long)got, (unsigned long long)want);
}

static void check_optional(const struct sample *s, const char *key, struct opt_u64 got)
{
    uint64_t want;
    bool has = json_node_u64(json_node_get(s->facts, key), &want);
    if (has != got.has || (has && want != got.v))
        fail_msg("%s: %s differs", s->name, key);
}

static void check_facts(const struct sample *s, const struct stream_facts *f)
{
    check_count(s, "events", f->events);
    check_count(s, "comments", f->comments);
    check_count(s, "reasoning_chunks", f->reasoning_chunks);
    check_count(s, "content_chunks", f->content_chunks);
    check_count(s, "tool_call_chunks", f->tool_call_chunks);
    check_count(s, "refusal_chunks", f->refusal_chunks);
    check_count(s, "payloads_not_json", f->payloads_not_json);
    check_count(s, "content_chars", f->content_chars);
    check_optional(s, "prompt_tokens", f->usage.prompt_tokens);
    check_optional(s, "completion_tokens", f->usage.completion_tokens);
    if ((json_node_get(s->facts, "done")->type == JSON_TRUE) != f->done_seen)
        fail_msg("%s: done differs", s->name);
    if ((json_node_get(s->facts, "error")->type == JSON_TRUE) != f->error_seen)
        fail_msg("%s: error differs", s->name);
    const struct json_node *reasons = json_node_get(s->facts, "finish_reasons");
    if (reasons->children != f->finish_reason_count)
        fail_msg("%s: %zu finish reasons, expected %zu", s->name, f->finish_reason_count, reasons->children);
    size_t i = 0;
    for (const struct json_node *n = reasons->child; n; n = n->next, i++)
        if (!tt_view_equal(n->text, f->finish_reasons[i]))
            fail_msg("%s: finish reason %zu is %s", s->name, i, f->finish_reasons[i]);
}

static void check_labels(const struct sample *s, const struct labels *got)
{
    const struct json_node *want = json_node_get(json_tree_root(s->tree), "labels");
    size_t i = 0;
    for (const struct json_node *n = want->child; n; n = n->next, i++)
        if (i >= got->n || !tt_view_equal(n->text, got->word[i]))
            fail_msg("%s: label %zu is %s, expected %.*s", s->name, i, i < got->n ? got->word[i] : "missing",
                     (int)n->text.n, (const char *)n->text.p);
    if (got->n != i)
        fail_msg("%s: %zu labels, expected %zu (first too many: %s)", s->name, got->n, i, got->word[i]);
}

/* `ends` holds the time each label has when bytes come one at a time: the position of
 * its last byte + 1. Under a cut at c the read of that byte began at 0 or at c. */
static void check_times(const struct sample *s, const struct labels *ends, const struct labels *got, size_t cut)
{
    for (size_t i = 0; i < got->n && i < MAX_LABELS; i++) {
        uint64_t last_byte = ends->time_ns[i] - 1;
        if (last_byte >= s->body_bytes) /* delivered by the end of the body */
            continue;
        uint64_t want = cut != WHOLE && last_byte >= cut ? cut + 1 : 1;
        if (got->time_ns[i] != want)
            fail_msg("%s cut at %zu: label %zu (%s) has time %llu, expected %llu", s->name, cut, i, got->word[i],
                     (unsigned long long)got->time_ns[i], (unsigned long long)want);
    }
}

static void check_sample(const char *name)
{
    struct sample s;
    sample_load(&s, name);
    struct labels ends = {0};
    struct stream *st = feed(&s, 0, &ends);
    check_facts(&s, stream_facts(st));
    check_labels(&s, &ends);
    stream_free(st);
    for (size_t cut = 1; cut <= s.body_bytes; cut++) {
        if (cut == s.body_bytes)
            cut = WHOLE;
        else if (cut == EDGE_BYTES && s.body_bytes > 2 * EDGE_BYTES)
            cut = s.body_bytes - EDGE_BYTES;
        struct labels got = {0};
        st = feed(&s, cut, &got);
        check_facts(&s, stream_facts(st));
        check_labels(&s, &got);
        check_times(&s, &ends, &got, cut);
        stream_free(st);
        if (cut == WHOLE)
            break;
    }
    sample_free(&s);
}

static void corpus_every_cut(void **state)
{
    (void)state;
    char folder[512];
    snprintf(folder, sizeof folder, "%s/sse", corpus_folder());
    DIR *d = opendir(folder);
    if (!d)
        fail_msg("%s cannot be read: run the tests from the top of the tree or set TOKENTAPE_FIXTURES", folder);
    size_t streams = 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".sse") != 0)
            continue;
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(n - 4), e->d_name);
        check_sample(name);
        streams++;
    }
    closedir(d);
    print_message("# %zu streams, each cut at every byte\n", streams);
    assert_true(streams >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_every_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
