/* Keys, types, order and the text of numbers. */
#include "audit_form.h"

#include <stdio.h>

static unsigned type_of(const struct json_node *n)
{
    switch (n->type) {
    case JSON_STRING:
        return FORM_TEXT;
    case JSON_NUMBER:
        return json_number_is_integer(n->text) ? FORM_INTEGER : FORM_DOUBLE;
    case JSON_TRUE:
    case JSON_FALSE:
        return FORM_BOOL;
    case JSON_OBJECT_BEGIN:
        return FORM_OBJECT;
    case JSON_ARRAY_BEGIN:
        return FORM_ARRAY;
    default:
        return FORM_NULL;
    }
}

static const char *types_name(unsigned types)
{
    switch (types & ~(unsigned)FORM_OPTIONAL) {
    case FORM_TEXT:
        return "a text";
    case FORM_TEXT | FORM_NULL:
        return "a text or null";
    case FORM_INTEGER:
        return "an integer";
    case FORM_INTEGER | FORM_NULL:
        return "an integer or null";
    case FORM_DOUBLE:
        return "a number with a point";
    case FORM_DOUBLE | FORM_NULL:
        return "a number with a point, or null";
    case FORM_BOOL:
        return "true or false";
    case FORM_BOOL | FORM_NULL:
        return "true, false or null";
    case FORM_OBJECT:
        return "an object";
    case FORM_OBJECT | FORM_NULL:
        return "an object or null";
    default:
        return "a list";
    }
}

static void check_type(struct audit *a, const char *place, const struct json_node *n, unsigned types)
{
    audit_expect(a, (type_of(n) & types) != 0, "%s%s%s is not %s", place, place[0] ? "." : "", (const char *)n->key.p,
                 types_name(types));
}

static const struct form_field *find(const struct form_field *fields, struct tt_view key)
{
    while (fields->key && !tt_view_equal(key, fields->key))
        fields++;
    return fields->key ? fields : NULL;
}

/* The keys that the generation has, no other, each of its type. Absent objects are nobody's concern here. */
static void check_object(struct audit *a, const char *place, const struct json_node *object, enum form_object form)
{
    const struct form_field *fields = form_fields(form);
    /* Those without rows grew keys one by one. */
    enum artifact_generation latest = a->generation > ARTIFACT_FROM_TTFT ? a->generation : ARTIFACT_FROM_TTFT;
    if (!object || object->type != JSON_OBJECT_BEGIN)
        return;
    for (const struct form_field *f = fields; f->key; f++)
        if (f->since <= a->generation && !(f->types & FORM_OPTIONAL))
            audit_expect(a, json_node_get(object, f->key) != NULL, "%s%s%s is missing", place, place[0] ? "." : "",
                         f->key);
    for (const struct json_node *n = object->child; n; n = n->next) {
        const struct form_field *f = find(fields, n->key);
        if (f)
            check_type(a, place, n, f->types);
        if ((!f || f->since > latest) && form < FORM_TRACE)
            audit_cannot(a, "no rule for %s%s%.60s in a result of this generation (%s)", place, place[0] ? "." : "",
                         (const char *)n->key.p, artifact_generation_name(a->generation));
    }
}

static void check_row(struct audit *a, const char *place, const struct json_node *row)
{
    char inner[AUDIT_PLACE_BYTES + 40];
    check_object(a, place, row, FORM_ROW);
    snprintf(inner, sizeof inner, "%s.request_canary", place);
    check_object(a, inner, json_node_get(row, "request_canary"), FORM_CANARY);
    snprintf(inner, sizeof inner, "%s.controlled_output", place);
    check_object(a, inner, json_node_get(row, "controlled_output"), FORM_CONTROLLED);
}

static void check_rows(struct audit *a)
{
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    for (const struct json_node *n = a->rows ? a->rows->child : NULL; n; n = n->next, i++) {
        audit_place(place, "request_timings", i);
        if (audit_expect(a, n->type == JSON_OBJECT_BEGIN, "%s is not an object", place))
            check_row(a, place, n);
    }
}

