#include "recorder_args.h"

#include <cjson/cJSON.h>
#include <openssl/sha.h>
#include <stdio.h>

#include "../recorder/contexts.h"
#include "../recorder/duplicates.h"
#include "../recorder/workload.h"

struct load {
    struct args a;
    struct workload *w;
};

/* Two at once at most: a second one to compare with. */
static struct load one, two;

static void make(struct load *l, uint32_t window, const char *flags)
{
    struct tt_error err;
    if (args_capacity(&l->a, flags) != TT_OK)
        fail_msg("%s: %s", flags, l->a.err.line);
    if (workload_create(&l->w, &l->a.o, window, &err) != TT_OK)
        fail_msg("%s: %s", flags, err.line);
}

static void drop(struct load *l)
{
    workload_free(l->w);
    options_free(&l->a.o);
    l->w = NULL;
}

static cJSON *body_of(const struct load *l, uint32_t request)
{
    uint8_t *bytes, hash[32];
    size_t n;
    struct tt_error err;
    if (workload_body(l->w, request, &bytes, &n, &err) != TT_OK)
        fail_msg("%s", err.line);
    SHA256(bytes, n, hash);
    assert_int_equal(n, l->w->requests[request].body_bytes);
    assert_memory_equal(hash, l->w->requests[request].sha256, 32);
    cJSON *body = cJSON_ParseWithLength((const char *)bytes, n);
    free(bytes);
    assert_non_null(body);
    return body;
}

/* The prompt, malloc'd. */
static char *prompt_of(const struct load *l, uint32_t request)
{
    cJSON *body = body_of(l, request);
    const cJSON *messages = cJSON_GetObjectItemCaseSensitive(body, "messages");
    assert_int_equal(cJSON_GetArraySize(messages), 1);
    const cJSON *message = cJSON_GetArrayItem(messages, 0);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(message, "role")->valuestring, "user");
    char *prompt = strdup(cJSON_GetObjectItemCaseSensitive(message, "content")->valuestring);
    cJSON_Delete(body);
    assert_non_null(prompt);
    return prompt;
}

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* random.Random(42): the 64 draws against the cumulative bounds, computed with CPython. */
static const uint32_t contexts_of_42[64] = {
    65536, 16000,  32768, 32768, 65536, 65536,  65536, 16000, 32768,  16000, 32768, 32768, 16000,  16000, 65536, 32768,
    32768, 32768,  65536, 16000, 65536, 65536,  32768, 16000, 131072, 32768, 16000, 16000, 65536,  65536, 65536, 65536,
    32768, 131072, 32768, 32768, 65536, 65536,  65536, 32768, 65536,  16000, 32768, 32768, 16000,  32768, 16000, 32768,
    65536, 32768,  32768, 16000, 32768, 131072, 65536, 65536, 16000,  65536, 16000, 32768, 131072, 65536, 32768, 65536};

static void contexts_follow_the_distribution(void **state)
{
    (void)state;
    make(&one, 0, "--seed 42 --requests 64");
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(one.w->requests[i].context_tokens, contexts_of_42[i]);
    make(&two, 65536, "--seed 42 --requests 64 --warmup 3");
    assert_int_equal(two.w->cap, 65536 - 64 - 1024);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(two.w->requests[i].context_tokens,
                         contexts_of_42[i] < two.w->cap ? contexts_of_42[i] : two.w->cap);
    drop(&one);
    drop(&two);
}

