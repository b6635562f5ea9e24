/* What the run was asked to do: bounds, and settings that go together. */
#include "audit_parts.h"
#include "result.h"

#define MAX_PROMPT_TOKENS 67108864ull

static void check_range(struct audit *a, const char *key, uint64_t least, uint64_t most)
{
    struct opt_u64 n = audit_count(a->root, key);
    if (n.has)
        audit_expect(a, n.v >= least && n.v <= most, "%s %llu is not within %llu to %llu", key, (unsigned long long)n.v,
                     (unsigned long long)least, (unsigned long long)most);
}

static void check_ranges(struct audit *a)
{
    check_range(a, "requests", 1, 65536);
    check_range(a, "concurrency", 1, 65536);
    check_range(a, "max_tokens", 1, 65536);
    check_range(a, "context_tokens", 32, 1048576);
    check_range(a, "response_words", 0, 65536);
    check_range(a, "shared_prefix_tokens", 0, 262144);
    check_range(a, "max_context_tokens", 1, UINT32_MAX);
}

/* "sha256:" and 64 lower hex digits; 1 to 64 letters, digits, dots, dashes, underscores. */
static void check_names(struct audit *a)
{
    const struct json_node *print = json_node_get(a->root, "configuration_fingerprint"),
                           *domain = json_node_get(a->root, "clock_domain_id");
    if (print && print->type == JSON_STRING) {
        const char *text = (const char *)print->text.p;
        audit_expect(
            a, print->text.n == 71 && memcmp(text, "sha256:", 7) == 0 && strspn(text + 7, "0123456789abcdef") == 64,
            "configuration_fingerprint %.80s is no sha256", text);
    }
    if (domain && domain->type == JSON_STRING) {
        const char *text = (const char *)domain->text.p;
        size_t good = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
        audit_expect(a, good == domain->text.n && good >= 1 && good <= 64, "clock_domain_id %.80s is no such name",
                     text);
    }
}

/* Absolute http or https, without user, query or fragment. A port that was blanked is no fault. */
static void check_url(struct audit *a)
{
    const struct json_node *url = json_node_get(a->root, "base_url");
    if (!url || url->type != JSON_STRING)
        return;
    const char *text = (const char *)url->text.p;
    size_t scheme = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
    audit_expect(a, scheme > 0 && text[scheme] && text[scheme] != '/' && strcspn(text, "@?#") == url->text.n,
                 "base_url %.100s is no base URL", text);
}

/* As many prompt tokens as a run may plan. */
static void check_prompt_volume(struct audit *a)
{
    struct opt_u64 given = audit_count(a->root, "context_tokens");
    const struct json_node *kinds = json_node_get(a->root, "context_distribution");
    uint64_t tokens = 0, target, count;
    if (given.has && given.v <= UINT32_MAX && a->requests <= UINT32_MAX)
        tokens = given.v * a->requests;
    for (const struct json_node *c = kinds && !given.has ? kinds->child : NULL; c; c = c->next)
        if (json_number_u64(c->key, &target) && json_node_u64(c, &count) && target <= UINT32_MAX && count <= 65536)
            tokens += target * count;
    audit_expect(a, tokens <= MAX_PROMPT_TOKENS, "the prompts have %llu tokens, a run plans %llu at most",
                 (unsigned long long)tokens, MAX_PROMPT_TOKENS);
}

void audit_settings(struct audit *a)
{
    static const char *const modes[] = {"shared", "unique", NULL}, *const policies[] = {"observe", "strict", NULL};
    struct opt_u64 window = audit_count(a->root, "max_context_tokens"), max_tokens = audit_count(a->root, "max_tokens"),
                   words = audit_count(a->root, "response_words"),
                   prefix = audit_count(a->root, "shared_prefix_tokens");
    check_ranges(a);
    check_names(a);
    check_url(a);
    check_prompt_volume(a);
    audit_expect_word(a, "", a->root, "prompt_cache_mode", modes);
    audit_expect_word(a, "", a->root, "controlled_output_policy", policies);
    audit_expect(a, !window.has || max_tokens.v < window.v, "max_tokens %llu does not fit max_context_tokens %llu",
                 (unsigned long long)max_tokens.v, (unsigned long long)window.v);
    if (audit_text_is(a->root, "prompt_cache_mode", "unique") && prefix.has)
        audit_expect(a, prefix.v == 0, "shared_prefix_tokens is %llu, although no prompts share a prefix",
                     (unsigned long long)prefix.v);
    if (audit_text_is(a->root, "controlled_output_policy", "strict"))
        audit_expect(a, words.v > 0, "controlled_output_policy is strict, although response_words is 0");
    if (audit_true(a->root, "request_canaries"))
        audit_expect(a, max_tokens.v >= 16, "request_canaries need max_tokens of 16, here %llu",
                     (unsigned long long)max_tokens.v);
}