static void check_failure(struct audit *a, const char *place, const struct json_node *f)
{
    char inner[AUDIT_PLACE_BYTES + 40];
    const struct json_node *metadata = json_node_get(f, "response_metadata");
    check_object(a, place, f, FORM_FAILURE);
    snprintf(inner, sizeof inner, "%s.response_metadata", place);
    check_object(a, inner, metadata, FORM_METADATA);
    snprintf(inner, sizeof inner, "%s.response_metadata.usage", place);
    check_object(a, inner, json_node_get(metadata, "usage"), FORM_USAGE);
    snprintf(inner, sizeof inner, "%s.request_canary", place);
    check_object(a, inner, json_node_get(f, "request_canary"), FORM_CANARY);
    snprintf(inner, sizeof inner, "%s.controlled_output", place);
    check_object(a, inner, json_node_get(f, "controlled_output"), FORM_CONTROLLED);
    snprintf(inner, sizeof inner, "%s.response_timing", place);
    if (audit_is(f, "response_timing", JSON_OBJECT_BEGIN))
        check_row(a, inner, json_node_get(f, "response_timing"));
}

static void check_failures(struct audit *a)
{
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    for (const struct json_node *n = a->failures ? a->failures->child : NULL; n; n = n->next, i++) {
        audit_place(place, "failures", i);
        if (audit_expect(a, n->type == JSON_OBJECT_BEGIN, "%s is not an object", place))
            check_failure(a, place, n);
    }
}

