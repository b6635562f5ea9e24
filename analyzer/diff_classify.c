/* What explains a difference: by its place, and by what else differs. */
#include "diff_parts.h"

static bool is_key_lost(const struct diff_entry *e)
{
    return e->kind == DIFF_MISSING || e->kind == DIFF_EXTRA;
}

/* The part of a path behind "list[12]", or NULL when it is no element of that list. */
static const char *inside_element(const char *path, const char *list)
{
    size_t n = strlen(list);
    if (strncmp(path, list, n) != 0 || path[n] != '[')
        return NULL;
    const char *end = strchr(path + n, ']');
    return end ? end + 1 : NULL;
}

/* A whole element that one of the two lacks: the other has to have the request in its other list. */
static enum diff_class classify_element(const struct diff_entry *e, struct diff_request *r)
{
    if (!is_key_lost(e) || !r || !r->row[0] == !r->row[1])
        return DIFF_UNEXPLAINED;
    if ((!r->row[0] && !r->failure[0]) || (!r->row[1] && !r->failure[1]))
        return DIFF_UNEXPLAINED;
    r->touched = true;
    return DIFF_MOVED;
}

/* What a failure carries depends on its class: how far the request came. */
static enum diff_class classify_in_failure(struct diff_request *r, const char *inside)
{
    static const char *const carried[] = {".controlled_output", ".request_canary", ".response_metadata",
                                          ".response_received", ".response_timing"};
    if (!r || !diff_request_fails_otherwise(r))
        return DIFF_UNEXPLAINED;
    if (strcmp(inside, ".failure_class") == 0 || strcmp(inside, ".error_type") == 0) {
        r->touched = true;
        return DIFF_MOVED;
    }
    if (diff_path_covers(".error_message", inside) || strcmp(inside, ".error_message_truncated") == 0)
        return DIFF_DERIVED;
    for (size_t i = 0; i < sizeof carried / sizeof *carried; i++)
        if (strcmp(inside, carried[i]) == 0)
            return DIFF_DERIVED;
    return DIFF_UNEXPLAINED;
}

static enum diff_class classify_in_trace(struct diff_request *r, const char *inside)
{
    if (!r || !diff_path_covers(".reasons", inside))
        return DIFF_UNEXPLAINED;
    r->touched = true;
    return DIFF_MOVED;
}

static bool other_makers(const struct diff_report *report)
{
    const struct diff_maker *a = &report->makers[0], *b = &report->makers[1];
    return strcmp(a->analyzer, b->analyzer) != 0 || strcmp(a->policy, b->policy) != 0 ||
           strcmp(a->fingerprint, b->fingerprint) != 0 || strcmp(a->limits, b->limits) != 0 ||
           a->generation != b->generation;
}

static bool is_any_of(const char *path, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (diff_path_covers(list[i], path))
            return true;
    return false;
}

#define IS_ANY_OF(path, list) is_any_of(path, list, sizeof(list) / sizeof *(list))

/* Over all requests: they follow from where these stand, some from the rules themselves. */
static bool follows(const struct diff_report *report, const struct diff_requests *r, const char *path)
{
    static const char *const over_rows[] = {
        "metrics",           "metric_population", "completed", "failed", "measurement_protocol", "performance_eligible",
        "responses_received"};
    static const char *const over_all[] = {"trace.accounts", "trace.warnings", "responses_received"};
    static const char *const ruled[] = {"performance_eligible",
                                        "measurement_protocol",
                                        "metrics.throughput_performance_eligible",
                                        "metrics.throughput_tok_s",
                                        "metric_population.aggregate_throughput_eligible",
                                        "metric_population.failure_policy",
                                        "timing_methodology",
                                        "trace.timing.client_limited.requests",
                                        "trace.warnings"};
    bool moved = r->rows_moved || r->rows_differ;
    return (moved && IS_ANY_OF(path, over_rows)) || ((moved || r->causes_move) && IS_ANY_OF(path, over_all)) ||
           (other_makers(report) && IS_ANY_OF(path, ruled));
}

enum diff_class diff_classify(const struct diff_report *report, struct diff_requests *requests,
                              const struct diff_entry *e)
{
    static const char *const told[] = {"trace.analyzer_version", "trace.policy", "trace.timing.client_limited.limit_ms",
                                       "trace.timing.client_limited.limit_percent",
                                       "trace.timing.client_limited.strict"};
    static const struct {
        const char *list;
        enum diff_class (*inside)(struct diff_request *r, const char *inside); /* NULL: nothing there may differ */
    } lists[] = {{"request_timings", NULL}, {"failures", classify_in_failure}, {"trace.requests", classify_in_trace}};
    struct diff_request *r = diff_requests_get(requests, e->request);
    if (e->kind == DIFF_ORDER)
        return DIFF_UNEXPLAINED;
    if (IS_ANY_OF(e->path, told))
        return DIFF_RULE;
    if (strcmp(e->path, "trace") == 0 && is_key_lost(e))
        return DIFF_FORM;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *inside = inside_element(e->path, lists[i].list);
        enum diff_class class = DIFF_UNEXPLAINED;
        if (inside && inside[0] == '\0' && i < 2)
            return classify_element(e, r);
        if (inside && lists[i].inside)
            class = lists[i].inside(r, inside);
        if (class != DIFF_UNEXPLAINED)
            return class;
    }
    if (follows(report, requests, e->path))
        return headline_find(e->path) < HEADLINES ? DIFF_HEADLINE : DIFF_DERIVED;
    bool known = strcmp(report->makers[0].analyzer, report->makers[1].analyzer) != 0 ||
                 report->makers[0].generation != report->makers[1].generation;
    return is_key_lost(e) && known ? DIFF_FORM : DIFF_UNEXPLAINED;
}
