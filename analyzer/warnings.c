#include "warnings.h"

#include <string.h>

/* Prompt tokens may miss the plan by this much before it is said (chars per token is a guess). */
#define PLAN_TOLERANCE_PERCENT 10u

static bool has_mode(const struct run *run, const char *mode)
{
    return run->options.prompt_cache_mode && strcmp(run->options.prompt_cache_mode, mode) == 0;
}

static bool cached_in_unique_mode(const struct run *run, const struct request *r)
{
    return has_mode(run, "unique") && r->facts.usage.cached_tokens.has && r->facts.usage.cached_tokens.v > 0;
}

static bool prefix_fills_prompt(const struct run *run, const struct request *r)
{
    return has_mode(run, "shared") && r->context_tokens > 0 && run->options.shared_prefix_tokens >= r->context_tokens;
}

static bool upload_is_slow(const struct run *run, const struct request *r)
{
    (void)run;
    uint64_t output = request_first_output_ns(r);
    if (r->start_ns == TAPE_NONE || r->send_last_ns == TAPE_NONE || output == TAPE_NONE ||
        r->send_last_ns < r->start_ns)
        return false;
    return r->send_last_ns - r->start_ns > (output - r->start_ns) / 100;
}

static bool prompt_misses_plan(const struct run *run, const struct request *r)
{
    (void)run;
    struct opt_u64 prompt = r->facts.usage.prompt_tokens;
    if (!prompt.has || r->context_tokens == 0)
        return false;
    double apart =
        prompt.v > r->context_tokens ? (double)(prompt.v - r->context_tokens) : (double)(r->context_tokens - prompt.v);
    return apart * 100 > (double)r->context_tokens * PLAN_TOLERANCE_PERCENT;
}

/* Some proxy held the answer back: its times are not the server's. */
static bool came_in_a_burst(const struct run *run, const struct request *r)
{
    (void)run;
    uint64_t first = request_first_output_ns(r), last = r->facts.last_byte_ns;
    if (r->start_ns == TAPE_NONE || first == TAPE_NONE || last == TAPE_NONE || last < first ||
        r->facts.content_chunks + r->facts.reasoning_chunks < 3)
        return false;
    return last - first < (last - r->start_ns) / 100;
}

static bool has_odd_usage(const struct run *run, const struct request *r)
{
    (void)run;
    return r->facts.usage.odd_numbers > 0;
}

static bool lacks_usage(const struct run *run, const struct request *r)
{
    (void)run;
    return request_succeeded(r) && !r->facts.usage.completion_tokens.has;
}

static bool has_bad_payloads(const struct run *run, const struct request *r)
{
    (void)run;
    return r->facts.payloads_not_json > 0;
}

static bool has_more_after_done(const struct run *run, const struct request *r)
{
    (void)run;
    return r->facts.events_after_done > 0;
}

struct rule {
    const char *code, *text;
    bool (*applies)(const struct run *run, const struct request *r);
};

static const struct rule rules[] = {
    {"cached_tokens_in_unique_mode", "the server reports cached prompt tokens although no two prompts share a prefix",
     cached_in_unique_mode},
    {"shared_prefix_fills_prompt", "the shared prefix is as long as the whole prompt", prefix_fills_prompt},
    {"upload_above_1_percent_of_ttfo", "sending the request took more than 1 % of the time to first output",
     upload_is_slow},
    {"prompt_tokens_far_from_plan", "the server counts prompt tokens more than 10 % away from the plan",
     prompt_misses_plan},
    {"burst_delivery", "all output came in the last 1 % of the request's time", came_in_a_burst},
    {"usage_missing", "no completion token count: token rates are null", lacks_usage},
    {"usage_numbers_odd", "usage holds counts that are no integers >= 0; they are taken as absent", has_odd_usage},
    {"payloads_not_json", "some event payloads are not JSON and were passed over", has_bad_payloads},
    {"events_after_done", "events follow [DONE]; they change nothing", has_more_after_done},
};

enum { RULES = sizeof rules / sizeof rules[0] };

static void add(struct warning *out, size_t *n, const char *code, const char *text, uint64_t count)
{
    if (count > 0)
        out[(*n)++] = (struct warning){.code = code, .text = text, .count = count};
}

static void add_rule(const struct run *run, struct warning *out, size_t *n, const struct rule *rule)
{
    struct warning w = {.code = rule->code, .text = rule->text};
    for (size_t i = 0; i < run->count; i++) {
        if (!rule->applies(run, &run->requests[i]))
            continue;
        if (w.count++ < WARNING_REQUESTS)
            w.requests[w.listed++] = i;
    }
    if (w.count == run->count)
        w.listed = 0;
    if (w.count > 0)
        out[(*n)++] = w;
}

size_t warnings_collect(const struct run *run, struct warning out[WARNINGS_MAX])
{
    _Static_assert(RULES + 3 <= WARNINGS_MAX, "room for every warning");
    size_t n = 0, succeeded = run_count_succeeded(run);
    for (size_t k = 0; k < RULES; k++)
        add_rule(run, out, &n, &rules[k]);
    add(out, &n, "p95_is_max", "with fewer than 20 samples p95 is the greatest of them",
        succeeded < 20 ? succeeded : 0);
    add(out, &n, "reads_lost", "reads were lost in recording", run->lost_reads);
    add(out, &n, "tape_has_holes", "holes in the tape", run->gaps);
    return n;
}
