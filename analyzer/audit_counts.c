/* Every planned request once: counts, indexes, contexts, responses. */
#include <stdlib.h>

#include "audit_parts.h"

void audit_counts(struct audit *a)
{
    struct opt_u64 completed = audit_count(a->root, "completed"), failed = audit_count(a->root, "failed");
    if (completed.has && failed.has)
        audit_expect(a, completed.v <= a->requests && a->requests - completed.v == failed.v,
                     "completed %llu and failed %llu are not the %llu requests", (unsigned long long)completed.v,
                     (unsigned long long)failed.v, (unsigned long long)a->requests);
    else if (completed.has)
        audit_expect(a, completed.v <= a->requests, "completed is %llu of %llu requests",
                     (unsigned long long)completed.v, (unsigned long long)a->requests);
    if (a->rows)
        audit_expect_count(a, "", a->root, "completed", a->rows->children);
    else
        audit_cannot(a, "no rows that could be counted");
    if (a->failures)
        audit_expect_count(a, "", a->root, "failed", a->failures->children);
}

/* Marks the indexes of one list in `seen`; they have to ascend. */
static void take_indexes(struct audit *a, const char *name, const struct json_node *list, uint8_t *seen)
{
    struct opt_u64 last = {false, 0};
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    for (const struct json_node *n = list->child; n; n = n->next, i++) {
        struct opt_u64 index = audit_count(n, "request_index");
        audit_place(place, name, i);
        if (!index.has)
            continue; /* the form says so */
        audit_expect(a, !last.has || index.v > last.v, "%s.request_index is %llu, behind %llu", place,
                     (unsigned long long)index.v, (unsigned long long)last.v);
        if (audit_expect(a, index.v < a->requests, "%s.request_index is %llu of %llu requests", place,
                         (unsigned long long)index.v, (unsigned long long)a->requests) &&
            index.v < ARTIFACT_MAX_ROWS)
            audit_expect(a, seen[index.v]++ == 0, "%s.request_index %llu stands twice", place,
                         (unsigned long long)index.v);
        last = index;
    }
}

void audit_indexes(struct audit *a)
{
    if (!a->rows || !a->failures || a->requests > ARTIFACT_MAX_ROWS)
        return;
    uint8_t *seen = calloc(ARTIFACT_MAX_ROWS, 1);
    if (!seen) {
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for the indexes");
        return;
    }
    if (a->rows->children + a->failures->children <= ARTIFACT_MAX_ROWS) { /* no count of uint8_t overflows */
        take_indexes(a, "request_timings", a->rows, seen);
        take_indexes(a, "failures", a->failures, seen);
        for (uint64_t i = 0; i < a->requests; i++)
            audit_expect(a, seen[i] > 0, "request %llu is neither a row nor a failure", (unsigned long long)i);
    }
    free(seen);
}

static int compare_u64(const void *x, const void *y)
{
    uint64_t u = *(const uint64_t *)x, v = *(const uint64_t *)y;
    return (u > v) - (u < v);
}

/* planned_context_tokens of all requests that tell; sorted. NULL without memory. */
static uint64_t *planned_contexts(struct audit *a, size_t *n)
{
    const struct json_node *lists[2] = {a->rows, a->failures};
    uint64_t *planned = calloc(a->rows->children + a->failures->children + 1, sizeof *planned);
    *n = 0;
    if (!planned)
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for the contexts");
    for (size_t i = 0; i < 2 && planned; i++)
        for (const struct json_node *c = lists[i]->child; c; c = c->next) {
            struct opt_u64 tokens = audit_count(c, "planned_context_tokens");
            if (tokens.has)
                planned[(*n)++] = tokens.v;
        }
    if (planned)
        qsort(planned, *n, sizeof *planned, compare_u64);
    return planned;
}

/* How many of the sorted values are below v. */
static size_t count_below(const uint64_t *sorted, size_t n, uint64_t v)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All share one target when it was given; a window can only make it smaller. */
static void check_given_context(struct audit *a, const struct json_node *kinds, uint64_t target)
{
    struct opt_u64 given = audit_count(a->root, "context_tokens"), window = audit_count(a->root, "max_context_tokens"),
                   max_tokens = audit_count(a->root, "max_tokens");
    if (!given.has)
        return;
    audit_expect(a, kinds->children == 1, "context_distribution has %zu targets, context_tokens gives one",
                 kinds->children);
    audit_expect(a, target <= given.v, "the target %llu is more than context_tokens %llu", (unsigned long long)target,
                 (unsigned long long)given.v);
    if (window.has && max_tokens.has)
        audit_expect(a, max_tokens.v < window.v && target <= window.v - max_tokens.v,
                     "the target %llu and max_tokens %llu do not fit the window %llu", (unsigned long long)target,
                     (unsigned long long)max_tokens.v, (unsigned long long)window.v);
    else
        audit_expect(a, target == given.v, "the target is %llu, context_tokens %llu, and no window cut it",
                     (unsigned long long)target, (unsigned long long)given.v);
}

void audit_contexts(struct audit *a)
{
    const struct json_node *kinds = json_node_get(a->root, "context_distribution");
    uint64_t sum = 0, target, count;
    size_t n;
    if (!kinds || !a->rows || !a->failures)
        return;
    uint64_t *planned = planned_contexts(a, &n);
    if (!planned)
        return;
    /* This program counts the targets that it tells; another may keep quiet of a failure's. */
    size_t requests = a->rows->children + a->failures->children;
    bool all_told = a->ours || n == requests;
    uint64_t want = a->ours ? n : a->requests;
    for (const struct json_node *c = kinds->child; c; c = c->next) {
        if (!audit_expect(a, json_number_u64(c->key, &target) && json_node_u64(c, &count),
                          "context_distribution.%.60s is no count of a context", (const char *)c->key.p))
            continue;
        size_t told = count_below(planned, n, target + 1) - count_below(planned, n, target);
        audit_expect(a, told == count || (!all_told && told < count),
                     "context_distribution.%llu is %llu, the requests say %zu", (unsigned long long)target,
                     (unsigned long long)count, told);
        check_given_context(a, kinds, target);
        sum += count;
    }
    audit_expect(a, sum == want, "context_distribution counts %llu, not %llu requests", (unsigned long long)sum,
                 (unsigned long long)want);
    if (!all_told)
        audit_cannot(a, "%zu failures do not say their planned context", requests - n);
    free(planned);
}

void audit_responses(struct audit *a)
{
    uint64_t responses = a->rows ? a->rows->children : 0;
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f; f = f->next)
        responses += audit_true(f, "response_received");
    audit_expect_count(a, "", a->root, "responses_received", responses);
}
