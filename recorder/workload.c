#include "workload.h"

#include <cjson/cJSON.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>

#include "budget.h"
#include "contexts.h"
#include "decimal.h"
#include "duplicates.h"
#include "prompt.h"
#include "splice.h"

static enum tt_status no_memory(struct tt_error *err)
{
    return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the prompts");
}

void workload_marker(const struct workload *w, uint32_t request, char *out, size_t cap)
{
    if (w->options->canaries)
        prompt_marker(w->options->seed, request, out, cap);
    else
        out[0] = '\0';
}

/* `marker` has to outlive the prompt. */
static struct prompt prompt_of(const struct workload *w, uint32_t request, char marker[PROMPT_MARKER_BYTES])
{
    const struct options *o = w->options;
    workload_marker(w, request, marker, PROMPT_MARKER_BYTES);
    return (struct prompt){.seed = o->seed,
                           .marker = marker,
                           .index = request,
                           .words = o->response_words,
                           .unique = o->cache_mode == CACHE_UNIQUE,
                           .prefix_chars = (size_t)(o->shared_prefix_tokens * o->chars_per_token),
                           .total_chars = (size_t)((double)w->requests[request].context_tokens * o->chars_per_token)};
}

static bool add_real(cJSON *to, const char *name, double value)
{
    /* cJSON prints 15 digits when they come near enough; what is sent is exact. */
    char number[DECIMAL_REAL_BYTES];
    decimal_format_real(value, number);
    return cJSON_AddRawToObject(to, name, number) != NULL;
}

/* Empty: the prompt is spliced in. */
static bool add_prompt(cJSON *body, const struct options *o)
{
    if (o->endpoint == ENDPOINT_COMPLETIONS)
        return cJSON_AddStringToObject(body, "prompt", "") != NULL;
    cJSON *messages = cJSON_AddArrayToObject(body, "messages");
    cJSON *message = cJSON_CreateObject();
    if (!messages || !message || !cJSON_AddItemToArray(messages, message)) {
        cJSON_Delete(message);
        return false;
    }
    return cJSON_AddStringToObject(message, "role", "user") && cJSON_AddStringToObject(message, "content", "");
}

static bool add_thinking(cJSON *body, const struct options *o)
{
    if (o->reasoning_effort)
        return cJSON_AddStringToObject(body, "reasoning_effort", o->reasoning_effort) != NULL;
    if (o->thinking != THINKING_ENABLED && o->thinking != THINKING_DISABLED)
        return true;
    cJSON *kwargs = cJSON_AddObjectToObject(body, "chat_template_kwargs");
    return kwargs && cJSON_AddBoolToObject(kwargs, "enable_thinking", o->thinking == THINKING_ENABLED);
}

static bool add_members(cJSON *body, const struct options *o)
{
    if (!cJSON_AddStringToObject(body, "model", o->model) || !add_prompt(body, o) ||
        !cJSON_AddNumberToObject(body, "max_tokens", o->max_tokens) ||
        !add_real(body, "temperature", o->has_temperature ? o->temperature : 0.0) ||
        (o->has_top_p && !add_real(body, "top_p", o->top_p)) || !cJSON_AddTrueToObject(body, "stream"))
        return false;
    cJSON *stream_options = cJSON_AddObjectToObject(body, "stream_options");
    return stream_options && cJSON_AddTrueToObject(stream_options, "include_usage") && add_thinking(body, o);
}

/* The body around an empty prompt; *at: where the prompt goes. NULL: no memory. */
static char *make_frame(const struct options *o, size_t *at)
{
    const char *empty = o->endpoint == ENDPOINT_COMPLETIONS ? "\"prompt\":\"\"" : "\"content\":\"\"";
    cJSON *body = cJSON_CreateObject();
    char *frame = body && add_members(body, o) ? cJSON_PrintUnformatted(body) : NULL;
    cJSON_Delete(body);
    /* Quotes inside a string are escaped, so a model's name cannot hold this. */
    char *found = frame ? strstr(frame, empty) : NULL;
    if (!found) {
        free(frame);
        return NULL;
    }
    *at = (size_t)(found - frame) + strlen(empty) - 1;
    return frame;
}

enum tt_status workload_body(const struct workload *w, uint32_t request, uint8_t **bytes, size_t *n,
                             struct tt_error *err)
{
    char marker[PROMPT_MARKER_BYTES];
    const struct prompt p = prompt_of(w, request, marker);
    if (!w->requests[request].buildable)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "request %u: %s", request, w->requests[request].fault);
    size_t at = 0;
    char *frame = make_frame(w->options, &at);
    uint8_t *text = malloc(p.total_chars);
    *bytes = NULL;
    if (frame && text) {
        prompt_write(&p, (char *)text);
        *bytes = splice_prompt(frame, at, text, p.total_chars, n);
    }
    free(frame);
    free(text);
    return *bytes ? TT_OK : no_memory(err);
}

