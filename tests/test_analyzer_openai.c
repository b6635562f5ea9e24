/* One payload at a time: which of its members count, and for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analyzer/openai.h"

/* What was read, as text: r<..> c<..> role tool refusal f<..> per choice, parted by '/'. */
struct said {
    char text[1024];
    size_t n;
};

static void say(struct said *said, const char *words)
{
    for (; *words && said->n + 1 < sizeof said->text; words++)
        said->text[said->n++] = *words;
    said->text[said->n] = '\0';
}

static void say_piece(void *ctx, struct tt_view raw)
{
    say(ctx, "[");
    while (raw.n > 0) {
        char c[2] = {(char)json_string_next(&raw), '\0'};
        say(ctx, c);
    }
    say(ctx, "]");
}

static void say_text(struct said *said, const char *name, const struct openai_text *text)
{
    if (!text->raw.p)
        return;
    say(said, name);
    openai_text_each(text, say_piece, said);
}

static void say_choice(struct said *said, const struct openai_choice *c)
{
    say(said, c->role ? "role " : "");
    say_text(said, "r", &c->reasoning);
    say_text(said, "c", &c->content);
    say(said, c->tool_call ? "tool " : "");
    say(said, c->refusal ? "refusal " : "");
    if (c->finish.p) {
        struct openai_text finish = {c->finish, false};
        say(said, c->finish_is_string ? "f" : "F");
        openai_text_each(&finish, say_piece, said);
    }
    say(said, "/");
}

static struct said read_payload(const char *payload, enum stream_endpoint endpoint)
{
    struct said said = {"", 0};
    struct openai_chunk chunk;
    struct openai_choice room;
    const struct openai_choice *choice;
    struct openai_walk walk;
    size_t n = strlen(payload);
    uint8_t *copy = malloc(n + 1);
    assert_non_null(copy);
    memcpy(copy, payload, n);
    if (openai_read(tt_view_of(copy, n), endpoint, &chunk)) {
        openai_walk_begin(&walk, &chunk);
        while ((choice = openai_walk_next(&walk, &room)))
            say_choice(&said, choice);
        say(&said, chunk.usage.p ? "usage" : "");
        say(&said, chunk.error.p ? "error" : "");
    } else {
        say(&said, "not JSON");
    }
    free(copy);
    return said;
}

static void expect(const char *payload, const char *expected)
{
    struct said said = read_payload(payload, STREAM_CHAT);
    if (strcmp(said.text, expected) != 0)
        fail_msg("%s\n  gives  %s\n  not    %s", payload, said.text, expected);
}

#define DELTA(members) "{\"choices\":[{\"index\":0,\"delta\":{" members "}}]}"

static void reads_channels(void **state)
{
    (void)state;
    expect(DELTA("\"content\":\"hi\""), "c[hi]/");
    expect(DELTA("\"role\":\"assistant\",\"content\":\"\""), "role /");
    expect(DELTA("\"role\":\"assistant\",\"content\":null,\"tool_calls\":null"), "role /");
    expect(DELTA("\"reasoning_content\":\"a\""), "r[a]/");
    expect(DELTA("\"reasoning\":\"a\""), "r[a]/");
    expect(DELTA("\"reasoning_content\":\"\",\"reasoning\":\"b\""), "r[b]/");
    expect(DELTA("\"reasoning\":\"b\",\"reasoning_content\":\"a\""), "r[a]/");
    expect(DELTA("\"reasoning_content\":null,\"content\":\"x\""), "c[x]/");
    expect(DELTA("\"content\":\"x\",\"reasoning_content\":\"a\""), "r[a]c[x]/");
    expect(DELTA("\"refusal\":\"no\""), "refusal /");
    expect(DELTA("\"refusal\":null"), "/");
    expect(DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]"), "tool /");
    expect(DELTA("\"tool_calls\":[]"), "/");
    expect(DELTA("\"function_call\":{\"name\":\"f\"}"), "tool /");
    expect(DELTA("\"content\":7,\"reasoning\":{\"text\":\"x\"}"), "/");
}

static void reads_structured_text(void **state)
{
    (void)state;
    expect(DELTA("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\"},{\"type\":\"reasoning.summary\","
                 "\"summary\":\"b\"},{\"type\":\"reasoning.encrypted\",\"data\":\"zz\"}]"),
           "r[a][b]/");
    expect(DELTA("\"reasoning\":\"a\",\"reasoning_details\":[{\"text\":\"a\"}]"), "r[a]/");
    expect(DELTA("\"reasoning\":null,\"reasoning_details\":[{\"text\":\"a\"}]"), "r[a]/");
    expect(DELTA("\"reasoning_details\":[]"), "/");
    expect(DELTA("\"reasoning_details\":[{\"text\":\"\"},{\"text\":null},7,[\"text\"],null]"), "/");
    expect(DELTA("\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"text\":\"b\"},\"c\"]"), "c[a][b]/");
    expect(DELTA("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"text\":\"a\"}]}]"), "/");
    expect(DELTA("\"content\":[]"), "/");
}

