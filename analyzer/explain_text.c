/* Explanations for people. */
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "number.h"
#include "result.h"

/* Of requests that are out for the same reasons these are told in full; the others say whom they are like. */
#define TOLD_IN_FULL 5u

static const char *kind_name(enum tape_kind kind)
{
    const char *name = record_kind_name(kind);
    return name ? name : "?";
}

/* "block 3, record 41 (READ), time_ns 61000000, bytes 120 to 133 of the body" */
static void say_where(const struct explain *e, const struct explain_rule *rule, struct output *o)
{
    if (rule->evidence == EXPLAIN_NONE)
        return;
    const struct explain_evidence *v = &e->evidence[rule->evidence];
    const char *kind = kind_name(v->place.kind);
    if (v->records == 0) {
        output_say(o, "      where   no %s on the tape\n", kind);
        return;
    }
    if (v->first.record == v->last.record)
        output_say(o, "      where   block %llu, record %llu (%s)", (unsigned long long)v->first.block,
                   (unsigned long long)v->first.record, kind);
    else
        output_say(o, "      where   blocks %llu to %llu, records %llu to %llu (%llu of kind %s)",
                   (unsigned long long)v->first.block, (unsigned long long)v->last.block,
                   (unsigned long long)v->first.record, (unsigned long long)v->last.record,
                   (unsigned long long)v->records, kind);
    if (v->first.time_ns != TAPE_NONE && v->first.time_ns != v->last.time_ns)
        output_say(o, ", time_ns %llu to %llu", (unsigned long long)v->first.time_ns,
                   (unsigned long long)v->last.time_ns);
    else if (v->first.time_ns != TAPE_NONE)
        output_say(o, ", time_ns %llu", (unsigned long long)v->first.time_ns);
    if (v->place.kind == TAPE_READ)
        output_say(o, ", bytes %llu to %llu of the body", (unsigned long long)v->body_from,
                   (unsigned long long)v->body_to);
    output_say(o, "\n");
}

static void say_rule(const struct explain *e, const struct explain_subject *s, const struct explain_rule *rule,
                     struct output *o)
{
    static const char *const marks[] = {
        [REASON_PASSES] = "pass", [REASON_APPLIES] = "FAIL", [REASON_NOT_APPLICABLE] = "n/a "};
    const struct reason_entry *entry = reason_describe(rule->code);
    struct reason_finding f;
    explain_judge(e, s, rule, &f);
    output_say(o, "%s  %s · %s\n", marks[f.outcome], entry->id,
               reason_effect_name(policy_effect(&e->run->policy, rule->code)));
    if (f.outcome == REASON_NOT_APPLICABLE) {
        output_say(o, "      because %s\n", f.seen);
        return;
    }
    if (f.outcome == REASON_APPLIES)
        output_say(o, "      %s (%s)\n", entry->meaning, entry->source);
    output_say(o, "      seen    %s\n", f.seen);
    output_say(o, "      wanted  %s\n", f.wanted);
    say_where(e, rule, o);
}

static void say_rules(const struct explain *e, const struct explain_subject *s, enum reason_outcome outcome,
                      struct output *o)
{
    for (size_t i = 0; i < s->rule_count; i++)
        if (e->rules[s->rules_at + i].outcome == outcome)
            say_rule(e, s, &e->rules[s->rules_at + i], o);
}

static void say_policy(const struct explain *e, struct output *o)
{
    char changes[POLICY_CHANGES_BYTES];
    const struct policy *p = &e->run->policy;
    output_say(o, "policy %s %llu%s: %zu reasons exclude, %zu withhold, %zu warn; capture %s\n", policy_name(p),
               (unsigned long long)policy_version(p), policy_changes(p, changes), policy_count(p, REASON_EXCLUDES),
               policy_count(p, REASON_WITHHOLDS), policy_count(p, REASON_WARNS), policy_capture_name(p->capture));
}

static void say_warnings(const struct request *r, struct output *o)
{
    const char *separator = "; warned of: ";
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (code != r->verdict.reason && reason_set_has(&r->verdict.reasons, (enum reason_code)code)) {
            output_say(o, "%s%s", separator, reason_describe((enum reason_code)code)->id);
            separator = ", ";
        }
}

