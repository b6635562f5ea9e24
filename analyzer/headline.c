#include "headline.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "diff_tree.h"
#include "json_put.h"
#include "number.h"
#include "result.h"

#define OF_TIMES(key, name)                                                                                            \
    {"metrics." key "_mean_ms", name " mean ms"}, {"metrics." key "_p50_ms", name " p50 ms"},                          \
    {                                                                                                                  \
        "metrics." key "_p95_ms", name " p95 ms"                                                                       \
    }

static const struct {
    const char *path, *name;
} headlines[] = {
    /* of the result itself, as headlines_of_run() has them */
    {"completed", "completed"},
    {"failed", "failed"},
    {"responses_received", "responses received"},
    {"performance_eligible", "performance eligible"},
    {"measurement_protocol", "protocol"},
    /* of its metrics */
    OF_TIMES("time_to_first_output", "TTFO"),
    OF_TIMES("ttft", "TTFT"),
    OF_TIMES("tpot", "TPOT"),
    OF_TIMES("e2e", "E2E"),
    {"metrics.decode_tok_s_p50", "decode p50 tok/s"},
    {"metrics.prompt_tokens", "prompt tokens"},
    {"metrics.output_tokens", "output tokens"},
    {"metrics.throughput_tok_s", "throughput tok/s"},
    {"metrics.content_chunks_s", "content chunks/s"},
};

_Static_assert(sizeof headlines / sizeof headlines[0] == HEADLINES, "as many as the header says");

const char *headline_path(size_t i)
{
    assert(i < HEADLINES);
    return headlines[i].path;
}

size_t headline_find(const char *path)
{
    size_t i = 0;
    while (i < HEADLINES && strcmp(headlines[i].path, path) != 0)
        i++;
    return i;
}

static struct headline_value value_of(const struct json_node *n)
{
    struct headline_value v = {.type = HEADLINE_ABSENT};
    if (!n)
        return v;
    if (json_node_u64(n, &v.count)) {
        v.type = HEADLINE_COUNT;
    } else if (json_node_double(n, &v.number)) {
        v.type = HEADLINE_DOUBLE;
    } else if (n->type == JSON_TRUE || n->type == JSON_FALSE) {
        v.type = HEADLINE_BOOL;
        v.count = n->type == JSON_TRUE;
    } else if (n->type == JSON_STRING) {
        v.type = HEADLINE_TEXT;
        snprintf(v.text, sizeof v.text, "%s", (const char *)n->text.p);
        tt_line_sanitize(v.text);
    } else {
        v.type = HEADLINE_NULL;
    }
    return v;
}

void headlines_of_result(const struct json_node *root, struct headline_value out[HEADLINES])
{
    for (size_t i = 0; i < HEADLINES; i++) {
        const struct json_node *n = NULL;
        diff_path_find(root, headlines[i].path, &n);
        out[i] = value_of(n);
    }
}

static struct headline_value value_of_metric(const struct metrics_entry *e)
{
    struct headline_value v = {.type = HEADLINE_NULL};
    if (e->type == METRICS_COUNT || e->type == METRICS_BOOL) {
        v.type = e->type == METRICS_COUNT ? HEADLINE_COUNT : HEADLINE_BOOL;
        v.count = e->count;
    } else if (e->type == METRICS_DOUBLE) {
        v.type = HEADLINE_DOUBLE;
        v.number = e->number;
    }
    return v;
}