static void reads_keys_in_any_form(void **state)
{
    (void)state;
    expect("{\"choices\":[{\"delta\":{\"\\u0063ontent\":\"x\"}}]}", "c[x]/");
    expect("{\"\\u0063hoices\":[{\"\\u0064elta\":{\"content\":\"x\"},\"finish\\u005freason\":\"stop\"}]}",
           "c[x]f[stop]/");
    expect(" { \"choices\" : [ { \"finish_reason\" : \"stop\" , \"delta\" : { \"content\" : \"x\" } } ] } ",
           "c[x]f[stop]/");
    expect(DELTA("\"content\":\"a\",\"content\":\"b\""), "c[b]/");
    expect(DELTA("\"content\":\"a\",\"content\":null"), "/");
    expect("{\"choices\":[{\"delta\":{\"content\":\"a\"},\"delta\":{\"role\":\"x\"}}]}", "role /");
    expect("{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"choices\":[]}", "");
    expect("{\"choices\":[],\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", "c[a]/");
    expect("{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"choices\":null}", "");
    expect("{\"Choices\":[{\"delta\":{\"content\":\"a\"}}]}", "");
    expect("{\"choices\":[{\"logprobs\":{\"delta\":{\"content\":\"n\"}},\"delta\":{\"x\":{\"content\":\"n\"}}}]}", "/");
}

static void reads_every_choice(void **state)
{
    (void)state;
    expect("{\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"},"
           "{\"finish_reason\":\"length\"}]}",
           "c[a]/c[b]f[stop]/f[length]/");
    expect("{\"choices\":[null,7,\"x\",[{}],{\"delta\":{\"content\":\"a\"}},{\"delta\":null},{\"delta\":[]}]}",
           "////c[a]///");
    expect("{\"choices\":{\"delta\":{\"content\":\"a\"}}}", "");
    expect("{\"choices\":null}", "");
}

static void reads_finish_reasons(void **state)
{
    (void)state;
    expect("{\"choices\":[{\"delta\":{},\"finish_reason\":null}]}", "/");
    expect("{\"choices\":[{\"delta\":{},\"finish_reason\":\"\"}]}", "f/");
    expect("{\"choices\":[{\"delta\":{},\"finish_reason\":{\"type\": \"eos\"}}]}", "F[{\"type\": \"eos\"}]/");
    expect("{\"choices\":[{\"delta\":{},\"finish_reason\":7}]}", "F[7]/");
    expect("{\"choices\":[{\"delta\":{},\"finish_reason\":false}]}", "F[false]/");
}

static void reads_completions(void **state)
{
    (void)state;
    struct said said =
        read_payload("{\"choices\":[{\"text\":\"x\",\"delta\":{\"content\":\"n\"},\"finish_reason\":\"stop\"}]}",
                     STREAM_COMPLETIONS);
    assert_string_equal(said.text, "c[x]f[stop]/");
    expect("{\"choices\":[{\"text\":\"x\"}]}", "/");
}

static void sees_usage_and_errors(void **state)
{
    (void)state;
    expect("{\"choices\":[],\"usage\":{\"prompt_tokens\":1}}", "usage");
    expect("{\"usage\":{}}", "");
    expect("{\"usage\":null}", "");
    expect("{\"usage\":{\"a\":1},\"usage\":{}}", "");
    expect("{\"error\":{\"message\":\"x\"}}", "error");
    expect("{\"error\":\"x\"}", "error");
    expect("{\"error\":\"\"}", "error");
    expect("{\"error\":null}", "");
    expect("{\"object\":\"error\",\"message\":\"x\"}", "error");
    expect("{\"object\":\"chat.completion.chunk\"}", "");
    expect("{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"error\"}],\"error\":{\"code\":502}}",
           "c[a]f[error]/error");
}

static void takes_any_json_and_nothing_else(void **state)
{
    (void)state;
    expect("null", "");
    expect("[1,{\"choices\":[]}]", "");
    expect("\"error\"", "");
    expect("7", "");
    static const char *const bad[] = {
        "",
        "x",
        "[DONE] x",
        "{",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}x",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}},]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"error\":{}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}} {}]}",
        "{\"choices\":[{\"delta\":{\"content\" \"a\"}}]}",
        "{\"choices\":[{\"delta\":}]}",
        "{\"choices\":[}",
        "{\"choices\":",
        "{\"choices\":[{\"finish_reason\":\"stop\"]}",
        "{\"usage\":{\"a\":01}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(bad[i], "not JSON");
}

