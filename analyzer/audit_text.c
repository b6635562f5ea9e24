/* What `audit` says. */
#include <stdio.h>

#include "audit_parts.h"
#include "json_put.h"
#include "number.h"

#define COLUMNS 96u

/* A list of words behind a label, broken into lines; `tail` comes behind the last. */
struct listing {
    struct output *o;
    size_t column;
    bool any;
};

static void say_word(struct listing *l, const char *word)
{
    size_t n = strlen(word) + 2;
    if (l->any && l->column + n > COLUMNS) {
        output_say(l->o, ",\n");
        output_say(l->o, "               %s", word);
        l->column = 15 + n;
    } else {
        output_say(l->o, "%s%s", l->any ? ", " : "", word);
        l->column += n;
    }
    l->any = true;
}

static void say_verdict(const struct audit_report *r, struct output *o)
{
    output_say(o, "%s · %zu proven", r->contradicted > 0 ? "CONTRADICTED" : "NOTHING CONTRADICTS", r->proven);
    if (r->contradicted > 0)
        output_say(o, " · %zu contradicted", r->contradicted);
    output_say(o, " · %zu cannot be proven here\n", r->unprovable);
}

static void say_contradictions(const struct audit_report *r, struct output *o)
{
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    for (size_t i = 0; i < n; i++) {
        const struct audit_finding *f = &r->findings[i];
        if (f->verdict == AUDIT_CONTRADICTED)
            output_say(o, "  contradicted %s: %s (%llu of %llu)\n", list[i].id, f->text,
                       (unsigned long long)f->contradictions, (unsigned long long)f->compared);
    }
}

static void say_proven(const struct audit_report *r, struct output *o)
{
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    struct listing l = {o, 15, false};
    if (r->proven == 0)
        return;
    output_say(o, "  proven       ");
    for (size_t i = 0; i < n; i++)
        if (r->findings[i].verdict == AUDIT_PROVEN)
            say_word(&l, list[i].id);
    output_say(o, "\n");
}

static bool same_reason(const struct audit_finding *a, const struct audit_finding *b)
{
    return b->verdict == AUDIT_UNPROVABLE && strcmp(a->text, b->text) == 0;
}

/* Those with one reason stand together. */
static void say_unprovable(const struct audit_report *r, struct output *o)
{
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    for (size_t i = 0; i < n; i++) {
        const struct audit_finding *f = &r->findings[i];
        struct listing l = {o, 15, false};
        bool said = f->verdict != AUDIT_UNPROVABLE;
        for (size_t k = 0; k < i && !said; k++)
            said = same_reason(f, &r->findings[k]);
        if (said)
            continue;
        output_say(o, "  not provable ");
        for (size_t k = i; k < n; k++)
            if (same_reason(f, &r->findings[k]))
                say_word(&l, list[k].id);
        output_say(o, ":\n");
        output_say(o, "                 %s\n", f->text);
    }
}

void audit_write_text(const struct audit_report *report, const char *name, struct output *o)
{
    char compared[NUMBER_BYTES];
    say_verdict(report, o);
    output_say(o, "%s: %s, %zu rows, %zu failures, %s values compared\n", name,
               artifact_generation_name(report->generation), report->rows, report->failures,
               number_u64(report->compared, compared));
    say_contradictions(report, o);
    say_unprovable(report, o);
    say_proven(report, o);
}

void audit_table_head(struct output *o)
{
    output_say(o, "%-13s %7s %8s %12s %12s  %s\n", "generation", "rows", "proven", "contradicted", "not provable",
               "result");
}

void audit_table_row(const struct audit_report *r, const char *name, struct output *o)
{
    output_say(o, "%-13s %7zu %8zu %12zu %12zu  %s\n", artifact_generation_name(r->generation), r->rows, r->proven,
               r->contradicted, r->unprovable, name);
    say_contradictions(r, o);
}

void audit_table_totals(const struct audit_totals *t, struct output *o)
{
    char compared[NUMBER_BYTES];
    const char *noun = t->results == 1 ? "result" : "results";
    output_say(o, "%-13s %7zu %8zu %12zu %12zu  %zu %s, %s values compared\n", "together", t->rows, t->proven,
               t->contradicted, t->unprovable, t->results, noun, number_u64(t->compared, compared));
    if (t->with_contradictions > 0)
        output_say(o, "CONTRADICTED: %zu of %zu %s", t->with_contradictions, t->results, noun);
    else
        output_say(o, "NOTHING CONTRADICTS in %zu %s", t->results, noun);
    if (t->unusable > 0)
        output_say(o, ", %zu unusable", t->unusable);
    output_say(o, "\n");
}

void audit_write_json(const struct audit_report *report, const char *name, struct json_out *json)
{
    size_t n;
    const struct audit_invariant *list = audit_list(&n);
    json_out_object(json);
    json_put_u64(json, "compared", report->compared);
    json_put_u64(json, "contradicted", report->contradicted);
    json_put_u64(json, "failures", report->failures);
    json_put_text(json, "generation", artifact_generation_name(report->generation));
    json_out_key(json, "invariants");
    json_out_array(json);
    for (size_t i = 0; i < n; i++) {
        const struct audit_finding *f = &report->findings[i];
        json_out_object(json);
        json_put_u64(json, "compared", f->compared);
        json_put_u64(json, "contradictions", f->contradictions);
        json_put_text(json, "id", list[i].id);
        json_put_text(json, "reason", f->text[0] ? f->text : NULL);
        json_put_text(json, "verdict", audit_verdict_name(f->verdict));
        json_out_object_end(json);
    }
    json_out_array_end(json);
    json_put_u64(json, "proven", report->proven);
    json_put_text(json, "result", name);
    json_put_u64(json, "rows", report->rows);
    json_put_u64(json, "unprovable", report->unprovable);
    json_out_object_end(json);
}