static bool is_metric(const struct metrics_entry entries[METRICS_KEYS], const char *key)
{
    size_t low = 0, high = METRICS_KEYS; /* metrics_list() sorts */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(entries[middle].key, key);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Results without rows have some of them, no one knows which. */
static void check_metrics(struct audit *a)
{
    struct metrics_entry entries[METRICS_KEYS];
    enum artifact_generation since;
    unsigned types;
    metrics_list(&a->computed, entries);
    for (size_t i = 0; i < METRICS_KEYS && a->rows; i++) {
        form_metric(entries[i].key, &since, &types);
        if (since <= a->generation)
            audit_expect(a, json_node_get(a->metrics, entries[i].key) != NULL, "metrics.%s is missing", entries[i].key);
    }
    for (const struct json_node *n = a->metrics ? a->metrics->child : NULL; n; n = n->next) {
        bool known = is_metric(entries, (const char *)n->key.p);
        form_metric((const char *)n->key.p, &since, &types);
        if (known)
            check_type(a, "metrics", n, types);
        if (!known || since > (a->rows ? a->generation : ARTIFACT_FROM_TTFT))
            audit_cannot(a, "no rule for metrics.%.60s in a result of this generation (%s)", (const char *)n->key.p,
                         artifact_generation_name(a->generation));
    }
}

/* The objects in a list of the trace, with the observations in them. */
static void check_list(struct audit *a, const char *name, enum form_object form)
{
    const struct json_node *list = json_node_get(a->trace, name);
    char path[AUDIT_PLACE_BYTES], place[AUDIT_PLACE_BYTES], inner[AUDIT_PLACE_BYTES + 40];
    size_t i = 0;
    snprintf(path, sizeof path, "trace.%s", name);
    for (const struct json_node *n = list ? list->child : NULL; n; n = n->next, i++) {
        check_object(a, audit_place(place, path, i), n, form);
        snprintf(inner, sizeof inner, "%s.canary_full", place);
        check_object(a, inner, json_node_get(n, "canary_full"), FORM_TRACE_CANARY);
        snprintf(inner, sizeof inner, "%s.controlled_full", place);
        check_object(a, inner, json_node_get(n, "controlled_full"), FORM_TRACE_CONTROLLED);
    }
}

static void check_marks(struct audit *a, const char *key, enum form_object form)
{
    const struct json_node *list = json_node_get(json_node_get(a->trace, "timing"), key);
    char place[AUDIT_PLACE_BYTES], inner[AUDIT_PLACE_BYTES + 40];
    snprintf(place, sizeof place, "trace.timing.%s", key);
    check_object(a, place, list, form);
    for (const struct form_field *f = form_fields(form); f->key; f++) {
        snprintf(inner, sizeof inner, "%s.%s", place, f->key);
        check_object(a, inner, json_node_get(list, f->key), FORM_TIMING_MARKS);
    }
}

static void check_timing(struct audit *a)
{
    const struct json_node *timing = json_node_get(a->trace, "timing");
    check_object(a, "trace.timing", timing, FORM_TRACE_TIMING);
    check_object(a, "trace.timing.calibration", json_node_get(timing, "calibration"), FORM_TIMING_CALIBRATION);
    check_object(a, "trace.timing.client_limited", json_node_get(timing, "client_limited"), FORM_TIMING_LIMIT);
    check_object(a, "trace.timing.clock", json_node_get(timing, "clock"), FORM_TIMING_CLOCK);
    check_object(a, "trace.timing.host", json_node_get(timing, "host"), FORM_TIMING_HOST);
    check_object(a, "trace.timing.loop", json_node_get(timing, "loop"), FORM_TIMING_LOOP);
    check_object(a, "trace.timing.reads", json_node_get(timing, "reads"), FORM_TIMING_READS);
    check_marks(a, "client_error_ms", FORM_TIMING_ERRORS);
    check_marks(a, "read_lag_ms", FORM_TIMING_LAGS);
}

static void check_trace(struct audit *a)
{
    check_object(a, "trace", a->trace, FORM_TRACE);
    check_object(a, "trace.accounts", json_node_get(a->trace, "accounts"), FORM_TRACE_ACCOUNTS);
    check_object(a, "trace.connections", json_node_get(a->trace, "connections"), FORM_TRACE_CONNECTIONS);
    check_object(a, "trace.overlap", json_node_get(a->trace, "overlap"), FORM_TRACE_OVERLAP);
    check_object(a, "trace.policy", json_node_get(a->trace, "policy"), FORM_TRACE_POLICY);
    check_object(a, "trace.tape", json_node_get(a->trace, "tape"), FORM_TRACE_TAPE);
    check_timing(a);
    check_list(a, "requests", FORM_TRACE_REQUEST);
    check_list(a, "warnings", FORM_TRACE_WARNING);
}

void audit_form_keys(struct audit *a)
{
    const struct json_node *sampling = json_node_get(a->root, "sampling");
    check_object(a, "", a->root, FORM_TOP);
    check_object(a, "metric_population", json_node_get(a->root, "metric_population"), FORM_POPULATION);
    check_object(a, "sampling", sampling, FORM_SAMPLING);
    check_object(a, "sampling.temperature", json_node_get(sampling, "temperature"), FORM_PARAMETER);
    check_object(a, "sampling.top_p", json_node_get(sampling, "top_p"), FORM_PARAMETER);
    check_object(a, "serve_flags", json_node_get(a->root, "serve_flags"), FORM_SERVE_FLAGS);
    check_object(a, "timing_methodology", json_node_get(a->root, "timing_methodology"), FORM_METHODOLOGY);
    check_metrics(a);
    check_rows(a);
    check_failures(a);
    check_trace(a);
}

static int compare_keys(struct tt_view x, struct tt_view y)
{
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

/* As deep as the tokenizer lets a document be. */
static void check_order(struct audit *a, const struct json_node *n)
{
    for (const struct json_node *c = n->child; c; c = c->next) {
        if (n->type == JSON_OBJECT_BEGIN && c->next)
            audit_expect(a, compare_keys(c->key, c->next->key) < 0, "the key %.60s stands before %.60s",
                         (const char *)c->key.p, (const char *)c->next->key.p);
        check_order(a, c);
    }
}

void audit_form_order(struct audit *a)
{
    check_order(a, a->root);
}

static void check_numbers(struct audit *a, const struct json_node *n)
{
    char text[32];
    if (n->type == JSON_NUMBER && json_number_is_integer(n->text) &&
        !(n->key.p && tt_view_equal(n->key, "context_seed")))
        audit_expect(a, n->text.p[0] != '-', "%.60s is %.40s, and whole numbers count things",
                     n->key.p ? (const char *)n->key.p : "a number", (const char *)n->text.p);
    if (n->type == JSON_NUMBER && !json_number_is_integer(n->text)) {
        size_t length = json_out_repr(json_number_double(n->text), text);
        audit_expect(a, n->text.n == length && memcmp(n->text.p, text, length) == 0,
                     "%.60s is written %.40s, and the shortest text of that number is %.*s",
                     n->key.p ? (const char *)n->key.p : "a number", (const char *)n->text.p, (int)length, text);
    }
    for (const struct json_node *c = n->child; c; c = c->next)
        check_numbers(a, c);
}

void audit_form_numbers(struct audit *a)
{
    check_numbers(a, a->root);
}
