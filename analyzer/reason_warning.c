/* What a reader of the numbers should know of a request, though it counts. */
#include <string.h>

#include "reason_parts.h"

/* Prompt tokens may miss the plan by this much before it is said (chars per token is a guess). */
#define PLAN_TOLERANCE_PERCENT 10u
/* Fewer chunks than these show no rhythm. */
#define BURST_LEAST_CHUNKS 3u

static bool has_mode(const struct run *run, const char *mode)
{
    return run->options.prompt_cache_mode && strcmp(run->options.prompt_cache_mode, mode) == 0;
}

static void at_read(struct reason_finding *f, uint64_t ns)
{
    if (ns != TAPE_NONE)
        reason_at(f, TAPE_READ, ns, ns);
}

void reason_cached(const struct reason_case *c, struct reason_finding *f)
{
    struct opt_u64 cached = c->request->facts.usage.cached_tokens;
    if (!has_mode(c->run, "unique") && reason_skip(f, "the cache mode is not unique"))
        return;
    if (!cached.has && reason_skip(f, "cached tokens are not told"))
        return;
    reason_decide(f, cached.v > 0);
    reason_see(f, "%llu cached tokens", (unsigned long long)cached.v);
    reason_want(f, "0");
    at_read(f, c->request->facts.usage_ns);
}

void reason_prefix(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    uint64_t shared = c->run->options.shared_prefix_tokens;
    if (!has_mode(c->run, "shared") && reason_skip(f, "the cache mode is not shared"))
        return;
    if (r->context_tokens == 0 && reason_skip(f, "its context is not known"))
        return;
    reason_decide(f, shared >= r->context_tokens);
    reason_see(f, "a shared prefix of %llu tokens, a context of %llu", (unsigned long long)shared,
               (unsigned long long)r->context_tokens);
    reason_want(f, "a prefix shorter than the context");
    reason_at(f, TAPE_PLAN, TAPE_NONE, TAPE_NONE);
}

void reason_upload(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    uint64_t output = request_first_output_ns(r);
    if ((r->start_ns == TAPE_NONE || r->send_last_ns == TAPE_NONE || r->send_last_ns < r->start_ns) &&
        reason_skip(f, "when it was sent is not known"))
        return;
    if (output == TAPE_NONE && reason_skip(f, "there is no output"))
        return;
    uint64_t upload = r->send_last_ns - r->start_ns, limit = (output - r->start_ns) / 100;
    reason_decide(f, upload > limit);
    reason_see(f, "sent in %.6f ms, first output after %.6f ms", (double)upload / 1e6,
               (double)(output - r->start_ns) / 1e6);
    reason_want(f, "sent within %.6f ms", (double)limit / 1e6);
    reason_at(f, TAPE_SEND, TAPE_NONE, TAPE_NONE);
}

void reason_prompt(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    struct opt_u64 prompt = r->facts.usage.prompt_tokens;
    if (!prompt.has && reason_skip(f, "prompt tokens are not told"))
        return;
    if (r->context_tokens == 0 && reason_skip(f, "its context is not known"))
        return;
    double apart =
        prompt.v > r->context_tokens ? (double)(prompt.v - r->context_tokens) : (double)(r->context_tokens - prompt.v);
    reason_decide(f, apart * 100 > (double)r->context_tokens * PLAN_TOLERANCE_PERCENT);
    reason_see(f, "%llu prompt tokens, planned %llu", (unsigned long long)prompt.v,
               (unsigned long long)r->context_tokens);
    reason_want(f, "within %u %% of the plan", PLAN_TOLERANCE_PERCENT);
    at_read(f, r->facts.usage_ns);
}

/* Some proxy held the answer back: its times are not the server's. */
void reason_burst(const struct reason_case *c, struct reason_finding *f)
{
    const struct request *r = c->request;
    uint64_t first = request_first_output_ns(r), last = r->facts.last_byte_ns;
    uint64_t chunks = r->facts.content_chunks + r->facts.reasoning_chunks;
    if ((r->start_ns == TAPE_NONE || first == TAPE_NONE || last == TAPE_NONE || last < first) &&
        reason_skip(f, "there is no output"))
        return;
    if (chunks < BURST_LEAST_CHUNKS && reason_skip(f, "there are fewer than 3 chunks"))
        return;
    reason_decide(f, last - first < (last - r->start_ns) / 100);
    reason_see(f, "%llu chunks within %.6f of %.6f ms", (unsigned long long)chunks, (double)(last - first) / 1e6,
               (double)(last - r->start_ns) / 1e6);
    reason_want(f, "over at least 1 %% of its time");
    reason_at(f, TAPE_READ, first, last);
}

static void judge_count(uint64_t n, const char *what, struct reason_finding *f)
{
    reason_decide(f, n > 0);
    reason_see(f, "%llu %s", (unsigned long long)n, what);
    reason_want(f, "0");
}

void reason_usage_odd(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (!s->usage.seen && s->usage.odd_numbers == 0 && reason_skip(f, "there is no usage"))
        return;
    judge_count(s->usage.odd_numbers, "counts that are no integers >= 0", f);
    at_read(f, s->usage_ns);
}

static void at_events(const struct stream_facts *s, struct reason_finding *f)
{
    if (s->first_byte_ns != TAPE_NONE && s->last_byte_ns != TAPE_NONE)
        reason_at(f, TAPE_READ, s->first_byte_ns, s->last_byte_ns);
}

void reason_payloads(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (s->events == 0 && reason_skip(f, "there are no events"))
        return;
    judge_count(s->payloads_not_json, "payloads that are not JSON", f);
    at_events(s, f);
}

void reason_after_done(const struct reason_case *c, struct reason_finding *f)
{
    const struct stream_facts *s = &c->request->facts;
    if (!s->done_seen && reason_skip(f, "there is no [DONE]"))
        return;
    judge_count(s->events_after_done, "events behind [DONE]", f);
    if (s->done_ns != TAPE_NONE && s->last_byte_ns != TAPE_NONE && s->last_byte_ns >= s->done_ns)
        reason_at(f, TAPE_READ, s->done_ns, s->last_byte_ns);
}
