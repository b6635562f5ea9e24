/* What the trace derives from all requests together: recomputed by the code that wrote it, over a run
 * put together from the document. When each call ended is told of failures alone; of a success it is
 * only known that it did not end before its stream did. */
#include <math.h>
#include <stdlib.h>

#include "audit_parts.h"
#include "overlap.h"
#include "warnings.h"

static uint64_t ns_of(const struct json_node *r, const char *key, uint64_t since)
{
    struct opt_double ms = audit_double(r, key);
    return ms.has && ms.v >= 0 && ms.v < 9e9 ? since + (uint64_t)llround(ms.v * 1e6) : TAPE_NONE;
}

static void read_answer(struct request *q, const struct json_node *r)
{
    q->start_ns = ns_of(r, "start_offset_ms", 0);
    if (q->start_ns == TAPE_NONE)
        return;
    q->send_last_ns = ns_of(r, "upload_ms", q->start_ns);
    q->facts.first_reasoning_ns = ns_of(r, "first_reasoning_ms", q->start_ns);
    q->facts.first_content_ns = ns_of(r, "first_content_ms", q->start_ns);
    q->facts.end_ns = ns_of(r, "end_ms", q->start_ns);
    q->done_ns = q->facts.end_ns != TAPE_NONE ? q->facts.end_ns : q->start_ns;
    q->facts.usage.cached_tokens = audit_count(r, "cached_tokens");
}

/* What its row or its failure knows. */
static void read_outcome(struct request *q, const struct json_node *told, bool success)
{
    const struct json_node *usage = json_node_get(json_node_get(told, "response_metadata"), "usage");
    q->context_tokens = audit_count(told, "planned_context_tokens").v;
    q->verdict.failure = success ? FAILURE_NONE : FAILURE_REQUEST_ERROR;
    q->facts.usage.prompt_tokens = audit_count(success ? told : usage, "prompt_tokens");
    q->facts.usage.completion_tokens =
        audit_count(success ? told : usage, success ? "output_tokens" : "completion_tokens");
    if (!success && q->start_ns != TAPE_NONE)
        q->done_ns = ns_of(told, "elapsed_ms", q->start_ns);
}

/* Its rules need nothing that a result leaves out. */
static bool is_provable(enum reason_code code)
{
    return code == REASON_CACHED_IN_UNIQUE_MODE || code == REASON_PREFIX_FILLS_PROMPT || code == REASON_UPLOAD_SLOW ||
           code == REASON_PROMPT_OFF_PLAN || code == REASON_USAGE_MISSING;
}

static bool applies(const struct run *run, const struct request *q, enum reason_code code)
{
    struct reason_finding f = {0};
    if (code == REASON_USAGE_MISSING)
        return request_succeeded(q) && !q->facts.usage.completion_tokens.has;
    reason_judge_request(code, run, q, &f);
    return f.outcome == REASON_APPLIES;
}

/* Reasons as the result lists them; those that can be proven, as they are. */
static void read_reasons(struct audit *a, const struct run *run, struct request *q, const struct json_node *r)
{
    const struct json_node *list = json_node_get(r, "reasons");
    struct reason_set told = {{0}};
    for (const struct json_node *n = list ? list->child : NULL; n; n = n->next)
        if (n->type == JSON_STRING && reason_find(n->text) != REASON_NONE)
            reason_set_add(&told, reason_find(n->text));
    q->verdict.reasons = told;
    for (unsigned i = REASON_NONE + 1; i < REASON_TAPE_INCOMPLETE; i++) {
        enum reason_code code = (enum reason_code)i;
        if (!is_provable(code) || policy_effect(&run->policy, code) == REASON_IGNORED)
            continue;
        bool due = applies(run, q, code);
        if (a->names_policy && (code != REASON_USAGE_MISSING || request_succeeded(q)))
            audit_expect(a, due == reason_set_has(&told, code), "trace.requests[%llu].reasons %s %s",
                         (unsigned long long)q->number, due ? "lacks" : "has no cause for", reason_describe(code)->id);
        if (due)
            reason_set_add(&q->verdict.reasons, code);
        else
            reason_set_remove(&q->verdict.reasons, code);
    }
}