static void samples_change_just_past_each_bound(void **state)
{
    static const struct {
        double u;
        uint32_t tokens;
    } cases[] = {{0, 16000},     {0.218, 16000},      {0.2180001, 32768}, {0.602, 32768},      {0.6020001, 65536},
                 {0.906, 65536}, {0.9060001, 131072}, {0.995, 131072},    {0.9950001, 262144}, {0.9999999, 262144}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(contexts_sample(cases[i].u), cases[i].tokens);
}

/* No two prompts of the generator are the same: hashes made up. */
static void the_lowest_request_with_a_body_is_named(void **state)
{
    static const uint8_t hash[] = {9, 4, 9, 4, 4, 1, 9};
    static const uint32_t want[] = {0, 1, 2, 1, 1, 5, 0};
    (void)state;
    struct planned requests[7];
    memset(requests, 0, sizeof requests);
    struct workload w = {.measured = 5, .warmup = 2, .requests = requests};
    for (uint32_t i = 0; i < 7; i++) {
        requests[i].sha256[31] = hash[i];
        requests[i].same_body_as = i;
        requests[i].buildable = i != 2;
    }
    assert_int_equal(duplicates_find(&w, NULL), TT_OK);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(requests[i].same_body_as, want[i]);
}

static void given_contexts_are_capped(void **state)
{
    (void)state;
    make(&one, 4096, "--ctx-tokens 8192 --requests 2 --max-tokens 100 --margin 96");
    assert_int_equal(one.w->cap, 3900);
    assert_int_equal(one.w->requests[1].context_tokens, 3900);
    drop(&one);
    make(&one, 4096, "--ctx-tokens 3901 --requests 2 --max-tokens 100 --margin 96");
    assert_int_equal(one.w->requests[1].context_tokens, 3900);
    drop(&one);
    make(&one, 0, "--ctx-tokens 8192 --requests 2");
    assert_int_equal(one.w->cap, 0);
    assert_int_equal(one.w->requests[1].context_tokens, 8192);
    drop(&one);
}

static void a_window_without_room_is_refused(void **state)
{
    (void)state;
    struct tt_error err;
    assert_int_equal(args_capacity(&one.a, ""), TT_OK);
    assert_int_equal(workload_create(&one.w, &one.a.o, 1088, &err), TT_USAGE);
    assert_non_null(strstr(err.line, "1088"));
    assert_null(one.w);
    assert_int_equal(workload_create(&one.w, &one.a.o, 1089, &err), TT_OK);
    assert_int_equal(one.w->cap, 1);
    drop(&one);
}

static void the_token_budget_counts_the_discovered_window(void **state)
{
    (void)state;
    struct tt_error err;
    assert_int_equal(args_capacity(&one.a, "--requests 257"), TT_OK);
    assert_int_equal(workload_create(&one.w, &one.a.o, 0, &err), TT_USAGE); /* nothing known: 262144 each */
    one.a.o.requests = 513;
    assert_int_equal(workload_create(&one.w, &one.a.o, 131072 + 1088, &err), TT_USAGE);
    assert_non_null(strstr(err.line, "67108864"));
    options_free(&one.a.o);
}

static void totals_are_exact_at_every_size(void **state)
{
    static const char *const modes[] = {
        "--prompt-cache-mode unique",
        "--prompt-cache-mode unique --request-canaries --response-words 7",
        "--prompt-cache-mode shared --shared-prefix-tokens 100",
        "--prompt-cache-mode shared --shared-prefix-tokens 262144 --request-canaries",
        "--prompt-cache-mode shared --shared-prefix-tokens 0",
        "--prompt-cache-mode unique --chars-per-token 3.7",
        "--prompt-cache-mode shared --chars-per-token 0.5 --shared-prefix-tokens 61",
        "--prompt-cache-mode unique --seed -98765432109876543210987654321098765432109876543210 --request-canaries",
    };
    (void)state;
    char flags[256];
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (unsigned context = 32; context < 700; context += context < 300 ? 1 : 37) {
            snprintf(flags, sizeof flags, "--requests 1 --ctx-tokens %u %s", context, modes[m]);
            make(&one, 0, flags);
            size_t total = (size_t)(context * one.a.o.chars_per_token);
            if (one.w->requests[0].buildable) {
                char *prompt = prompt_of(&one, 0);
                assert_int_equal(strlen(prompt), total);
                assert_true(ends_with(prompt, one.a.o.response_words ? "stop early." : "in one line."));
                free(prompt);
            } else {
                assert_true(total < 256 && one.w->requests[0].fault[0]);
            }
            drop(&one);
        }
}

static void the_tail_decides_what_is_buildable(void **state)
{
    (void)state;
    /* "\nThis is request 0. Write a summary of the above in one line." */
    const size_t tail = 1 + 19 + 6 + 35;
    char flags[128];
    for (size_t total = 60; total < 64; total++) {
        snprintf(flags, sizeof flags, "--requests 1 --ctx-tokens %zu --chars-per-token 1", total);
        make(&one, 0, flags);
        const struct planned *r = one.w->requests;
        assert_int_equal(r->buildable, total > tail);
        assert_int_equal(r->fault[0] != '\0', total <= tail);
        assert_int_equal(r->same_body_as, 0);
        if (!r->buildable) {
            uint8_t *bytes;
            size_t n;
            struct tt_error err;
            assert_int_equal(workload_body(one.w, 0, &bytes, &n, &err), TT_USAGE);
            assert_int_equal(one.w->total_body_bytes, 0);
        }
        drop(&one);
    }
}

static void the_tail_asks_for_what_was_ordered(void **state)
{
    (void)state;
    make(&one, 0, "--requests 3 --ctx-tokens 500 --seed -7 --request-canaries --response-words 16");
    char *prompt = prompt_of(&one, 2), marker[1280];
    assert_true(ends_with(prompt,
                          "\nThis is request 2. Begin the answer with ANVIL_REQ_-7_00002 followed by one space, "
                          "then write exactly 16 copies of the lower-case word code separated by single spaces. "
                          "Write nothing else and do not stop early."));
    /* in shared mode the marker is in the tail alone */
    assert_null(strstr(strstr(prompt, "ANVIL_REQ") + 1, "ANVIL_REQ"));
    workload_marker(one.w, 2, marker, sizeof marker);
    assert_string_equal(marker, "ANVIL_REQ_-7_00002");
    free(prompt);
    drop(&one);
    make(&one, 0, "--requests 3 --ctx-tokens 500");
    prompt = prompt_of(&one, 2);
    assert_true(ends_with(prompt, "\nThis is request 2. Write a summary of the above in one line."));
    workload_marker(one.w, 2, marker, sizeof marker);
    assert_string_equal(marker, "");
    assert_null(strstr(prompt, "ANVIL_REQ"));
    free(prompt);
    drop(&one);
}

static void unique_prompts_share_no_prefix(void **state)
{
    static const char *const modes[] = {"", "--request-canaries"};
    (void)state;
    char flags[128];
    for (size_t m = 0; m < 2; m++) {
        snprintf(flags, sizeof flags, "--requests 12 --warmup 3 --ctx-tokens 400 --prompt-cache-mode unique %s",
                 modes[m]);
        make(&one, 0, flags);
        char *prompts[15];
        for (uint32_t i = 0; i < 15; i++) {
            prompts[i] = prompt_of(&one, i);
            char name[64];
            snprintf(name, sizeof name, m ? "ANVIL_REQ_0_%05u, seed 0.\n" : "request %05u, seed 0.\n", i);
            assert_non_null(strstr(prompts[i], name));
            assert_int_equal(one.w->requests[i].warmup, i >= 12);
            for (uint32_t k = 0; k < i; k++)
                assert_true(common_prefix(prompts[i], prompts[k]) < 9); /* the first number differs */
        }
        for (uint32_t i = 0; i < 15; i++)
            free(prompts[i]);
        drop(&one);
    }
}

static void another_seed_shares_nothing_past_the_header(void **state)
{
    static const char *const modes[] = {"unique", "unique --request-canaries", "shared"};
    static const char *const seeds[][2] = {{"1", "2"}, {"7", "-7"}, {"0", "4294967296"}, {"1", "11"}};
    (void)state;
    char flags[128];
    for (size_t m = 0; m < 3; m++)
        for (size_t s = 0; s < 4; s++) {
            snprintf(flags, sizeof flags, "--requests 3 --ctx-tokens 400 --seed %s --prompt-cache-mode %s", seeds[s][0],
                     modes[m]);
            make(&one, 0, flags);
            snprintf(flags, sizeof flags, "--requests 3 --ctx-tokens 400 --seed %s --prompt-cache-mode %s", seeds[s][1],
                     modes[m]);
            make(&two, 0, flags);
            for (uint32_t i = 0; i < 3; i++) {
                char *a = prompt_of(&one, i), *b = prompt_of(&two, i);
                assert_true(common_prefix(a, b) < strcspn(a, "\n"));
                /* whole lines of filler do not recur either */
                char line[32];
                memcpy(line, strstr(a, "\nEntry ") + 1, 15);
                line[15] = '\0';
                assert_null(strstr(b, line));
                free(a);
                free(b);
            }
            drop(&one);
            drop(&two);
        }
}

static void shared_prompts_share_the_prefix_and_no_more(void **state)
{
    (void)state;
    make(&one, 0, "--requests 8 --ctx-tokens 1000 --shared-prefix-tokens 333 --request-canaries");
    char *first = prompt_of(&one, 0);
    for (uint32_t i = 1; i < 8; i++) {
        char *other = prompt_of(&one, i);
        size_t common = common_prefix(first, other);
        assert_true(common >= 999 && common < 999 + 1 + strlen("Entry 123456789"));
        assert_true(other[999] == '\n');
        free(other);
    }
    free(first);
    drop(&one);
}

static void the_same_seed_gives_the_same_bodies(void **state)
{
    static const char flags[] = "--requests 10 --seed 5 --prompt-cache-mode unique";
    (void)state;
    make(&one, 32768, flags);
    make(&two, 32768, "--requests 10 --seed +05 --prompt-cache-mode unique --warmup 4 --timeout 5 --concurrency 3");
    for (uint32_t i = 0; i < 10; i++) {
        assert_memory_equal(one.w->requests[i].sha256, two.w->requests[i].sha256, 32);
        assert_int_equal(two.w->requests[i].same_body_as, i);
    }
    assert_true(two.w->warmup == 4 && two.w->requests[13].warmup && two.w->requests[13].buildable);
    drop(&two);
    make(&two, 32768, "--requests 10 --seed 6 --prompt-cache-mode unique");
    for (uint32_t i = 0; i < 10; i++)
        assert_memory_not_equal(one.w->requests[i].sha256, two.w->requests[i].sha256, 32);
    drop(&one);
    drop(&two);
}

/* The bytes of one body, frozen: a change of wording is a change of WORKLOAD_GENERATOR. */
static void the_generator_is_what_its_id_says(void **state)
{
    static const char want[] =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"901421172 opens the ledger of request 0"
        "0001, seed 42.\\nEntry 901421172: the ledger keeps e\\nThis is request 1. Write a summary of"
        " the above in one line.\"}],\"max_tokens\":64,\"temperature\":0.0,\"stream\":true,\"stream_options"
        "\":{\"include_usage\":true}}";
    (void)state;
    uint8_t *bytes;
    size_t n;
    make(&one, 0, "--requests 2 --ctx-tokens 50 --seed 42 --prompt-cache-mode unique --chars-per-token 3");
    assert_int_equal(workload_body(one.w, 1, &bytes, &n, NULL), TT_OK);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(bytes, want, n);
    free(bytes);
    assert_string_equal(WORKLOAD_GENERATOR, "tokentape-prompt/1");
    drop(&one);
}

/* Name and order of the members, and their values where they are no prompt. */
static void expect_members(const char *flags, const char *names, const char *last)
{
    char got[256] = "";
    make(&one, 0, flags);
    cJSON *body = body_of(&one, 0), *member;
    cJSON_ArrayForEach(member, body)
    {
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s ", member->string);
    }
    assert_string_equal(got, names);
    member = cJSON_GetArrayItem(body, cJSON_GetArraySize(body) - 1);
    char *text = cJSON_PrintUnformatted(member);
    assert_string_equal(text, last);
    cJSON_free(text);
    cJSON_Delete(body);
    drop(&one);
}

#define FIXED "model messages max_tokens temperature stream stream_options "

static void bodies_hold_the_members_asked_for(void **state)
{
    (void)state;
    expect_members("--requests 1 --ctx-tokens 99", FIXED, "{\"include_usage\":true}");
    expect_members("--requests 1 --ctx-tokens 99 --thinking-mode unsupported", FIXED, "{\"include_usage\":true}");
    expect_members("--requests 1 --ctx-tokens 99 --no-thinking", FIXED "chat_template_kwargs ",
                   "{\"enable_thinking\":false}");
    expect_members("--requests 1 --ctx-tokens 99 --thinking-mode enabled", FIXED "chat_template_kwargs ",
                   "{\"enable_thinking\":true}");
    expect_members("--requests 1 --ctx-tokens 99 --reasoning-effort max", FIXED "reasoning_effort ", "\"max\"");
    expect_members("--requests 1 --ctx-tokens 99 --top-p 0.95",
                   "model messages max_tokens temperature top_p stream stream_options ", "{\"include_usage\":true}");
}

static void numbers_and_names_are_sent_exactly(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t n;
    static const char line[] = "capacity --base-url http://h --model a\"content\":\"\"\\é --requests 1 --ctx-tokens 99 "
                               "--temperature 0.30000000000000004 --top-p 0.95 --max-tokens 16384";
    assert_int_equal(args_parse(&one.a, "tokentape-record", line), TT_OK);
    assert_int_equal(workload_create(&one.w, &one.a.o, 0, NULL), TT_OK);
    assert_int_equal(workload_body(one.w, 0, &bytes, &n, NULL), TT_OK);
    char *text = strndup((const char *)bytes, n);
    assert_non_null(
        strstr(text, "\"max_tokens\":16384,\"temperature\":0.30000000000000004,\"top_p\":0.95,\"stream\":true"));
    free(text);
    free(bytes);
    cJSON *body = body_of(&one, 0);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(body, "model")->valuestring, "a\"content\":\"\"\\é");
    cJSON_Delete(body);
    char *prompt = prompt_of(&one, 0);
    assert_int_equal(strlen(prompt), 297);
    free(prompt);
    drop(&one);
}

