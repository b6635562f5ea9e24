#include "runinfo.h"

#include <stdlib.h>

/* A map whose entries are counted as they are added. */
struct map {
    struct pack entries;
    uint32_t count;
};

static void key(struct map *m, const char *name)
{
    m->count++;
    pack_str(&m->entries, tt_view_str(name));
}

static void text(struct map *m, const char *name, const char *value)
{
    key(m, name);
    pack_str(&m->entries, tt_view_str(value && value[0] ? value : NULL));
}

static void number(struct map *m, const char *name, uint64_t value)
{
    key(m, name);
    pack_uint(&m->entries, value);
}

static void flag(struct map *m, const char *name, bool value)
{
    key(m, name);
    pack_bool(&m->entries, value);
}

static void real(struct map *m, const char *name, bool has, double value)
{
    key(m, name);
    if (has)
        pack_double(&m->entries, value);
    else
        pack_nil(&m->entries);
}

/* The map's header comes first but its size is known last. */
static void close_map(struct map *m, struct pack *out)
{
    pack_map(out, m->count);
    size_t need = out->len + m->entries.len;
    uint8_t *p = m->entries.failed || out->failed ? NULL : realloc(out->bytes, need);
    if (p) {
        if (m->entries.len > 0)
            memcpy(p + out->len, m->entries.bytes, m->entries.len);
        out->bytes = p;
        out->len = out->cap = need;
    } else {
        out->failed = true;
    }
    pack_free(&m->entries);
}

static const char *thinking_name(enum thinking_mode mode)
{
    switch (mode) {
    case THINKING_ENABLED:
        return "enabled";
    case THINKING_DISABLED:
        return "disabled";
    case THINKING_UNSUPPORTED:
        return "unsupported";
    default:
        return "default";
    }
}

static const char *connections_name(enum connection_mode mode)
{
    return mode == CONNECTIONS_FRESH ? "fresh" : mode == CONNECTIONS_REUSE ? "reuse" : "warm";
}

static void add_target(struct map *m, const struct options *o)
{
    text(m, "base_url", o->base_url);
    text(m, "model", o->model);
    text(m, "endpoint", o->endpoint == ENDPOINT_CHAT ? "chat" : "completions");
    text(m, "engine", o->engine);
    text(m, "gpu", o->gpu);
    text(m, "tier", o->tier);
    text(m, "manifest", o->manifest);
    text(m, "source_recipe", o->source_recipe);
    text(m, "clock_domain_id", o->clock_domain_id);
    text(m, "configuration_fingerprint", o->configuration_fingerprint);
}

static void add_load(struct map *m, const struct workload *w)
{
    const struct options *o = w->options;
    text(m, "context_seed", o->seed);
    flag(m, "seed_was_random", o->seed_was_random);
    number(m, "requests", w->measured);
    number(m, "warmup", w->warmup);
    number(m, "concurrency", o->burst ? o->burst : o->concurrency);
    flag(m, "burst", o->burst > 0);
    number(m, "context_tokens", o->ctx_tokens);
    number(m, "max_context_tokens", w->window ? w->window : TAPE_NONE);
    number(m, "max_tokens", o->max_tokens);
    number(m, "margin", o->margin);
    number(m, "response_words", o->response_words);
    number(m, "shared_prefix_tokens", o->cache_mode == CACHE_UNIQUE ? 0 : o->shared_prefix_tokens);
    text(m, "prompt_cache_mode", o->cache_mode == CACHE_UNIQUE ? "unique" : "shared");
    flag(m, "request_canaries", o->canaries);
    text(m, "controlled_output_policy", o->policy == POLICY_STRICT ? "strict" : "observe");
    real(m, "chars_per_token", true, o->chars_per_token);
    text(m, "prompt_generator", WORKLOAD_GENERATOR);
}

static void add_sampling(struct map *m, const struct options *o)
{
    text(m, "thinking_mode", thinking_name(o->thinking));
    flag(m, "no_thinking", o->no_thinking);
    text(m, "reasoning_effort", o->reasoning_effort);
    real(m, "temperature_requested", o->has_temperature, o->temperature);
    real(m, "temperature", true, o->has_temperature ? o->temperature : 0.0);
    real(m, "top_p", o->has_top_p, o->top_p);
}