/* "request 7 counts; warned of: ..." or "request 7 is out: no_terminal (stream_validation_failed): ..." */
static void say_verdict(const struct request *r, uint64_t last, struct output *o)
{
    const struct verdict *v = &r->verdict;
    if (last > r->number)
        output_say(o, "requests %llu to %llu ", (unsigned long long)r->number, (unsigned long long)last);
    else
        output_say(o, "request %llu%s ", (unsigned long long)r->number, r->warmup ? " (a warm-up)" : "");
    bool many = last > r->number;
    if (request_succeeded(r)) {
        output_say(o, many ? "count" : "counts");
        say_warnings(r, o);
    } else {
        output_say(o, "%s out: %s (%s)", many ? "are" : "is", reason_describe(v->reason)->id,
                   result_failure_class_name(v->failure));
        if (!many)
            output_say(o, ": %s", v->message);
    }
    output_say(o, "\n");
}

void explain_write_one(const struct explain *e, struct output *o)
{
    const struct explain_subject *s = &e->subjects[0];
    say_verdict(explain_request(e, s->request), s->request, o);
    say_policy(e, o);
    say_rules(e, s, REASON_APPLIES, o);
    say_rules(e, s, REASON_PASSES, o);
    say_rules(e, s, REASON_NOT_APPLICABLE, o);
}

static bool same_set(const struct request *a, const struct request *b)
{
    return a->verdict.reason == b->verdict.reason &&
           memcmp(&a->verdict.reasons, &b->verdict.reasons, sizeof a->verdict.reasons) == 0;
}

/* The sets of reasons met so far; of sets beyond these every request is told in full. */
struct told {
    struct {
        const struct request *first;
        size_t n;
    } sets[64];
    size_t count;
};

/* The first that is out for the same reasons, when enough such have been told; else NULL. */
static const struct request *told_enough(struct told *t, const struct request *r)
{
    size_t i = 0;
    while (i < t->count && !same_set(t->sets[i].first, r))
        i++;
    if (i == sizeof t->sets / sizeof *t->sets)
        return NULL;
    if (i == t->count) {
        t->sets[t->count].first = r;
        t->sets[t->count++].n = 0;
    }
    return t->sets[i].n++ < TOLD_IN_FULL ? NULL : t->sets[i].first;
}

static void say_out(const struct explain *e, const struct explain_subject *s, const struct request *like,
                    struct output *o)
{
    say_verdict(explain_request(e, s->request), s->request, o);
    if (like)
        output_say(o, "      for the same reasons as request %llu\n", (unsigned long long)like->number);
    else
        say_rules(e, s, REASON_APPLIES, o);
}

static void say_head(const struct explain *e, struct output *o)
{
    size_t counts = run_count_succeeded(e->run);
    output_say(o, "%zu of %zu requests count\n", counts, e->run->count);
    say_policy(e, o);
    enum reason_code code = reason_withholding(e->run);
    if (code != REASON_NONE)
        output_say(o, "throughput withheld: %s; --run says more\n", reason_describe(code)->id);
}

void explain_write_requests(const struct explain *e, bool every, struct output *o)
{
    const struct run *run = e->run;
    struct told told = {.count = 0};
    size_t subject = 0;
    say_head(e, o);
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        size_t last = i;
        if (!request_succeeded(r)) {
            say_out(e, &e->subjects[subject++], every ? NULL : told_enough(&told, r), o);
            continue;
        }
        while (!every && last + 1 < run->count && same_set(r, &run->requests[last + 1]))
            last++;
        say_verdict(r, last, o);
        i = last;
    }
}

void explain_write_run(const struct explain *e, struct output *o)
{
    const struct explain_subject *s = &e->subjects[e->subject_count - 1];
    enum reason_code code = reason_withholding(e->run);
    output_say(o, "%zu of %zu requests count; throughput %s%s\n", run_count_succeeded(e->run), e->run->count,
               code == REASON_NONE ? "is given" : "withheld: ", code == REASON_NONE ? "" : reason_describe(code)->id);
    say_policy(e, o);
    say_rules(e, s, REASON_APPLIES, o);
    say_rules(e, s, REASON_PASSES, o);
    say_rules(e, s, REASON_NOT_APPLICABLE, o);
}
