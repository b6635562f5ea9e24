/* Who counts, and what may be said of so many. */
#include <stdio.h>

#include "audit_parts.h"

#define P99_MINIMUM 100u

static const char *const p99_metrics[] = {"decode_tok_s", "e2e", "effective_prefill_tok_s", "tpot", "ttft"};
enum { P99_METRICS = sizeof p99_metrics / sizeof *p99_metrics };

void audit_population(struct audit *a)
{
    const struct json_node *p = json_node_get(a->root, "metric_population");
    struct opt_u64 completed = audit_count(a->root, "completed"), failed = audit_count(a->root, "failed");
    audit_expect_count(a, "metric_population", p, "attempted_requests", a->requests);
    audit_expect_count(a, "metric_population", p, "successful_requests", completed.v);
    audit_expect_count(a, "metric_population", p, "performance_eligible_requests", completed.v);
    audit_expect_count(a, "metric_population", p, "excluded_requests", failed.v);
    audit_expect_text(a, "metric_population", p, "failure_policy",
                      "failed or contract-invalid responses retain sanitized timing and metadata but are excluded "
                      "from performance distributions");
}

static const char *wording(uint64_t samples)
{
    return samples >= P99_MINIMUM ? "tail-estimate" : "descriptive-nearest-rank-only";
}

void audit_p99(struct audit *a)
{
    const struct json_node *p = json_node_get(a->root, "metric_population");
    const struct json_node *by_metric = json_node_get(p, "p99_interpretation_by_metric"),
                           *samples = json_node_get(p, "p99_samples_by_metric");
    audit_expect_count(a, "metric_population", p, "p99_minimum_recommended_samples", P99_MINIMUM);
    audit_expect_text(a, "metric_population", p, "p99_interpretation", wording(audit_count(a->root, "completed").v));
    for (size_t i = 0; i < P99_METRICS; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s_samples", p99_metrics[i]);
        struct opt_u64 n = audit_count(a->metrics, key);
        audit_expect(a, json_node_get(by_metric, p99_metrics[i]) && json_node_get(samples, p99_metrics[i]),
                     "metric_population says nothing of the p99 of %s", p99_metrics[i]);
        audit_expect_count(a, "metric_population.p99_samples_by_metric", samples, p99_metrics[i], n.v);
        audit_expect_text(a, "metric_population.p99_interpretation_by_metric", by_metric, p99_metrics[i], wording(n.v));
    }
    if (by_metric && samples)
        audit_expect(a, by_metric->children == P99_METRICS && samples->children == P99_METRICS,
                     "metric_population speaks of %zu and %zu metrics, not of %d", by_metric->children,
                     samples->children, P99_METRICS);
}

static bool withholds(const struct audit *a, enum reason_code code)
{
    return policy_effect(&a->policy, code) == REASON_WITHHOLDS;
}

/* What the policy withholds for, as far as a result tells; a policy of the program's own withholds for nothing else. */
static void check_traced(struct audit *a, bool all)
{
    const struct json_node *tape = json_node_get(a->trace, "tape");
    bool eligible = (all || !withholds(a, REASON_REQUESTS_EXCLUDED)) &&
                    (audit_text_is(tape, "state", "complete") || !withholds(a, REASON_TAPE_INCOMPLETE)) &&
                    (audit_count(tape, "lost_reads").v == 0 || !withholds(a, REASON_READS_LOST));
    if (!a->knows_policy)
        audit_cannot(a, "its policy is not part of this program, so what it withholds is not known");
    else if (!eligible || !policy_is_changed(&a->policy))
        audit_expect_bool(a, "", a->root, "performance_eligible", eligible);
    else if (!audit_true(a->root, "performance_eligible"))
        audit_cannot(a, "what withholds under a changed policy does not all stand in a result");
}

/* All succeeded, and with a trace: the tape has its end and nothing was lost. */
static void check_run(struct audit *a)
{
    bool all = audit_count(a->root, "failed").v == 0;
    if (a->trace)
        check_traced(a, all);
    else if (!all || !a->ours)
        audit_expect_bool(a, "", a->root, "performance_eligible", all);
    else if (!audit_true(a->root, "performance_eligible"))
        audit_cannot(a, "whether the tape was whole stands in the trace, which is missing");
}

void audit_eligibility(struct audit *a)
{
    /* The published harness asks for exact tokens here, too. */
    bool eligible =
        audit_true(a->root, "performance_eligible") && (a->ours || !audit_is(a->metrics, "output_tokens", JSON_NULL));
    check_run(a);
    audit_expect_bool(a, "metric_population", json_node_get(a->root, "metric_population"),
                      "aggregate_throughput_eligible", eligible);
    audit_expect_bool(a, "metrics", a->metrics, "throughput_performance_eligible", eligible);
}