static void read_requests(struct audit *a, struct run *run)
{
    const struct json_node *r = json_node_get(a->trace, "requests")->child;
    const struct json_node *row = a->rows->child, *f = a->failures->child;
    for (size_t i = 0; i < run->count; i++, r = r->next) {
        struct request *q = &run->requests[i];
        *q = (struct request){.number = i,
                              .start_ns = TAPE_NONE,
                              .send_last_ns = TAPE_NONE,
                              .done_ns = TAPE_NONE,
                              .facts = {.first_reasoning_ns = TAPE_NONE,
                                        .first_content_ns = TAPE_NONE,
                                        .last_byte_ns = TAPE_NONE,
                                        .end_ns = TAPE_NONE}};
        read_answer(q, r);
        bool success = row && audit_count(row, "request_index").v == i;
        if (success || f)
            read_outcome(q, success ? row : f, success);
        if (success)
            row = row->next;
        else if (f)
            f = f->next;
    }
}

/* Lists whose indexes are not in order are the business of others. False: nothing to go by. */
static bool open_run(struct audit *a, struct run *run)
{
    const struct json_node *requests = json_node_get(a->trace, "requests"),
                           *mode = json_node_get(a->root, "prompt_cache_mode");
    if (!requests || requests->type != JSON_ARRAY_BEGIN || !a->failures || requests->children != a->requests ||
        a->requests != a->rows->children + a->failures->children || a->requests > ARTIFACT_MAX_ROWS)
        return false;
    *run = (struct run){.count = (size_t)a->requests, .has_run_start = true, .policy = a->policy};
    run->run_end_ns = ns_of(a->root, "wall_clock_ms", 0);
    run->options.concurrency = audit_count(a->root, "concurrency").v;
    run->options.shared_prefix_tokens = audit_count(a->root, "shared_prefix_tokens").v;
    run->lost_reads = audit_count(json_node_get(a->trace, "tape"), "lost_reads").v;
    run->requests = calloc(run->count + 1, sizeof *run->requests);
    if (mode && mode->type == JSON_STRING)
        run->options.prompt_cache_mode = (char *)mode->text.p; /* borrowed, and only read */
    if (!run->requests)
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu requests", run->count);
    else
        read_requests(a, run);
    return run->requests != NULL;
}

static void check_shares(struct audit *a, const struct overlap *o)
{
    const struct json_node *r = json_node_get(a->trace, "requests")->child;
    struct opt_u64 most = audit_count(json_node_get(a->trace, "overlap"), "max_in_flight");
    char place[AUDIT_PLACE_BYTES];
    for (size_t i = 0; r; r = r->next, i++) {
        struct opt_u64 level = audit_count(r, "in_flight_at_start");
        bool started = audit_is(r, "start_offset_ms", JSON_NUMBER);
        audit_place(place, "trace.requests", i);
        audit_expect_double(a, place, r, "overlap_prefill_share", o->prefill_share[i]);
        audit_expect(a, level.has == started, "%s.in_flight_at_start does not go with start_offset_ms", place);
        if (level.has)
            audit_expect(a, level.v >= o->in_flight_at_start[i] && (!most.has || level.v <= most.v),
                         "%s.in_flight_at_start %llu is not within %llu, as the times of others say, and %llu", place,
                         (unsigned long long)level.v, (unsigned long long)o->in_flight_at_start[i],
                         (unsigned long long)most.v);
    }
}

static void check_overlap(struct audit *a, const struct overlap *least)
{
    const struct json_node *o = json_node_get(a->trace, "overlap");
    struct opt_u64 most = audit_count(o, "max_in_flight"), lanes = audit_count(a->root, "concurrency");
    struct opt_double mean = audit_double(o, "mean_in_flight"), full = audit_double(o, "full_concurrency_share");
    audit_expect_count(a, "trace.overlap", o, "concurrency", lanes.v);
    audit_expect(a, !most.has || (most.v >= least->max && most.v <= lanes.v),
                 "trace.overlap.max_in_flight %llu is not within %llu, as the times say, and %llu",
                 (unsigned long long)most.v, (unsigned long long)least->max, (unsigned long long)lanes.v);
    audit_expect(a, !mean.has || (mean.v >= least->mean.v && mean.v <= (double)most.v),
                 "trace.overlap.mean_in_flight %.9g is not within %.9g, as the times say, and %llu", mean.v,
                 least->mean.v, (unsigned long long)most.v);
    audit_expect(a, !full.has || (full.v >= least->full_share.v && full.v <= 1),
                 "trace.overlap.full_concurrency_share %.9g is not within %.9g, as the times say, and 1", full.v,
                 least->full_share.v);
}

