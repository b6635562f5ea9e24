#include "dry_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "calibration.h"
#include "pace.h"

static void target(const struct options *o)
{
    const struct transport *t = &o->transport;
    printf("endpoint        POST %s%s%s\n", o->chat_url, t->query_shown ? "?" : "",
           t->query_shown ? t->query_shown : "");
    printf("transport       HTTP/%s%s%s%s", t->http2 ? "2" : "1.1", t->tls ? " over TLS" : "",
           t->insecure ? " with any certificate" : "", t->cert ? " with a client certificate" : "");
    printf("%s%s\n",
           t->unix_socket ? ", Unix socket "
           : t->proxy     ? ", proxy "
                          : "",
           t->unix_socket ? t->unix_socket
           : t->proxy     ? t->proxy
                          : "");
    printf("model           %s\n", o->model);
    if (o->api_key)
        printf("key             from %s\n", o->api_key_env);
    else
        printf("key             none\n");
    if (t->headers.n > 0)
        printf("extra headers   %zu, not shown\n", t->headers.n);
}

static void load(const struct options *o, const struct workload *w)
{
    printf("requests        %u measured, %u warm-up\n", w->measured, w->warmup);
    printf("concurrency     %u%s, connections %s\n", o->concurrency, o->burst ? " (burst)" : "",
           o->connections == CONNECTIONS_FRESH   ? "fresh"
           : o->connections == CONNECTIONS_REUSE ? "reuse"
                                                 : "warm");
    if (o->connections != CONNECTIONS_WARM && !o->burst && o->connect_rate)
        printf("connecting      %u at once, then %u a second at most\n", PACE_AT_ONCE, o->connect_rate);
    printf("timeout         %g s without a byte, %g s after [DONE]\n", o->timeout_s, o->done_grace_s);
    if (w->window)
        printf("window          %u tokens: prompts up to %u, with %u for the answer and %u as margin\n", w->window,
               w->cap, o->max_tokens, o->margin);
    else
        printf("window          unknown: a run asks %s; these contexts have no cap yet\n", o->models_url);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* "16000 x 4, 32768 x 11": of the measured requests */
static void contexts(const struct options *o, const struct workload *w)
{
    uint64_t *sorted = calloc(w->measured, sizeof *sorted);
    printf("contexts        %s", o->ctx_tokens ? "given:" : "sampled:");
    for (uint32_t i = 0; sorted && i < w->measured; i++)
        sorted[i] = w->requests[i].context_tokens;
    if (sorted)
        qsort(sorted, w->measured, sizeof *sorted, by_value);
    for (uint32_t i = 0, n = 0; sorted && i < w->measured; i += n) {
        for (n = 1; i + n < w->measured && sorted[i + n] == sorted[i]; n++)
            continue;
        printf("%s %llu x %u", i ? "," : "", (unsigned long long)sorted[i], n);
    }
    printf(" (tokens x requests, %g characters a token)\n", o->chars_per_token);
    free(sorted);
}

static void bodies(const struct workload *w)
{
    uint32_t faults = 0, first = 0;
    for (uint32_t i = w->measured + w->warmup; i-- > 0;)
        if (!w->requests[i].buildable) {
            faults++;
            first = i;
        }
    printf("bodies          %llu bytes in all\n", (unsigned long long)w->total_body_bytes);
    if (faults)
        printf("not buildable   %u, the first is request %u: %s\n", faults, first, w->requests[first].fault);
}

static void prompts(const struct options *o)
{
    printf("seed            %s%s\n", o->seed, o->seed_was_random ? " (drawn; a run draws its own)" : "");
    if (o->cache_mode == CACHE_UNIQUE)
        printf("prompt cache    unique: no two prompts share a prefix\n");
    else
        printf("prompt cache    shared: a prefix of %u tokens\n", o->shared_prefix_tokens);
    printf("canaries        %s\n", o->canaries ? "each answer begins with its request's marker" : "no");
    if (o->response_words)
        printf("answers         up to %u tokens, exactly %u words, %s\n", o->max_tokens, o->response_words,
               o->policy == POLICY_STRICT ? "strict" : "observed");
    else
        printf("answers         up to %u tokens, a one-line summary\n", o->max_tokens);
}

static void sampling(const struct options *o)
{
    static const char *const thinking[] = {"default (not sent)", "enabled", "disabled", "unsupported (not sent)"};
    printf("sampling        temperature %g", o->has_temperature ? o->temperature : 0.0);
    if (o->has_top_p)
        printf(", top_p %g", o->top_p);
    if (o->reasoning_effort)
        printf(", reasoning effort %s\n", o->reasoning_effort);
    else
        printf(", thinking %s\n", thinking[o->thinking]);
}

static void outputs(const struct options *o)
{
    if (o->calibrate)
        printf("calibration     before and after, %d s each: %u streams x %g events/s from a null endpoint\n",
               CALIBRATION_AROUND_S, o->concurrency, o->calibration.rate);
    char cpus[CPUS_TEXT_BYTES];
    cpus_format(&o->cpus, cpus);
    if (cpus[0])
        printf("CPUs            %s (the first reads, the others write)\n", cpus);
    printf("tape            %s, bodies %s\n", o->tape_path, o->keep_bodies ? "kept" : "as hashes");
    printf("result          %s\n", o->output_path ? o->output_path : "not asked for");
    printf("dry run: nothing was sent and no file was touched\n");
}

void dry_run_print(const struct options *o, const struct workload *w)
{
    target(o);
    load(o, w);
    contexts(o, w);
    bodies(w);
    prompts(o);
    sampling(o);
    outputs(o);
}