static void judge(const struct workload *w, uint32_t request)
{
    char marker[PROMPT_MARKER_BYTES];
    struct planned *r = &w->requests[request];
    const struct prompt p = prompt_of(w, request, marker);
    size_t tail = prompt_tail_chars(&p);
    r->buildable = p.total_chars > tail;
    if (!r->buildable)
        snprintf(r->fault, sizeof r->fault,
                 "a prompt of %zu characters has no room for its tail of %zu: raise --ctx-tokens", p.total_chars, tail);
}

static enum tt_status measure(struct workload *w, uint32_t request, struct tt_error *err)
{
    struct planned *r = &w->requests[request];
    r->same_body_as = request;
    judge(w, request);
    if (!r->buildable)
        return TT_OK;
    uint8_t *bytes;
    size_t n;
    enum tt_status code = workload_body(w, request, &bytes, &n, err);
    if (code != TT_OK)
        return code;
    r->body_bytes = n;
    w->total_body_bytes += n;
    SHA256(bytes, n, r->sha256);
    free(bytes);
    return TT_OK;
}

static enum tt_status set_cap(struct workload *w, struct tt_error *err)
{
    const struct options *o = w->options;
    uint64_t reserved = (uint64_t)o->max_tokens + o->margin;
    if (w->window && w->window <= reserved)
        return tt_fail(
            err, TT_USAGE, TT_NO_OFFSET,
            "a window of %u tokens leaves no room for a prompt: lower --max-tokens %u or --margin %u, or give "
            "the right --max-model-len",
            w->window, o->max_tokens, o->margin);
    w->cap = w->window ? (uint32_t)(w->window - reserved) : 0;
    return budget_check(o, w->cap, err);
}

static enum tt_status plan(struct workload *w, struct tt_error *err)
{
    size_t count = (size_t)w->measured + w->warmup;
    w->requests = calloc(count, sizeof *w->requests);
    uint32_t *targets = calloc(count, sizeof *targets);
    enum tt_status code =
        w->requests && targets ? contexts_plan(w->options, w->cap, targets, count, err) : no_memory(err);
    for (uint32_t i = 0; code == TT_OK && i < count; i++) {
        w->requests[i].context_tokens = targets[i];
        w->requests[i].warmup = i >= w->measured;
        code = measure(w, i, err);
    }
    free(targets);
    return code == TT_OK ? duplicates_find(w, err) : code;
}

enum tt_status workload_create(struct workload **out, const struct options *options, uint32_t window,
                               struct tt_error *err)
{
    *out = NULL;
    struct workload *w = calloc(1, sizeof *w);
    if (!w)
        return no_memory(err);
    w->options = options;
    w->window = window;
    w->measured = options->requests;
    w->warmup = options->warmup;
    enum tt_status code = set_cap(w, err);
    if (code == TT_OK)
        code = plan(w, err);
    if (code == TT_OK)
        *out = w;
    else
        workload_free(w);
    return code;
}

void workload_free(struct workload *w)
{
    if (!w)
        return;
    free(w->requests);
    free(w);
}

static const cJSON *entry_of(const cJSON *answer, const char *model)
{
    const cJSON *first = NULL, *entry;
    const cJSON *data = cJSON_IsArray(answer) ? answer : cJSON_GetObjectItemCaseSensitive(answer, "data");
    if (!cJSON_IsArray(data))
        return NULL;
    cJSON_ArrayForEach(entry, data)
    {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(entry, "id");
        if (cJSON_IsObject(entry) && cJSON_IsString(id) && strcmp(id->valuestring, model) == 0)
            return entry;
        if (!first && cJSON_IsObject(entry))
            first = entry;
    }
    return first;
}

static uint32_t positive_integer(const cJSON *item)
{
    double v = cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!(v >= 1) || v > UINT32_MAX)
        return 0;
    uint32_t whole = (uint32_t)v;
    return (double)whole == v ? whole : 0;
}

uint32_t workload_window_from_models(struct tt_view json, const char *model)
{
    static const char *const names[] = {"max_model_len", "max_context_length", "context_length"};
    cJSON *answer = json.p ? cJSON_ParseWithLength((const char *)json.p, json.n) : NULL;
    const cJSON *entry = entry_of(answer, model);
    uint32_t window = 0;
    for (size_t i = 0; entry && window == 0 && i < sizeof names / sizeof *names; i++)
        window = positive_integer(cJSON_GetObjectItemCaseSensitive(entry, names[i]));
    cJSON_Delete(answer);
    return window;
}