/* That something was used; not the path, the address or the value. */
static void add_transport(struct map *m, const struct transport *t)
{
    flag(m, "http2", t->http2);
    flag(m, "insecure", t->insecure);
    flag(m, "cacert", t->cacert != NULL);
    flag(m, "client_certificate", t->cert != NULL);
    flag(m, "proxy", t->proxy != NULL);
    flag(m, "unix_socket", t->unix_socket != NULL);
    flag(m, "resolve", t->resolve != NULL);
    text(m, "query", t->query_shown);
    number(m, "extra_headers", t->headers.n);
}

static void add_recording(struct map *m, const struct runinfo_facts *facts)
{
    const struct options *o = facts->workload->options;
    real(m, "timeout_s", true, o->timeout_s);
    real(m, "done_grace_s", true, o->done_grace_s);
    text(m, "connections", connections_name(o->connections));
    number(m, "connect_rate", o->connect_rate);
    char cpus[CPUS_TEXT_BYTES];
    cpus_format(&o->cpus, cpus);
    text(m, "cpus", cpus);
    flag(m, "keep_bodies", o->keep_bodies);
    number(m, "ring_bytes", facts->ring_bytes);
    flag(m, "api_key", o->api_key != NULL);
    flag(m, "api_key_masked", facts->api_key_masked);
}

static void make_options(struct pack *out, const struct runinfo_facts *facts)
{
    struct map m = {0};
    add_target(&m, facts->workload->options);
    add_load(&m, facts->workload);
    add_sampling(&m, facts->workload->options);
    add_recording(&m, facts);
    add_transport(&m, &facts->workload->options->transport);
    close_map(&m, out);
}

static void make_versions(struct pack *out, const struct hostinfo *h)
{
    struct map m = {0};
    text(&m, "recorder", TOKENTAPE_VERSION);
    text(&m, "libcurl", h->libcurl);
    text(&m, "zstd", h->zstd);
    text(&m, "ssl", h->ssl);
#ifdef __OPTIMIZE__
    text(&m, "build", __VERSION__ ", optimized");
#else
    text(&m, "build", __VERSION__);
#endif
    text(&m, "kernel", h->kernel);
    text(&m, "libc", h->libc);
    close_map(&m, out);
}

static void make_host(struct pack *out, const struct hostinfo *h)
{
    struct map m = {0};
    text(&m, "cpu", h->cpu);
    number(&m, "cpus", h->cpus);
    text(&m, "governor", h->governor);
    text(&m, "clocksource", h->clocksource);
    number(&m, "memory_limit_bytes", h->memory_limit_bytes);
    real(&m, "cpu_quota", h->cpu_quota > 0, h->cpu_quota);
    close_map(&m, out);
}

static void make_features(struct pack *out, const struct runinfo_facts *facts)
{
    struct map m = {0};
    if (strstr(facts->missing_writer_features, "fallocate"))
        text(&m, "fallocate", "space is not reserved ahead");
    if (strstr(facts->missing_writer_features, "ofd_lock"))
        text(&m, "ofd_lock", "a running recorder cannot be told from a killed one");
    if (!facts->timestamps)
        text(&m, "timestampns", "reads have no lag");
    if (!facts->nice)
        text(&m, "nice", "the writer runs at the priority of the reads");
    close_map(&m, out);
}

enum tt_status runinfo_make(struct runinfo *info, const struct runinfo_facts *facts, uint64_t now_ns,
                            struct tape_record *rec, struct tt_error *err)
{
    make_options(&info->options, facts);
    make_versions(&info->versions, facts->host);
    make_host(&info->host, facts->host);
    make_features(&info->features, facts);
    if (info->options.failed || info->versions.failed || info->host.failed || info->features.failed)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory to describe the run");
    *rec = (struct tape_record){.kind = TAPE_RUN};
    rec->u.run.time_ns = now_ns;
    rec->u.run.options.packed = tt_view_of(info->options.bytes, info->options.len);
    rec->u.run.versions.packed = tt_view_of(info->versions.bytes, info->versions.len);
    rec->u.run.host.packed = tt_view_of(info->host.bytes, info->host.len);
    rec->u.run.features.packed = tt_view_of(info->features.bytes, info->features.len);
    return TT_OK;
}

void runinfo_clear(struct runinfo *info)
{
    pack_free(&info->options);
    pack_free(&info->versions);
    pack_free(&info->host);
    pack_free(&info->features);
}