enum tt_status headlines_of_run(const struct run *run, struct headline_value out[HEADLINES], struct tt_error *err)
{
    static const char prefix[] = "metrics.";
    struct metrics m;
    struct metrics_entry entries[METRICS_KEYS];
    enum tt_status st = result_metrics(run, &m, err);
    if (st != TT_OK)
        return st;
    uint64_t completed = run_count_succeeded(run);
    const struct headline_value own[] = {{.type = HEADLINE_COUNT, .count = completed},
                                         {.type = HEADLINE_COUNT, .count = run->count - completed},
                                         {.type = HEADLINE_COUNT, .count = result_responses_received(run)},
                                         {.type = HEADLINE_BOOL, .count = run_performance_eligible(run)}};
    const size_t n = sizeof own / sizeof *own;
    memcpy(out, own, sizeof own);
    out[n] = (struct headline_value){.type = HEADLINE_TEXT};
    snprintf(out[n].text, sizeof out[n].text, "%s", result_measurement_protocol(&m));
    metrics_list(&m, entries);
    for (size_t i = n + 1; i < HEADLINES; i++) {
        size_t k = 0;
        while (k < METRICS_KEYS && strcmp(entries[k].key, headlines[i].path + strlen(prefix)) != 0)
            k++;
        assert(k < METRICS_KEYS);
        out[i] = value_of_metric(&entries[k]);
    }
    return TT_OK;
}

bool headline_same(const struct headline_value *a, const struct headline_value *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == HEADLINE_DOUBLE)
        return diff_ulps(a->number, b->number) == 0;
    return a->count == b->count && strcmp(a->text, b->text) == 0;
}

#define VALUE_BYTES 64u

/* Three decimals, or all of them where those would not tell the two apart. */
static const char *format_value(const struct headline_value *v, bool exact, char out[VALUE_BYTES])
{
    switch (v->type) {
    case HEADLINE_ABSENT:
        return "absent";
    case HEADLINE_NULL:
        return "null";
    case HEADLINE_BOOL:
        return v->count ? "yes" : "no";
    case HEADLINE_COUNT:
        return number_u64(v->count, out);
    case HEADLINE_DOUBLE:
        if (!exact)
            return number_double(v->number, 3, out);
        out[json_out_repr(v->number, out)] = '\0';
        return out;
    default:
        return v->text;
    }
}

static bool number_of(const struct headline_value *v, double *out)
{
    *out = v->type == HEADLINE_COUNT ? (double)v->count : v->number;
    return v->type == HEADLINE_COUNT || v->type == HEADLINE_DOUBLE;
}

/* In percent of what it was. */
static struct opt_double change(const struct headline_value *was, const struct headline_value *is)
{
    double a, b;
    struct opt_double percent = {false, 0};
    if (!number_of(was, &a) || !number_of(is, &b) || a == 0)
        return percent;
    percent.v = (b - a) / fabs(a) * 100;
    percent.has = isfinite(percent.v);
    return percent;
}

void headline_say(struct output *o, size_t i, const struct headline_value *was, const struct headline_value *is)
{
    char a[VALUE_BYTES], b[VALUE_BYTES], percent[NUMBER_BYTES];
    const char *x = format_value(was, false, a), *y = format_value(is, false, b);
    struct opt_double moved = change(was, is);
    if (strcmp(x, y) == 0) {
        x = format_value(was, true, a);
        y = format_value(is, true, b);
    }
    output_say(o, "  %-20s %s -> %s", headlines[i].name, x, y);
    if (moved.has) {
        double size = fabs(moved.v);
        number_double(size, size >= 1 ? 1 : size >= 0.01 ? 3 : 6, percent);
        output_say(o, " (%s%s %%)", moved.v < 0 ? "-" : "+", percent);
    }
    output_say(o, "\n");
}

static void put_value(struct json_out *json, const char *key, const struct headline_value *v)
{
    json_out_key(json, key);
    if (v->type == HEADLINE_COUNT)
        json_out_u64(json, v->count);
    else if (v->type == HEADLINE_DOUBLE)
        json_out_double(json, v->number);
    else if (v->type == HEADLINE_BOOL)
        json_out_bool(json, v->count != 0);
    else if (v->type == HEADLINE_TEXT)
        json_out_cstring(json, v->text);
    else
        json_out_null(json);
}

void headline_put(struct json_out *json, size_t i, const struct headline_value *was, const struct headline_value *is)
{
    json_out_object(json);
    json_put_opt_double(json, "change_percent", change(was, is));
    put_value(json, "is", is);
    json_put_text(json, "path", headlines[i].path);
    put_value(json, "was", was);
    json_out_object_end(json);
}