static void check_parameter(struct audit *a, const char *place, const struct json_node *p, struct opt_double unasked)
{
    struct opt_double asked = audit_double(p, "requested"), effective = asked.has ? asked : unasked;
    if (!p)
        return;
    audit_expect_double(a, place, p, "effective_request", effective);
    audit_expect_bool(a, place, p, "sent", effective.has);
}

/* The temperature is always sent, 0.0 when not asked for; top_p only when asked for. */
void audit_sampling(struct audit *a)
{
    const struct json_node *sampling = json_node_get(a->root, "sampling"),
                           *temperature = json_node_get(sampling, "temperature"),
                           *top_p = json_node_get(sampling, "top_p");
    struct opt_double t = audit_double(temperature, "requested"), p = audit_double(top_p, "requested");
    check_parameter(a, "sampling.temperature", temperature, (struct opt_double){true, 0.0});
    check_parameter(a, "sampling.top_p", top_p, (struct opt_double){false, 0});
    audit_expect(a, !t.has || (t.v >= 0 && t.v <= 2), "sampling.temperature.requested %.9g is not within 0 to 2", t.v);
    audit_expect(a, !p.has || (p.v > 0 && p.v <= 1), "sampling.top_p.requested %.9g is not within 0 to 1", p.v);
}

void audit_serve_flags(struct audit *a)
{
    static const char *const modes[] = {"default", "enabled", "disabled", "unsupported", NULL};
    static const char *const efforts[] = {"none", "minimal", "low", "medium", "high", "xhigh", "max", NULL};
    const struct json_node *flags = json_node_get(a->root, "serve_flags");
    if (!flags)
        return;
    audit_expect_word(a, "serve_flags", flags, "thinking_mode", modes);
    audit_expect_word(a, "serve_flags", flags, "reasoning_effort", efforts);
    if (audit_true(flags, "no_thinking"))
        audit_expect(a, audit_text_is(flags, "thinking_mode", "disabled"),
                     "serve_flags.no_thinking is true, although thinking_mode is not disabled");
    if (audit_is(flags, "reasoning_effort", JSON_STRING))
        audit_expect(a, audit_text_is(flags, "thinking_mode", "default"),
                     "serve_flags.reasoning_effort is given, although thinking_mode is not default");
    if (!audit_true(flags, "shared_prefix_burst"))
        return;
    audit_expect_count(a, "", a->root, "concurrency", a->requests);
    if (json_node_get(a->root, "prompt_cache_mode"))
        audit_expect_text(a, "", a->root, "prompt_cache_mode", "shared");
}

/* Of the published harness in its modern form: this program's sentences, but for what is true of it alone. */
static const char *sentence(const struct audit *a, const char *key)
{
    if (!a->ours && strcmp(key, "clock") == 0)
        return "client time.perf_counter";
    if (!a->ours && strcmp(key, "artifact_timestamps") == 0)
        return "time.time_ns Unix timestamps; independent artifacts may align them only when the operator supplied the "
               "same explicit clock_domain_id";
    return result_methodology_text(key);
}

void audit_methodology(struct audit *a)
{
    const struct json_node *texts = json_node_get(a->root, "timing_methodology");
    size_t known = 0;
    for (const struct json_node *n = texts ? texts->child : NULL; n; n = n->next) {
        const char *want = sentence(a, (const char *)n->key.p);
        bool same = want && n->type == JSON_STRING && tt_view_equal(n->text, want);
        known += want != NULL;
        if (a->ours)
            audit_expect(a, same, "timing_methodology.%.60s is not what this program writes", (const char *)n->key.p);
        else if (!same)
            audit_cannot(a, "timing_methodology.%.60s: nobody here knows this sentence", (const char *)n->key.p);
        else
            audit_expect(a, true, "%s", "");
    }
    audit_expect(a, known == result_methodology_texts(), "timing_methodology speaks of %zu things, not of %zu", known,
                 result_methodology_texts());
}
