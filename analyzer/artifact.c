#include "artifact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const generation_names[] = {
    [ARTIFACT_NO_ROWS] = "July, no rows", [ARTIFACT_FROM_TTFT] = "July v3", [ARTIFACT_AUGUST] = "August",
    [ARTIFACT_SEPTEMBER] = "5 September", [ARTIFACT_MODERN] = "modern",     [ARTIFACT_NEWEST] = "newest",
};

const char *artifact_generation_name(enum artifact_generation generation)
{
    return generation_names[generation];
}

static enum tt_status bad_field(const char *where, const char *key, const char *want, struct tt_error *err)
{
    return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "%s: %s is not %s", where, key, want);
}

static enum tt_status read_ms(const struct json_node *object, const char *key, const char *where, double *ms,
                              struct tt_error *err)
{
    if (!json_node_double(json_node_get(object, key), ms) || !isfinite(*ms))
        return bad_field(where, key, "a finite number", err);
    return TT_OK;
}

/* Absent and null are the same: not known. */
static enum tt_status read_count(const struct json_node *object, const char *key, const char *where,
                                 struct opt_u64 *count, struct tt_error *err)
{
    const struct json_node *node = json_node_get(object, key);
    *count = (struct opt_u64){false, 0};
    if (!node || node->type == JSON_NULL)
        return TT_OK;
    if (!json_node_u64(node, &count->v))
        return bad_field(where, key, "a count", err);
    count->has = true;
    return TT_OK;
}

static bool is_true(const struct json_node *object, const char *key)
{
    const struct json_node *node = json_node_get(object, key);
    return node && node->type == JSON_TRUE;
}

static const struct json_node *get_object(const struct json_node *object, const char *key)
{
    const struct json_node *node = json_node_get(object, key);
    return node && node->type == JSON_OBJECT_BEGIN ? node : NULL;
}

static enum adherence read_adherence(const struct json_node *controlled)
{
    const struct json_node *node = json_node_get(controlled, "exact_adherence");
    if (!node || (node->type != JSON_TRUE && node->type != JSON_FALSE))
        return ADHERENCE_NULL;
    return node->type == JSON_TRUE ? ADHERENCE_YES : ADHERENCE_NO;
}

static void read_observations(struct row *row, const struct json_node *node)
{
    const struct json_node *canary = get_object(node, "request_canary");
    const struct json_node *controlled = get_object(node, "controlled_output");
    row->has_canary = canary != NULL;
    row->canary_passed = canary && is_true(canary, "passed");
    row->has_controlled = controlled != NULL;
    row->adherence = controlled ? read_adherence(controlled) : ADHERENCE_NULL;
}

static enum tt_status read_chunks(struct row *row, const struct json_node *node, const char *where,
                                  struct tt_error *err)
{
    struct opt_u64 chunks;
    enum tt_status status = read_count(node, "reasoning_chunks", where, &chunks, err);
    if (status != TT_OK)
        return status;
    row->reasoning_chunks = chunks.v;
    status = read_count(node, "content_chunks", where, &chunks, err);
    row->content_chunks = chunks.v;
    return status;
}

enum tt_status artifact_read_row(struct row *row, const struct json_node *node, const char *where, struct tt_error *err)
{
    enum tt_status status;
    *row = (struct row){.adherence = ADHERENCE_NULL};
    if (node->type != JSON_OBJECT_BEGIN)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "%s is not an object", where);
    if ((status = read_ms(node, "ttft_ms", where, &row->ttft_ms, err)) != TT_OK ||
        (status = read_ms(node, "e2e_ms", where, &row->e2e_ms, err)) != TT_OK ||
        (status = read_count(node, "prompt_tokens", where, &row->prompt_tokens, err)) != TT_OK ||
        (status = read_count(node, "output_tokens", where, &row->output_tokens, err)) != TT_OK ||
        (status = read_chunks(row, node, where, err)) != TT_OK)
        return status;
    /* Before first outputs were kept apart, TTFT stood for them in every formula. */
    row->time_to_first_output_ms = row->ttft_ms;
    if (json_node_get(node, "time_to_first_output_ms") &&
        (status = read_ms(node, "time_to_first_output_ms", where, &row->time_to_first_output_ms, err)) != TT_OK)
        return status;
    read_observations(row, node);
    row_derive(row);
    if (!isfinite(row->generation_ms) || !isfinite(row->visible_generation_ms))
        return bad_field(where, "e2e_ms", "in reach of the other times", err);
    return TT_OK;
}

/* By what no other generation has; one key that was lost changes nothing, but for sampling. */
enum artifact_generation artifact_generation_of(const struct json_node *root)
{
    const struct json_node *metrics = json_node_get(root, "metrics");
    if (json_node_get(root, "sampling") || json_node_get(root, "trace"))
        return ARTIFACT_NEWEST;
    if (json_node_get(root, "performance_eligible") || json_node_get(root, "metric_population"))
        return ARTIFACT_MODERN;
    if (!json_node_get(root, "request_timings") && !json_node_get(root, "wall_clock_ms"))
        return ARTIFACT_NO_ROWS;
    if (json_node_get(metrics, "e2e_stddev_ms") || json_node_get(metrics, "ttft_stddev_ms"))
        return ARTIFACT_SEPTEMBER;
    return json_node_get(metrics, "time_to_first_output_p50_ms") || json_node_get(metrics, "reasoning_chunks")
               ? ARTIFACT_AUGUST
               : ARTIFACT_FROM_TTFT;
}

static enum tt_status read_rows(struct artifact *a, const struct json_node *rows, struct tt_error *err)
{
    if (rows->type != JSON_ARRAY_BEGIN)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "request_timings is not an array");
    if (rows->children > ARTIFACT_MAX_ROWS)
        return tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "request_timings has more than %u rows", ARTIFACT_MAX_ROWS);
    a->row_nodes = rows->child;
    a->rows = calloc(rows->children ? rows->children : 1, sizeof *a->rows);
    if (!a->rows)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu rows", rows->children);
    for (const struct json_node *node = rows->child; node; node = node->next, a->n++) {
        char where[48];
        snprintf(where, sizeof where, "request_timings[%zu]", a->n);
        enum tt_status status = artifact_read_row(&a->rows[a->n], node, where, err);
        if (status != TT_OK)
            return status;
    }
    return TT_OK;
}

enum tt_status artifact_read(struct artifact *out, const struct json_node *root, struct tt_error *err)
{
    *out = (struct artifact){.generation = ARTIFACT_NO_ROWS};
    enum tt_status status = artifact_check_document(root, err);
    if (status != TT_OK)
        return status;
    struct opt_u64 requests;
    status = read_count(root, "requests", "result", &requests, err);
    if (status != TT_OK)
        return status;
    out->requests = requests.v;
    out->metrics = get_object(root, "metrics");
    if (!out->metrics)
        return bad_field("result", "metrics", "an object", err);
    const struct json_node *rows = json_node_get(root, "request_timings");
    out->generation = artifact_generation_of(root);
    if (!rows)
        return TT_OK;
    if ((status = read_ms(root, "wall_clock_ms", "result", &out->wall_clock_ms, err)) != TT_OK ||
        (status = read_rows(out, rows, err)) != TT_OK)
        return status;
    out->eligible = out->generation < ARTIFACT_MODERN || out->n == out->requests;
    return TT_OK;
}

void artifact_free(struct artifact *a)
{
    free(a->rows);
    a->rows = NULL;
}
