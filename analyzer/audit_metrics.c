/* `metrics`: every number from the rows, bit for bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_parts.h"
#include "stats.h"

static const char *const not_distributions[] = {"content_chunks",
                                                "content_chunks_s",
                                                "controlled_output_exact_adherence",
                                                "controlled_output_exact_adherence_rate",
                                                "controlled_output_samples",
                                                "controlled_output_unobservable",
                                                "output_token_sources",
                                                "output_tokens",
                                                "prefix_cache_hit_avg",
                                                "prompt_token_samples",
                                                "prompt_tokens",
                                                "reasoning_chunks",
                                                "request_canary_passed",
                                                "request_canary_samples",
                                                "throughput_performance_eligible",
                                                "throughput_tok_s"};

static bool is_distribution(const char *key)
{
    for (size_t i = 0; i < sizeof not_distributions / sizeof *not_distributions; i++)
        if (strcmp(key, not_distributions[i]) == 0)
            return false;
    return true;
}

static void expect_entry(struct audit *a, const struct metrics_entry *e)
{
    if (e->type == METRICS_COUNT)
        audit_expect_count(a, "metrics", a->metrics, e->key, e->count);
    else
        audit_expect_double(a, "metrics", a->metrics, e->key,
                            (struct opt_double){e->type == METRICS_DOUBLE, e->number});
}

void audit_distributions(struct audit *a)
{
    struct metrics_entry entries[METRICS_KEYS];
    metrics_list(&a->computed, entries);
    for (size_t i = 0; i < METRICS_KEYS; i++)
        if (is_distribution(entries[i].key))
            expect_entry(a, &entries[i]);
}

static void expect_rising(struct audit *a, const char *low, const char *high)
{
    struct opt_double x = audit_double(a->metrics, low), y = audit_double(a->metrics, high);
    if (x.has && y.has)
        audit_expect(a, x.v <= y.v, "metrics.%s %.9g is above metrics.%s %.9g", low, x.v, high, y.v);
}

/* What even aggregates alone must obey: ranks rise, content comes before the end. */
void audit_metrics_order(struct audit *a)
{
    static const char *const ranks[] = {"min", "p25", "p50", "p75", "p90", "p95", "p99", "max"};
    enum { RANKS = sizeof ranks / sizeof *ranks };
    static const struct {
        const char *prefix, *unit;
    } quantities[] = {{"time_to_first_output", "_ms"},
                      {"ttft", "_ms"},
                      {"generation", "_ms"},
                      {"e2e", "_ms"},
                      {"tpot", "_ms"},
                      {"decode_tok_s", ""},
                      {"effective_prefill_tok_s", ""},
                      {"prompt_tokens", ""},
                      {"completion_tokens", ""},
                      {"mean_inter_token_latency_ms", ""},
                      {"mean_time_per_output_token", "_ms"}};
    char x[METRICS_KEY_BYTES], y[METRICS_KEY_BYTES];
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++)
        for (size_t i = 0; i < RANKS; i++)
            for (size_t k = i + 1; k < RANKS; k++) {
                snprintf(x, sizeof x, "%s_%s%s", quantities[q].prefix, ranks[i], quantities[q].unit);
                snprintf(y, sizeof y, "%s_%s%s", quantities[q].prefix, ranks[k], quantities[q].unit);
                expect_rising(a, x, y);
            }
    for (size_t i = 0; i < RANKS; i++) {
        snprintf(x, sizeof x, "ttft_%s_ms", ranks[i]);
        snprintf(y, sizeof y, "e2e_%s_ms", ranks[i]);
        expect_rising(a, x, y);
    }
}

/* Rows of July hold no chunk counts; the other rules below are judged by invariants of their own. */
static bool is_sum(const struct audit *a, const char *key)
{
    static const char *const others[] = {"content_chunks_s", "output_token_sources", "prefix_cache_hit_avg",
                                         "throughput_performance_eligible", "throughput_tok_s"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return !is_distribution(key) && (a->generation >= ARTIFACT_AUGUST || strcmp(key, "content_chunks") != 0);
}

static void check_sources(struct audit *a)
{
    const struct json_node *sources = json_node_get(a->metrics, "output_token_sources");
    const struct metrics *m = &a->computed;
    if (!sources || sources->type != JSON_OBJECT_BEGIN)
        return;
    audit_expect(a, sources->children == (size_t)((m->usage_sources > 0) + (m->chunk_sources > 0)),
                 "metrics.output_token_sources has %zu kinds, the rows have %d", sources->children,
                 (m->usage_sources > 0) + (m->chunk_sources > 0));
    audit_expect_count(a, "metrics.output_token_sources", sources, "usage", m->usage_sources);
    audit_expect_count(a, "metrics.output_token_sources", sources, "content_chunks", m->chunk_sources);
}

void audit_sums(struct audit *a)
{
    struct metrics_entry entries[METRICS_KEYS];
    metrics_list(&a->computed, entries);
    for (size_t i = 0; i < METRICS_KEYS; i++)
        if (is_sum(a, entries[i].key))
            expect_entry(a, &entries[i]);
    check_sources(a);
    if (a->generation < ARTIFACT_AUGUST)
        audit_cannot(a, "rows of this generation hold no chunk counts: metrics.content_chunks");
}

/* Per second of the wall clock. The published harness divides by the seconds that it then multiplies
 * by 1000: any of those that give wall_clock_ms may have been they. This program divides the
 * milliseconds it prints. */
static void check_rate(struct audit *a, const char *key, struct opt_double ours, double count)
{
    struct opt_double stored = audit_double(a->metrics, key), wall = audit_double(a->root, "wall_clock_ms");
    double seconds = wall.v / 1000, near = nextafter(seconds, 0);
    for (int i = 0; !a->ours && ours.has && stored.has && i < 3; i++, near = nextafter(near, INFINITY))
        if (near * 1000 == wall.v && count / near == stored.v)
            ours = stored;
    audit_expect_double(a, "metrics", a->metrics, key, ours);
}

/* Until the modern generation, throughput was told even of a run with failures. */
void audit_throughput(struct audit *a)
{
    const struct metrics *m = &a->computed;
    check_rate(a, "throughput_tok_s", m->throughput_tok_s, (double)m->output_tokens.v);
    check_rate(a, "content_chunks_s", m->content_chunks_s, (double)m->content_chunks);
    if (a->generation < ARTIFACT_AUGUST && m->content_chunks_s.has)
        audit_cannot(a, "rows of this generation hold no chunk counts: metrics.content_chunks_s");
}

/* cached_tokens stand in the trace alone, by request_index. */
void audit_cache_hits(struct audit *a)
{
    const struct json_node *requests = json_node_get(a->trace, "requests");
    size_t n = 0;
    double *hits = calloc(a->rows->children + 1, sizeof *hits);
    if (!hits) {
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for the cache hits");
        return;
    }
    const struct json_node *r = requests ? requests->child : NULL;
    for (const struct json_node *row = a->rows->child; row; row = row->next) {
        struct opt_u64 index = audit_count(row, "request_index"), prompt = audit_count(row, "prompt_tokens");
        while (r && audit_count(r, "request_index").v < index.v) /* both ascend */
            r = r->next;
        struct opt_u64 cached = audit_count(r, "cached_tokens");
        if (r && audit_count(r, "request_index").v == index.v && cached.has && prompt.has && prompt.v > 0)
            hits[n++] = (double)cached.v / (double)prompt.v;
    }
    audit_expect_double(a, "metrics", a->metrics, "prefix_cache_hit_avg",
                        (struct opt_double){n > 0, n > 0 ? stats_mean(hits, n) : 0});
    free(hits);
}
