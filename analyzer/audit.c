#include "audit.h"

#include <assert.h>
#include <stdio.h>

#include "audit_parts.h"
#include "result.h"

static const struct json_node *get_typed(const struct json_node *root, const char *key, enum json_token type)
{
    return audit_is(root, key, type) ? json_node_get(root, key) : NULL;
}

/* The clock's sentence is what each program says of itself. */
static bool is_ours(const struct audit *a)
{
    return a->trace ||
           audit_text_is(json_node_get(a->root, "timing_methodology"), "clock", result_methodology_text("clock"));
}

static void open_result(struct audit *a, const struct json_node *root)
{
    *a = (struct audit){.root = root, .status = TT_OK};
    a->rows = get_typed(root, "request_timings", JSON_ARRAY_BEGIN);
    a->failures = get_typed(root, "failures", JSON_ARRAY_BEGIN);
    a->metrics = get_typed(root, "metrics", JSON_OBJECT_BEGIN);
    a->trace = get_typed(root, "trace", JSON_OBJECT_BEGIN);
    a->requests = audit_count(root, "requests").v;
    a->generation = artifact_generation_of(root);
    a->ours = is_ours(a);
    audit_open_policy(a);
    enum tt_status st = artifact_read(&a->artifact, root, &a->error);
    if (st == TT_OK && a->rows) {
        bool eligible = a->generation < ARTIFACT_MODERN || audit_true(root, "performance_eligible");
        struct metrics_input in = {a->artifact.rows, a->artifact.n, a->artifact.wall_clock_ms, eligible};
        st = metrics_compute(&in, &a->computed);
    }
    a->readable = st == TT_OK;
    if (st == TT_NOMEM)
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu rows", a->artifact.n);
}

static void judge(struct audit *a, const struct audit_invariant *v)
{
    if (a->generation < v->since)
        audit_cannot(a, "%s", v->before);
    else if ((v->needs & AUDIT_NEEDS_TRACE) && !a->trace)
        audit_cannot(a, "the result has no trace");
    else if ((v->needs & AUDIT_NEEDS_OURS) && !a->ours)
        audit_cannot(a, "the result is of another program");
    else if ((v->needs & AUDIT_NEEDS_ROWS) && !a->readable)
        audit_cannot(a, "its rows cannot be read: %s", a->error.line);
    else if ((v->needs & AUDIT_NEEDS_ROWS) && !a->rows)
        audit_cannot(a, "the result has no rows");
    else
        v->check(a);
    if (a->finding->compared == 0)
        audit_cannot(a, "nothing of it is in this result");
}

/* What cannot be read cannot be in order, whatever the tables of keys say. */
static void note_unreadable(struct audit *a, struct audit_finding *form)
{
    if (a->readable || form->verdict == AUDIT_CONTRADICTED)
        return;
    a->finding = form;
    audit_expect(a, false, "%s", a->error.line);
}

enum tt_status audit_result(const struct json_node *root, struct audit_report *out, struct tt_error *err)
{
    struct audit a;
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    assert(n <= AUDIT_INVARIANTS);
    open_result(&a, root);
    *out = (struct audit_report){.generation = a.generation, .has_trace = a.trace != NULL};
    out->rows = a.rows ? a.rows->children : 0;
    out->failures = a.failures ? a.failures->children : 0;
    for (size_t i = 0; i < n && a.status == TT_OK; i++) {
        a.finding = &out->findings[i];
        judge(&a, &list[i]);
    }
    note_unreadable(&a, &out->findings[0]);
    for (size_t i = 0; i < n; i++) {
        const struct audit_finding *f = &out->findings[i];
        out->proven += f->verdict == AUDIT_PROVEN;
        out->contradicted += f->verdict == AUDIT_CONTRADICTED;
        out->unprovable += f->verdict == AUDIT_UNPROVABLE;
        out->compared += f->compared;
    }
    artifact_free(&a.artifact);
    if (a.status != TT_OK && err)
        *err = a.error;
    return a.status;
}

const char *audit_verdict_name(enum audit_verdict verdict)
{
    static const char *const names[] = {
        [AUDIT_PROVEN] = "proven", [AUDIT_CONTRADICTED] = "contradicted", [AUDIT_UNPROVABLE] = "unprovable"};
    return names[verdict];
}
