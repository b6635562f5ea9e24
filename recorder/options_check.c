/* Rules between flags, and flags with a grammar of their own. */
#include "options_table.h"

#include <stdlib.h>

#include "baseurl.h"
#include "budget.h"
#include "calibration.h"
#include "seed.h"
#include "tapename.h"
#include "text.h"

static enum tt_status refuse(struct tt_error *err, const char *line)
{
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s", line);
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t n = strlen(a), m = strlen(b), k = strlen(c) + 1;
    char *text = malloc(n + m + k);
    if (text) {
        memcpy(text, a, n);
        memcpy(text + n, b, m);
        memcpy(text + n + m, c, k);
    }
    return text;
}

static enum tt_status check_target(struct given *g, struct tt_error *err)
{
    struct options *o = &g->o;
    if (!g->base_url)
        return refuse(err, "--base-url is missing: name the server, such as --base-url http://127.0.0.1:8000/v1");
    if (!o->model)
        return refuse(err, "--model is missing: name the model as the server does (see its /models)");
    if (o->model[0] == '\0')
        return refuse(err, "--model is empty: name the model as the server does (see its /models)");
    enum tt_status code = baseurl_parse(g->base_url, &o->base_url, err);
    if (code != TT_OK)
        return code;
    o->chat_url = join(o->base_url, o->endpoint == ENDPOINT_CHAT ? "/chat" : "", "/completions");
    o->models_url = join(o->base_url, "/models", "");
    return o->chat_url && o->models_url ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the URLs");
}

static enum tt_status check_key(struct options *o, struct tt_error *err)
{
    return o->api_key_env ? secret_of_variable("--api-key-env", o->api_key_env, "the key", &o->api_key, err) : TT_OK;
}

/* The query is appended to both addresses. */
static enum tt_status check_transport(struct options *o, struct tt_error *err)
{
    enum tt_status code = transport_check(&o->transport, o->base_url, o->api_key != NULL, err);
    if (code != TT_OK)
        return code;
    const char *query = o->transport.query;
    o->chat_target = join(o->chat_url, query ? "?" : "", query ? query : "");
    o->models_target = join(o->models_url, query ? "?" : "", query ? query : "");
    return o->chat_target && o->models_target ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the URLs");
}

static enum tt_status check_names(const struct options *o, struct tt_error *err)
{
    static const char id[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *clock = o->clock_domain_id, *print = o->configuration_fingerprint;
    if (clock && (clock[0] == '\0' || strlen(clock) > 64 || strspn(clock, id) != strlen(clock)))
        return refuse(err, "--clock-domain-id does not fit: give 1 to 64 characters of A-Z a-z 0-9 . _ -");
    if (print &&
        (strncmp(print, "sha256:", 7) != 0 || strlen(print) != 7 + 64 || strspn(print + 7, "0123456789abcdef") != 64))
        return refuse(err, "--configuration-fingerprint does not fit: give sha256: and 64 lower-case hex digits");
    return TT_OK;
}

static enum tt_status check_load(struct options *o, struct tt_error *err)
{
    if (o->burst > 0 && o->cache_mode != CACHE_SHARED)
        return refuse(err, "--burst needs --prompt-cache-mode shared: leave out unique, or --burst");
    if (o->burst > 0)
        o->requests = o->concurrency = o->burst;
    if (o->policy == POLICY_STRICT && o->response_words == 0)
        return refuse(err, "--controlled-output-policy strict needs --response-words: say how many words are expected");
    if (o->canaries && o->max_tokens < 16)
        return refuse(err, "--request-canaries needs --max-tokens of at least 16: the marker has to fit the answer");
    if (o->max_model_len > 0 && o->max_model_len <= o->max_tokens + o->margin)
        return tt_fail(
            err, TT_USAGE, TT_NO_OFFSET,
            "--max-model-len %u leaves no room for a prompt: it must exceed --max-tokens %u plus --margin %u",
            o->max_model_len, o->max_tokens, o->margin);
    if (o->max_model_len == 0 && o->ctx_tokens == 0)
        return TT_OK; /* the server's window may bound the contexts: workload_create() checks when it is known */
    uint32_t cap = o->max_model_len ? o->max_model_len - o->max_tokens - o->margin : 0;
    return budget_check(o, cap, err);
}

static enum tt_status check_thinking(struct given *g, struct tt_error *err)
{
    struct options *o = &g->o;
    if (o->no_thinking && g->thinking && o->thinking != THINKING_DISABLED)
        return refuse(err, "--no-thinking means --thinking-mode disabled: leave out one of the two");
    if (o->no_thinking)
        o->thinking = THINKING_DISABLED;
    const char *switch_name = o->thinking != THINKING_ENABLED && o->thinking != THINKING_DISABLED
                                  ? o->reasoning_effort ? "--reasoning-effort" : NULL
                              : o->no_thinking ? "--no-thinking"
                                               : "--thinking-mode";
    if (o->endpoint == ENDPOINT_COMPLETIONS && switch_name)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "%s has no place in --endpoint completions: no chat template is applied there; leave it out",
                       switch_name);
    if (o->reasoning_effort && o->thinking != THINKING_DEFAULT)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--reasoning-effort and %s exclude each other: a server takes one of the two; leave out one",
                       o->no_thinking ? "--no-thinking" : "--thinking-mode");
    return TT_OK;
}

