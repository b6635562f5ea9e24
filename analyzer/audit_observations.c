/* Canaries and controlled output: the verdicts follow from what was counted. */
#include <stdio.h>
#include <string.h>

#include "audit_parts.h"

/* Of the complete text, in the trace. */
static void each_full(struct audit *a, const char *key,
                      void (*check)(struct audit *a, const char *place, const struct json_node *seen,
                                    struct opt_u64 request))
{
    const struct json_node *requests = json_node_get(a->trace, "requests");
    char place[AUDIT_PLACE_BYTES], full[AUDIT_PLACE_BYTES + 20];
    size_t i = 0;
    for (const struct json_node *r = requests ? requests->child : NULL; r; r = r->next, i++) {
        snprintf(full, sizeof full, "%s.%s", audit_place(place, "trace.requests", i), key);
        if (audit_is(r, key, JSON_OBJECT_BEGIN))
            check(a, full, json_node_get(r, key), audit_count(r, "request_index"));
    }
}

/* Of one request: in its row, in its failure and in that one's timing. */
static void each_observation(struct audit *a, const char *key,
                             void (*check)(struct audit *a, const char *place, const struct json_node *seen,
                                           struct opt_u64 request))
{
    const struct json_node *lists[2] = {a->rows, a->failures};
    const char *const names[2] = {"request_timings", "failures"};
    char place[AUDIT_PLACE_BYTES], full[AUDIT_PLACE_BYTES + 60];
    for (size_t k = 0; k < 2; k++) {
        size_t i = 0;
        for (const struct json_node *n = lists[k] ? lists[k]->child : NULL; n; n = n->next, i++) {
            const struct json_node *timing = json_node_get(n, "response_timing");
            struct opt_u64 request = audit_count(n, "request_index");
            audit_place(place, names[k], i);
            snprintf(full, sizeof full, "%s.%s", place, key);
            if (audit_is(n, key, JSON_OBJECT_BEGIN))
                check(a, full, json_node_get(n, key), request);
            snprintf(full, sizeof full, "%s.response_timing.%s", place, key);
            if (audit_is(timing, key, JSON_OBJECT_BEGIN))
                check(a, full, json_node_get(timing, key), request);
        }
    }
    each_full(a, strcmp(key, "request_canary") == 0 ? "canary_full" : "controlled_full", check);
}

/* Every row has it, or none: as the run asked. */
static void check_presence(struct audit *a, const char *key, bool asked)
{
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    for (const struct json_node *row = a->rows->child; row; row = row->next, i++)
        if (json_node_get(row, key))
            audit_expect(a, audit_is(row, key, asked ? JSON_OBJECT_BEGIN : JSON_NULL),
                         asked ? "%s.%s is missing, although the run asked for it"
                               : "%s.%s is there, although the run did not ask for it",
                         audit_place(place, "request_timings", i), key);
    i = 0;
    for (const struct json_node *f = a->failures ? a->failures->child : NULL; f && !asked; f = f->next, i++)
        audit_expect(a, !json_node_get(f, key), "%s.%s is there, although the run did not ask for it",
                     audit_place(place, "failures", i), key);
}

static void check_canary(struct audit *a, const char *place, const struct json_node *seen, struct opt_u64 request)
{
    struct opt_u64 all = audit_count(seen, "observed_marker_count"),
                   foreign = audit_count(seen, "foreign_marker_count");
    bool at_start = audit_true(seen, "marker_at_start"), complete = audit_true(seen, "capture_complete");
    const struct json_node *seed = json_node_get(a->root, "context_seed");
    char marker[96];
    if (!all.has || !foreign.has)
        return;
    audit_expect(a, foreign.v <= all.v && (!at_start || foreign.v < all.v),
                 "%s counts %llu markers, %llu of them foreign%s", place, (unsigned long long)all.v,
                 (unsigned long long)foreign.v, at_start ? ", and its own at the start" : "");
    audit_expect_bool(a, place, seen, "passed", at_start && foreign.v == 0 && complete);
    if (!seed || seed->type != JSON_NUMBER || !request.has || seed->text.n > 64)
        return;
    snprintf(marker, sizeof marker, "ANVIL_REQ_%s_%05llu", (const char *)seed->text.p, (unsigned long long)request.v);
    audit_expect_text(a, place, seen, "marker", marker);
}

void audit_canary(struct audit *a)
{
    check_presence(a, "request_canary", audit_true(a->root, "request_canaries"));
    each_observation(a, "request_canary", check_canary);
}

static void check_controlled(struct audit *a, const char *place, const struct json_node *seen, struct opt_u64 request)
{
    struct opt_u64 code = audit_count(seen, "observed_code_words"), extra = audit_count(seen, "observed_extra_words"),
                   words = audit_count(a->root, "response_words");
    const struct json_node *policy = json_node_get(a->root, "controlled_output_policy");
    bool exact = code.v == words.v && extra.v == 0,
         strict = audit_text_is(a->root, "controlled_output_policy", "strict");
    (void)request;
    if (!code.has || !extra.has || !words.has)
        return;
    audit_expect_count(a, place, seen, "requested_words", words.v);
    if (policy && policy->type == JSON_STRING)
        audit_expect_text(a, place, seen, "policy", (const char *)policy->text.p);
    if (audit_true(seen, "capture_complete"))
        audit_expect_bool(a, place, seen, "exact_adherence", exact);
    else
        audit_expect_text(a, place, seen, "exact_adherence", NULL);
    audit_expect_bool(a, place, seen, "passed", !strict || audit_true(seen, "exact_adherence"));
}

void audit_controlled(struct audit *a)
{
    check_presence(a, "controlled_output", audit_count(a->root, "response_words").v > 0);
    each_observation(a, "controlled_output", check_controlled);
}
