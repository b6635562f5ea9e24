/* Under which policy was it judged, and do the reasons of each request go with it? */
#include "audit_parts.h"
#include "reason.h"

void audit_open_policy(struct audit *a)
{
    const struct json_node *claim = json_node_get(a->trace, "policy");
    struct tt_error err = {0};
    a->names_policy = claim && claim->type == JSON_OBJECT_BEGIN;
    a->knows_policy = policy_of_result(&a->policy, a->root, NULL, &err) == TT_OK;
}

bool audit_excludes(const struct audit *a, enum reason_code code)
{
    return a->knows_policy && policy_effect(&a->policy, code) == REASON_EXCLUDES;
}

bool audit_canaries_count(const struct audit *a)
{
    bool as_one = audit_excludes(a, REASON_CANARY) && audit_excludes(a, REASON_CANARY_CAPTURE_LIMIT);
    bool apart = audit_excludes(a, REASON_MARKER_NOT_FIRST) && audit_excludes(a, REASON_FOREIGN_MARKER) &&
                 audit_excludes(a, REASON_CAPTURE_INCOMPLETE);
    return a->policy.capture == POLICY_CAPTURE_FIRST && (as_one || apart);
}

bool audit_words_count(const struct audit *a)
{
    bool as_one =
        audit_excludes(a, REASON_CONTROLLED_OUTPUT) && audit_excludes(a, REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT);
    return a->policy.capture == POLICY_CAPTURE_FIRST && (as_one || audit_excludes(a, REASON_CONTROLLED_NOT_EXACT));
}

/* Of the same analyzer, every built-in policy is known here. */
static bool is_of_this_version(const struct audit *a)
{
    return audit_text_is(a->trace, "analyzer_version", TOKENTAPE_VERSION);
}

/* No file is taken for a policy that bears the name of a built-in one. */
static void expect_own_name(struct audit *a, const struct json_node *claim)
{
    size_t n;
    const struct policy_built_in *list = policy_built_ins(&n);
    for (size_t i = 0; i < n; i++)
        audit_expect(a, !audit_text_is(claim, "name", list[i].name), "trace.policy is %s, but not the built-in one",
                     list[i].name);
}

void audit_trace_policy(struct audit *a)
{
    static const char *const sources[] = {"built-in", "file", NULL}, *const captures[] = {"first-8192", "complete",
                                                                                          NULL};
    const struct json_node *claim = json_node_get(a->trace, "policy");
    char fingerprint[17];
    if (!a->names_policy) {
        audit_cannot(a, "the result names no policy");
        return;
    }
    audit_expect_word(a, "trace.policy", claim, "source", sources);
    audit_expect_word(a, "trace.policy", claim, "capture", captures);
    if (!a->knows_policy && audit_text_is(claim, "source", "file") && is_of_this_version(a))
        expect_own_name(a, claim);
    if (!a->knows_policy && audit_text_is(claim, "source", "built-in"))
        audit_expect(a, !is_of_this_version(a), "trace.policy is none that is part of the program");
    if (!a->knows_policy) {
        audit_cannot(a, "its policy is not part of this program");
        return;
    }
    policy_fingerprint(&a->policy, fingerprint);
    audit_expect_text(a, "trace.policy", claim, "fingerprint", fingerprint);
    audit_expect_text(a, "trace.policy", claim, "capture", policy_capture_name(a->policy.capture));
}

static enum reason_code code_of(const struct json_node *n)
{
    return n->type == JSON_STRING ? reason_find(n->text) : REASON_NONE;
}

/* What a listed reason has to be. */
static void check_one(struct audit *a, const char *place, enum reason_code code, enum reason_code excluding)
{
    const struct reason_entry *e = reason_describe(code);
    audit_expect(a, e->scope == REASON_OF_REQUEST, "%s.reasons lists %s, which is none of a request", place, e->id);
    if (!a->knows_policy)
        return;
    enum reason_effect effect = policy_effect(&a->policy, code);
    audit_expect(a, effect != REASON_IGNORED, "%s.reasons lists %s, which its policy does not name", place, e->id);
    if (excluding == REASON_NONE)
        audit_expect(a, effect != REASON_EXCLUDES, "%s.reasons lists %s, which excludes, although it succeeded", place,
                     e->id);
    else
        audit_expect(a, effect != REASON_EXCLUDES || code >= excluding, "%s.reasons lists %s, which comes before %s",
                     place, e->id, reason_describe(excluding)->id);
}

/* The one that excludes it comes first, and is its error_type; the others ascend as the table has them. */
void audit_reasons(struct audit *a, const char *place, const struct json_node *reasons, const struct json_node *failure)
{
    const struct json_node *first = reasons->child;
    enum reason_code excluding = failure && first ? code_of(first) : REASON_NONE, last = REASON_NONE;
    if (failure) {
        const struct json_node *type = json_node_get(failure, "error_type");
        const struct reason_entry *e = reason_describe(excluding);
        audit_expect(a,
                     excluding != REASON_NONE && type && type->type == JSON_STRING &&
                         tt_view_equal(type->text, e->error_type),
                     "%s.reasons does not begin with its error_type %.60s", place,
                     type && type->type == JSON_STRING ? (const char *)type->text.p : "");
        if (excluding != REASON_NONE)
            audit_expect(a, audit_class_fits(e, audit_class_of(failure), failure),
                         "%s.reasons begins with %s, which is of another failure_class", place, e->id);
    }
    for (const struct json_node *n = first; n; n = n->next) {
        enum reason_code code = code_of(n);
        if (code == REASON_NONE && !is_of_this_version(a)) {
            audit_cannot(a, "trace.requests have reasons that this program does not know");
            continue;
        }
        if (!audit_expect(a, code != REASON_NONE, "%s.reasons holds something that is no reason", place))
            continue;
        check_one(a, place, code, excluding);
        if (n == first && failure)
            continue;
        audit_expect(a, code > last && code != excluding, "%s.reasons does not have %s in its place", place,
                     reason_describe(code)->id);
        last = code;
    }
}