static enum tt_status check_outputs(struct given *g, const char *utc_start, struct tt_error *err)
{
    struct options *o = &g->o;
    if (g->tape)
        o->tape_path = strdup(g->tape);
    else if (o->output_path)
        o->tape_path = tapename_of_output(o->output_path);
    else
        o->tape_path = tapename_of_start(utc_start, o->model);
    if (!o->tape_path)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the tape's name");
    if (o->output_path && strcmp(o->output_path, o->tape_path) == 0)
        return refuse(err, "--tape and --output name the same file: give each its own");
    return TT_OK;
}

/* Up to seven digits and three decimals, and perhaps the unit; returns what is behind it, NULL: no such thing. */
static const char *skip_amount(const char *text, const char *unit)
{
    size_t whole = strspn(text, "0123456789"), point = text[whole] == '.', n = strlen(unit);
    size_t decimals = point ? strspn(text + whole + 1, "0123456789") : 0;
    if (whole == 0 || whole > 7 || (point && decimals == 0) || decimals > 3)
        return NULL;
    text += whole + point + decimals;
    return strncmp(text, unit, n) == 0 ? text + n : text;
}

/* What the analyzer would refuse once the run is over is refused before it begins. */
static enum tt_status check_analysis(const struct options *o, struct tt_error *err)
{
    const char *text = o->max_client_error, *rest = text ? skip_amount(text, "ms") : NULL;
    bool good = rest && strtod(text, NULL) <= 3600000;
    if (good && *rest == ',') {
        const char *percent = rest + 1;
        rest = skip_amount(percent, "%");
        good = rest && strtod(percent, NULL) <= 100;
    }
    if (!text || (good && *rest == '\0'))
        return TT_OK;
    return refuse(err, "--max-client-error is no limit: give ms and per cent, such as 5ms,1%");
}

static enum tt_status check_calibration(const struct given *g, struct tt_error *err)
{
    const struct options *o = &g->o;
    struct calibration_load load = {
        .streams = o->concurrency, .rate = o->calibration.rate, .duration_s = CALIBRATION_AROUND_S};
    if (g->calibrate_rate && !o->calibrate)
        return refuse(err, "--calibrate-rate says at which rate --calibrate is to calibrate: add --calibrate");
    return o->calibrate ? calibration_check(&load, err) : TT_OK;
}

enum tt_status options_check_calibrate(struct given *g, struct tt_error *err)
{
    const struct calibrate_options *c = &g->o.calibration;
    if (g->tape && strcmp(c->dir, ".") != 0)
        return refuse(err, "--dir is for the tape that is not kept: leave out --dir or --tape");
    struct calibration_load load = {.streams = g->o.concurrency, .rate = c->rate, .duration_s = c->duration_s};
    enum tt_status code = calibration_check(&load, err);
    if (code != TT_OK)
        return code;
    if (g->tape && !(g->o.tape_path = strdup(g->tape)))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the tape's name");
    return g->cpus ? cpus_parse(g->cpus, &g->o.cpus, err) : TT_OK;
}

enum tt_status options_check(struct given *g, const char *utc_start, struct tt_error *err)
{
    enum tt_status code = check_target(g, err);
    if (code == TT_OK)
        code = check_key(&g->o, err);
    if (code == TT_OK)
        code = check_transport(&g->o, err);
    if (code == TT_OK)
        code = check_names(&g->o, err);
    if (code == TT_OK)
        code = check_load(&g->o, err);
    if (code == TT_OK)
        code = check_thinking(g, err);
    if (code == TT_OK)
        code = seed_parse(g->seed, &g->o.seed, &g->o.seed_was_random, err);
    if (code == TT_OK)
        code = check_calibration(g, err);
    if (code == TT_OK)
        code = check_analysis(&g->o, err);
    if (code == TT_OK && g->cpus)
        code = cpus_parse(g->cpus, &g->o.cpus, err);
    if (code == TT_OK)
        code = check_outputs(g, utc_start, err);
    return code;
}