static void refuses_every_cut(void **state)
{
    (void)state;
    static const char payload[] =
        "{\"id\":\"x\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":[{\"text\":\"a\"}],\"tool_calls\":[{"
        "}]},"
        "\"finish_reason\":\"stop\"},{\"delta\":{}}],\"usage\":{\"prompt_tokens\":1},\"error\":{\"type\":\"t\"}}";
    expect(payload, "role c[a]tool f[stop]//usageerror");
    for (size_t n = 0; n + 1 < sizeof payload; n++) {
        char cut[sizeof payload];
        memcpy(cut, payload, n);
        cut[n] = '\0';
        expect(cut, "not JSON");
    }
}

static void expect_usage(const char *object, const char *expected)
{
    struct usage_facts u;
    char text[160];
    openai_read_usage(tt_view_str(object), &u);
    const struct opt_u64 counts[] = {u.prompt_tokens, u.completion_tokens, u.total_tokens, u.cached_tokens,
                                     u.reasoning_tokens};
    size_t n = 0;
    for (size_t i = 0; i < 5; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, counts[i].has ? "%llu " : "- ",
                              (unsigned long long)counts[i].v);
    snprintf(text + n, sizeof text - n, "odd %llu", (unsigned long long)u.odd_numbers);
    if (strcmp(text, expected) != 0)
        fail_msg("%s\n  gives  %s\n  not    %s", object, text, expected);
}

static void reads_counts(void **state)
{
    (void)state;
    expect_usage(
        "{\"prompt_tokens\":25283,\"completion_tokens\":115,\"total_tokens\":25398,"
        "\"prompt_tokens_details\":{\"cached_tokens\":16},\"completion_tokens_details\":{\"reasoning_tokens\":90}}",
        "25283 115 25398 16 90 odd 0");
    expect_usage("{\"completion_tokens_details\":{\"reasoning_tokens\":0},\"completion_tokens\":0}", "- 0 - - 0 odd 0");
    expect_usage("{\"prompt_tokens\":5.0,\"completion_tokens\":\"7\",\"total_tokens\":-1}", "- - - - - odd 3");
    expect_usage("{\"prompt_tokens\":1e3,\"completion_tokens\":18446744073709551616,\"total_tokens\":true}",
                 "- - - - - odd 3");
    expect_usage("{\"prompt_tokens\":null,\"completion_tokens\":18446744073709551615}",
                 "- 18446744073709551615 - - - odd 0");
    expect_usage("{\"prompt_tokens_details\":null,\"completion_tokens_details\":7}", "- - - - - odd 0");
    expect_usage("{\"prompt_tokens_details\":{\"cached_tokens\":1.5}}", "- - - - - odd 1");
    expect_usage("{\"prompt_tokens\":1,\"prompt_tokens\":2}", "2 - - - - odd 0");
    expect_usage("{\"prompt_tokens_details\":{\"cached_tokens\":1.5,\"cached_tokens\":3}}", "- - - 3 - odd 0");
    expect_usage("{\"cached_tokens\":9,\"reasoning_tokens\":9}", "- - - - - odd 0");
}

static void expect_kind(const char *error, const char *expected)
{
    char kind[OPENAI_KIND_CHARS + 1];
    openai_error_kind(tt_view_str(error), kind);
    assert_string_equal(kind, expected);
}

static void names_errors_by_plain_words(void **state)
{
    (void)state;
    expect_kind("{\"message\":\"m\",\"type\":\"rate_limit_error\",\"code\":\"x\"}", "rate_limit_error");
    expect_kind("{\"type\":null,\"code\":429}", "429");
    expect_kind("{\"type\":\"has spaces\",\"code\":\"context_length\"}", "context_length");
    expect_kind("{\"type\":\"\",\"code\":\"\"}", "");
    expect_kind("{\"code\":\"\\u0041.b-C_1\"}", "A.b-C_1");
    expect_kind("{\"type\":\"<script>\"}", "");
    expect_kind("{\"type\":\"a\\u0000\"}", "");
    expect_kind("{\"type\":\"0123456789012345678901234567890123456789012345678901234567890123\"}",
                "0123456789012345678901234567890123456789012345678901234567890123");
    expect_kind("{\"type\":\"01234567890123456789012345678901234567890123456789012345678901234\"}", "");
    expect_kind("text", "");
    expect_kind("[]", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_channels),
        cmocka_unit_test(reads_structured_text),
        cmocka_unit_test(reads_keys_in_any_form),
        cmocka_unit_test(reads_every_choice),
        cmocka_unit_test(reads_finish_reasons),
        cmocka_unit_test(reads_completions),
        cmocka_unit_test(sees_usage_and_errors),
        cmocka_unit_test(takes_any_json_and_nothing_else),
        cmocka_unit_test(refuses_every_cut),
        cmocka_unit_test(reads_counts),
        cmocka_unit_test(names_errors_by_plain_words),
    };
    return cmocka_run_group_tests_name("openai", tests, NULL, NULL);
}
