/* Explanations for programs. */
#include "explain.h"
#include "json_put.h"
#include "result.h"

static void put_record(struct json_out *json, const char *key, const struct explain_record *r)
{
    json_out_key(json, key);
    json_out_object(json);
    json_put_u64(json, "block", r->block);
    json_put_u64(json, "record", r->record);
    json_put_opt_u64(json, "time_ns", (struct opt_u64){r->time_ns != TAPE_NONE, r->time_ns});
    json_out_object_end(json);
}

static void put_evidence(const struct explain *e, const struct explain_rule *rule, struct json_out *json)
{
    const struct explain_evidence *v = rule->evidence == EXPLAIN_NONE ? NULL : &e->evidence[rule->evidence];
    json_out_key(json, "evidence");
    if (!v || v->records == 0) {
        json_out_null(json);
        return;
    }
    bool read = v->place.kind == TAPE_READ;
    json_out_object(json);
    json_put_opt_u64(json, "body_from", (struct opt_u64){read, v->body_from});
    json_put_opt_u64(json, "body_to", (struct opt_u64){read, v->body_to});
    put_record(json, "first", &v->first);
    json_put_text(json, "kind", record_kind_name(v->place.kind));
    put_record(json, "last", &v->last);
    json_put_u64(json, "records", v->records);
    json_out_object_end(json);
}

static void put_rules(const struct explain *e, const struct explain_subject *s, struct json_out *json)
{
    json_out_array(json);
    for (size_t i = 0; i < s->rule_count; i++) {
        const struct explain_rule *rule = &e->rules[s->rules_at + i];
        const struct reason_entry *entry = reason_describe(rule->code);
        struct reason_finding f;
        explain_judge(e, s, rule, &f);
        json_out_object(json);
        json_put_text(json, "effect", reason_effect_name(policy_effect(&e->run->policy, rule->code)));
        put_evidence(e, rule, json);
        json_put_text(json, "id", entry->id);
        json_put_text(json, "inputs", entry->inputs);
        json_put_text(json, "meaning", entry->meaning);
        json_put_text(json, "outcome", reason_outcome_name(f.outcome));
        json_put_text(json, "seen", f.seen);
        json_put_text(json, "source", entry->source);
        json_put_text(json, "wanted", f.wanted[0] ? f.wanted : NULL);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

static void put_request(const struct explain *e, const struct request *r, const struct explain_subject *s,
                        struct json_out *json)
{
    const struct verdict *v = &r->verdict;
    json_out_object(json);
    json_put_bool(json, "counts", request_succeeded(r));
    json_put_text(json, "error_message", request_succeeded(r) ? NULL : v->message);
    json_put_text(json, "failure_class", result_failure_class_name(v->failure));
    json_put_text(json, "reason", request_succeeded(r) ? NULL : reason_describe(v->reason)->id);
    json_put_u64(json, "request_index", r->number);
    json_out_key(json, "rules");
    if (s)
        put_rules(e, s, json);
    else
        json_out_null(json);
    json_put_bool(json, "warmup", r->warmup);
    json_out_object_end(json);
}

static void put_requests(const struct explain *e, bool all, struct json_out *json)
{
    size_t at = 0;
    json_out_array(json);
    for (size_t i = 0; all && i < e->run->count; i++) {
        bool is_subject = at < e->subject_count && e->subjects[at].request == i;
        put_request(e, &e->run->requests[i], is_subject ? &e->subjects[at] : NULL, json);
        at += is_subject;
    }
    for (; !all && at < e->subject_count && e->subjects[at].request != TAPE_NONE; at++)
        put_request(e, explain_request(e, e->subjects[at].request), &e->subjects[at], json);
    json_out_array_end(json);
}

void explain_write_json(const struct explain *e, const char *tape, bool all_requests, struct json_out *json)
{
    const struct explain_subject *last = e->subject_count ? &e->subjects[e->subject_count - 1] : NULL;
    enum reason_code withheld = reason_withholding(e->run);
    json_out_object(json);
    json_out_key(json, "policy");
    policy_write(&e->run->policy, json);
    json_out_key(json, "requests");
    put_requests(e, all_requests, json);
    json_out_key(json, "run");
    if (last && last->request == TAPE_NONE)
        put_rules(e, last, json);
    else
        json_out_null(json);
    json_put_text(json, "tape", tape);
    json_put_text(json, "throughput_withheld", withheld == REASON_NONE ? NULL : reason_describe(withheld)->id);
    json_out_object_end(json);
}