void audit_trace_overlap(struct audit *a)
{
    struct overlap overlap;
    struct run run;
    if (!open_run(a, &run))
        return;
    if (overlap_compute(&run, &overlap) == TT_OK) {
        check_shares(a, &overlap);
        check_overlap(a, &overlap);
    } else {
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu requests", run.count);
    }
    overlap_free(&overlap);
    free(run.requests);
}

/* Where the reasons of requests are listed, holes of the tape alone have no trace in a result. */
static bool has_cause(const struct audit *a, const char *id)
{
    enum reason_code code = reason_find(tt_view_str(id));
    if (code == REASON_TAPE_HAS_HOLES)
        return false;
    return a->names_policy || code == REASON_P95_IS_MAX || code == REASON_READS_LOST || is_provable(code);
}

static const struct warning *find_warning(const struct warning *w, size_t n, const struct json_node *code)
{
    for (size_t i = 0; i < n; i++)
        if (code && code->type == JSON_STRING && tt_view_equal(code->text, w[i].code))
            return &w[i];
    return NULL;
}

static void check_warning(struct audit *a, const char *place, const struct json_node *told, const struct warning *w)
{
    const struct json_node *requests = json_node_get(told, "requests"), *n = requests ? requests->child : NULL;
    audit_expect_count(a, place, told, "count", w->count);
    audit_expect_text(a, place, told, "text", w->text);
    audit_expect(a, (requests ? requests->children : 0) == w->listed, "%s.requests lists %zu, not %zu", place,
                 requests ? requests->children : 0, w->listed);
    for (size_t i = 0; n && i < w->listed; n = n->next, i++) {
        uint64_t index = UINT64_MAX;
        json_node_u64(n, &index);
        audit_expect(a, index == w->requests[i], "%s.requests[%zu] is not %llu", place, i,
                     (unsigned long long)w->requests[i]);
    }
}

static void check_warnings(struct audit *a, const struct warning *w, size_t n)
{
    const struct json_node *list = json_node_get(a->trace, "warnings");
    char place[AUDIT_PLACE_BYTES];
    const struct warning *last = NULL;
    size_t i = 0, told = 0, due = 0;
    for (const struct json_node *c = list ? list->child : NULL; c; c = c->next, i++) {
        const struct json_node *code = json_node_get(c, "code");
        const struct warning *same = find_warning(w, n, code);
        audit_place(place, "trace.warnings", i);
        if (same && audit_expect(a, !last || same > last, "%s does not stand in the order of warnings", place))
            check_warning(a, place, c, same);
        if (same)
            last = same;
        else if (audit_expect(a, code && code->type == JSON_STRING && !has_cause(a, (const char *)code->text.p),
                              "%s has no cause in this result", place))
            audit_cannot(a, "what causes trace.warnings %.60s is not in a result", (const char *)code->text.p);
        told += same != NULL;
    }
    for (size_t k = 0; k < n; k++)
        due += has_cause(a, w[k].code);
    audit_expect(a, told >= due, "trace.warnings lacks %zu that the requests give cause for", due - told);
}

void audit_trace_warnings(struct audit *a)
{
    struct warning warnings[WARNINGS_MAX];
    struct run run;
    if (!a->knows_policy) {
        audit_cannot(a, "its policy is not part of this program, so what it warns of is not known");
        return;
    }
    if (!open_run(a, &run))
        return;
    const struct json_node *r = json_node_get(a->trace, "requests")->child;
    for (size_t i = 0; i < run.count; i++, r = r->next)
        read_reasons(a, &run, &run.requests[i], r);
    check_warnings(a, warnings, warnings_collect(&run, warnings));
    free(run.requests);
}
