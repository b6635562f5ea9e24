#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reason.h"
#include "number.h"
#include "summary_parts.h"

static void print_verdict(struct summary *s)
{
    char changes[POLICY_CHANGES_BYTES];
    const struct run *run = s->run;
    summary_print(s, "ELIGIBLE %zu/%zu · excluded %zu · tape %s", s->succeeded, run->count, run->count - s->succeeded,
                  reader_state_name(run->tape.state));
    if (run->end_reason && strcmp(run->end_reason, "complete") != 0)
        summary_print(s, " (run %s)",
                      strcmp(run->end_reason, "interrupted") == 0 ? "interrupted" : "stopped: the disk");
    summary_print_client_error(s);
    if (strcmp(policy_name(&run->policy), "capacity") != 0 || policy_is_changed(&run->policy))
        summary_print(s, " · policy %s %llu%s", policy_name(&run->policy),
                      (unsigned long long)policy_version(&run->policy), policy_changes(&run->policy, changes));
    summary_print(s, "\n");
}

/* "  2 no_terminal (requests 3, 5): ": the first few by number. */
static size_t format_failures(const struct run *run, enum reason_code code, size_t n, char *out, size_t cap)
{
    size_t shown = 0;
    int used =
        snprintf(out, cap, "  %zu %s (%s", n, reason_describe(code)->error_type, n == 1 ? "request" : "requests");
    for (size_t i = 0; i < run->count && shown < 5; i++)
        if (run->requests[i].verdict.reason == code)
            used += snprintf(out + used, cap - (size_t)used, "%s %zu", shown++ ? "," : "", i);
    used += snprintf(out + used, cap - (size_t)used, "%s): ", n > shown ? ", ..." : "");
    return (size_t)used;
}

/* Requests of one error type, and what the first one says, cut to the width of the table. */
static void print_failures_of(struct summary *s, enum reason_code code)
{
    const char *message = NULL;
    char line[160];
    size_t n = 0, room = SUMMARY_COLUMNS;
    bool differ = false;
    for (size_t i = 0; i < s->run->count; i++) {
        const struct request *r = &s->run->requests[i];
        if (r->verdict.reason != code)
            continue;
        message = message ? message : r->verdict.message;
        differ = differ || strcmp(message, r->verdict.message) != 0;
        n++;
    }
    if (n == 0)
        return;
    size_t used = format_failures(s->run, code, n, line, sizeof line);
    room = used + 20 < room ? room - used : 20;
    room -= differ ? strlen(", ...") : 0;
    bool cut = strlen(message) > room;
    summary_print(s, "%s%.*s%s%s\n", line, (int)(cut ? room - 3 : room), message, cut ? "..." : "",
                  differ ? ", ..." : "");
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* " min / p50 / max", or one number where all are equal. */
static void print_spread(struct summary *s, uint64_t low, uint64_t middle, uint64_t high)
{
    char a[NUMBER_BYTES], b[NUMBER_BYTES], c[NUMBER_BYTES];
    if (low == high)
        summary_print(s, "%s", number_u64(low, a));
    else
        summary_print(s, "%s / %s / %s", number_u64(low, a), number_u64(middle, b), number_u64(high, c));
}

static void print_planned(struct summary *s)
{
    uint64_t *planned = malloc((s->run->count ? s->run->count : 1) * sizeof *planned);
    size_t n = 0;
    if (!planned) {
        s->status = tt_fail(s->err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
        return;
    }
    for (size_t i = 0; i < s->run->count; i++)
        if (s->run->requests[i].context_tokens > 0)
            planned[n++] = s->run->requests[i].context_tokens;
    qsort(planned, n, sizeof *planned, compare_u64);
    summary_print(s, "planned ");
    if (n > 0)
        print_spread(s, planned[0], planned[(n - 1) / 2], planned[n - 1]);
    else
        summary_print(s, "unknown");
    free(planned);
}

/* A double that was a count: the greatest counts have become 2^64, which is none. */
static uint64_t to_count(double v)
{
    return v < 0x1p64 ? (uint64_t)v : UINT64_MAX;
}

static void print_prompt(struct summary *s)
{
    const struct stats *prompt = &s->metrics.distribution[METRICS_PROMPT_TOKENS];
    const struct opt_double hit = s->metrics.prefix_cache_hit_avg;
    char text[NUMBER_BYTES];
    summary_print(s, "prompt ");
    if (prompt->samples > 0)
        print_spread(s, to_count(prompt->min), to_count(prompt->p50), to_count(prompt->max));
    else
        summary_print(s, "unknown");
    summary_print(s, " tokens (");
    print_planned(s);
    summary_print(s, ") · cache %s%s · connections %s%s\n", hit.has ? number_double(hit.v * 100, 1, text) : "unknown",
                  hit.has ? " % hit" : "", s->run->options.connections ? s->run->options.connections : "unknown",
                  s->run->options.insecure ? ", certificates not verified" : "");
}

static void print_prefill_overlap(struct summary *s)
{
    double low = 1, high = 0;
    size_t n = 0, known = 0;
    char a[NUMBER_BYTES], b[NUMBER_BYTES];
    for (size_t i = 0; i < s->overlap.count; i++) {
        struct opt_double share = s->overlap.prefill_share[i];
        known += share.has;
        if (!share.has || share.v < 0.01)
            continue;
        n++;
        low = share.v < low ? share.v : low;
        high = share.v > high ? share.v : high;
    }
    if (n == 0) {
        summary_print(s, "%s\n",
                      known > 0 ? "no request spent 1 % of generation under another's prefill"
                                : "no generation to compare");
        return;
    }
    number_double(low * 100, 0, a);
    number_double(high * 100, 0, b);
    bool same = strcmp(a, b) == 0;
    summary_print(s, "%zu of %zu requests spent %s%s%s %% of generation under another's prefill\n", n, known, a,
                  same ? "" : "-", same ? "" : b);
}

static void print_overlap(struct summary *s)
{
    char mean[NUMBER_BYTES], limit[NUMBER_BYTES];
    summary_print(s, "overlap mean %s of %s · ", s->overlap.mean.has ? number_double(s->overlap.mean.v, 2, mean) : "-",
                  number_u64(s->run->options.concurrency, limit));
    print_prefill_overlap(s);
}

void summary_print_head(struct summary *s)
{
    print_verdict(s);
    for (unsigned i = REASON_NONE + 1; i < REASON_TAPE_INCOMPLETE; i++)
        print_failures_of(s, (enum reason_code)i);
    print_prompt(s);
    print_overlap(s);
    summary_print_timing(s);
}