static void totals_of_bodies_add_up(void **state)
{
    (void)state;
    make(&one, 16384, "--requests 5 --warmup 2 --seed 3");
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 7; i++)
        sum += one.w->requests[i].body_bytes;
    assert_true(sum > 7 * 14000 * 3 && sum == one.w->total_body_bytes);
    drop(&one);
}

static void windows_are_read_tolerantly(void **state)
{
    static const struct {
        const char *json;
        uint32_t window;
    } cases[] = {
        {"{\"data\":[{\"id\":\"x\",\"max_model_len\":1},{\"id\":\"m\",\"max_model_len\":4096}]}", 4096},
        {"{\"data\":[{\"id\":\"x\",\"max_model_len\":7},{\"id\":\"y\",\"max_model_len\":8}]}", 7},
        {"{\"data\":[3,\"m\",null,{\"context_length\":9}]}", 9},
        {"{\"data\":[{\"id\":\"m\",\"context_length\":5,\"max_context_length\":6}]}", 6},
        {"{\"data\":[{\"id\":\"m\",\"context_length\":5,\"max_context_length\":6,\"max_model_len\":4}]}", 4},
        {"{\"data\":[{\"id\":\"m\",\"max_model_len\":0,\"max_context_length\":-1,\"context_length\":12}]}", 12},
        {"{\"data\":[{\"id\":\"m\",\"max_model_len\":null,\"max_context_length\":\"8\",\"context_length\":2}]}", 2},
        {"{\"data\":[{\"id\":\"m\",\"max_model_len\":true,\"max_context_length\":1.5}]}", 0},
        {"{\"data\":[{\"id\":\"m\"},{\"id\":\"x\",\"max_model_len\":3}]}", 0},
        {"{\"data\":[{\"id\":\"m\",\"max_model_len\":1e300}]}", 0},
        {"{\"data\":[]}", 0},
        {"{\"data\":{\"max_model_len\":3}}", 0},
        {"{\"data\":[{\"id\":\"m\",\"max_model_len\":4096}", 0},
        {"[[[", 0},
        {"null", 0},
        {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (workload_window_from_models(tt_view_str(cases[i].json), "m") != cases[i].window)
            fail_msg("%s gives %u", cases[i].json, workload_window_from_models(tt_view_str(cases[i].json), "m"));
    assert_int_equal(workload_window_from_models(tt_view_of(NULL, 0), "m"), 0);
}

static void the_longest_prompt_keeps_its_length(void **state)
{
    (void)state;
    make(&one, 0, "--requests 1 --ctx-tokens 1048576 --chars-per-token 16 --prompt-cache-mode unique");
    char *prompt = prompt_of(&one, 0);
    assert_int_equal(strlen(prompt), 16777216);
    free(prompt);
    drop(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_follow_the_distribution),
        cmocka_unit_test(samples_change_just_past_each_bound),
        cmocka_unit_test(the_lowest_request_with_a_body_is_named),
        cmocka_unit_test(given_contexts_are_capped),
        cmocka_unit_test(a_window_without_room_is_refused),
        cmocka_unit_test(the_token_budget_counts_the_discovered_window),
        cmocka_unit_test(totals_are_exact_at_every_size),
        cmocka_unit_test(the_tail_decides_what_is_buildable),
        cmocka_unit_test(the_tail_asks_for_what_was_ordered),
        cmocka_unit_test(unique_prompts_share_no_prefix),
        cmocka_unit_test(another_seed_shares_nothing_past_the_header),
        cmocka_unit_test(shared_prompts_share_the_prefix_and_no_more),
        cmocka_unit_test(the_same_seed_gives_the_same_bodies),
        cmocka_unit_test(the_generator_is_what_its_id_says),
        cmocka_unit_test(bodies_hold_the_members_asked_for),
        cmocka_unit_test(numbers_and_names_are_sent_exactly),
        cmocka_unit_test(totals_of_bodies_add_up),
        cmocka_unit_test(windows_are_read_tolerantly),
        cmocka_unit_test(the_longest_prompt_keeps_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
