/* What `whatif` says to programs. */
#include "json_put.h"
#include "whatif.h"

static void put_excluded(struct json_out *json, const struct whatif_case *c)
{
    const char *ids[REASON_CODES];
    uint64_t counts[REASON_CODES];
    size_t n = 0;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        if (c->excluded[code] == 0)
            continue;
        size_t at = n++;
        const char *id = reason_describe((enum reason_code)code)->id;
        for (; at > 0 && strcmp(ids[at - 1], id) > 0; at--) { /* keys are sorted */
            ids[at] = ids[at - 1];
            counts[at] = counts[at - 1];
        }
        ids[at] = id;
        counts[at] = c->excluded[code];
    }
    json_out_key(json, "excluded");
    json_out_object(json);
    for (size_t i = 0; i < n; i++)
        json_put_u64(json, ids[i], counts[i]);
    json_out_object_end(json);
}

/* Every number, moved or not. */
static void put_headlines(struct json_out *json, const struct whatif_case *base, const struct whatif_case *c)
{
    json_out_key(json, "headline");
    json_out_array(json);
    for (size_t i = 0; i < HEADLINES; i++)
        headline_put(json, i, &base->headlines[i], &c->headlines[i]);
    json_out_array_end(json);
}

static void put_arm(struct json_out *json, const struct whatif_report *r, size_t rule, size_t arm)
{
    const struct whatif_case *c = whatif_case_of(r, rule, arm);
    json_out_object(json);
    json_put_u64(json, "counting", c->counting);
    put_excluded(json, c);
    put_headlines(json, whatif_case_of(r, 0, arm), c);
    json_put_u64(json, "in", c->in);
    json_out_key(json, "moved");
    moves_put(c->moves, c->move_count, json);
    json_put_u64(json, "otherwise", c->otherwise);
    json_put_u64(json, "out", c->out);
    json_put_u64(json, "requests", r->requests[arm]);
    json_put_text(json, "tape", r->tapes[arm]);
    json_put_text(json, "withheld_for", c->withholding ? reason_describe(c->withholding)->id : NULL);
    json_out_object_end(json);
}

static void put_between(struct json_out *json, const struct whatif_between *b)
{
    json_out_key(json, "between_arms");
    if (b->reason == REASON_NONE) {
        json_out_null(json);
        return;
    }
    json_out_object(json);
    json_put_text(json, "effect", reason_effect_name(b->effect));
    json_put_text(json, "reason", reason_describe(b->reason)->id);
    json_put_text(json, "seen", b->seen);
    json_out_object_end(json);
}

static void put_uneven(struct json_out *json, const struct whatif_report *r, size_t rule)
{
    json_out_key(json, "uneven");
    json_out_array(json);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        if (!whatif_is_uneven(r, rule, (enum reason_code)code))
            continue;
        json_out_object(json);
        json_put_text(json, "reason", reason_describe((enum reason_code)code)->id);
        json_out_key(json, "taken");
        json_out_array(json);
        for (size_t arm = 0; arm < r->arm_count; arm++)
            json_out_u64(json, whatif_case_of(r, rule, arm)->excluded[code]);
        json_out_array_end(json);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

static void put_rule(struct json_out *json, const struct whatif_report *r, size_t rule)
{
    json_out_object(json);
    json_out_key(json, "arms");
    json_out_array(json);
    for (size_t arm = 0; arm < r->arm_count; arm++)
        put_arm(json, r, rule, arm);
    json_out_array_end(json);
    put_between(json, &r->between[rule]);
    json_put_text(json, "label", r->rules[rule].label);
    json_out_key(json, "policy");
    policy_write(&r->rules[rule].policy, json);
    put_uneven(json, r, rule);
    json_out_object_end(json);
}

void whatif_write_json(const struct whatif_report *r, struct json_out *json)
{
    json_out_object(json);
    json_out_key(json, "base");
    put_rule(json, r, 0);
    json_out_key(json, "variants");
    json_out_array(json);
    for (size_t rule = 1; rule < r->rule_count; rule++)
        put_rule(json, r, rule);
    json_out_array_end(json);
    json_out_object_end(json);
}
