/* The policy that a result claims to be made under. */
#include <stdio.h>
#include <string.h>

#include "json_tree.h"
#include "policy_parts.h"

/* The one of that name and version, as far as it is at hand. */
static enum tt_status find_claimed(struct policy *p, const struct json_node *claim, struct tt_error *err)
{
    const struct json_node *name = json_node_get(claim, "name"), *source = json_node_get(claim, "source");
    uint64_t version;
    if (!name || name->type != JSON_STRING || !policy_is_name(name->text) || !source || source->type != JSON_STRING)
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET,
                       "trace.policy has no name or no source; say with --policy what it was made under");
    if (!json_node_u64(json_node_get(claim, "version"), &version))
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET,
                       "trace.policy has no integer as its version; say with --policy what it was made under");
    const char *text = (const char *)name->text.p;
    bool is_built_in = tt_view_equal(source->text, "built-in");
    if (!is_built_in && policy_built_in_text(text))
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET,
                       "trace.policy is %s and of a file, but no file may bear the name of a built-in policy; say with "
                       "--policy what it was made under",
                       text);
    if (!is_built_in || !policy_built_in_text(text))
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET,
                       "it was made under the policy %.60s, which is not part of this program; give its file with "
                       "--policy FILE",
                       text);
    enum tt_status st = policy_load(p, text, err);
    if (st == TT_OK && policy_version(p) != version)
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET,
                       "it was made under version %llu of the policy %s, this program has version %llu; use the "
                       "tokentape-analyze that made it",
                       (unsigned long long)version, text, (unsigned long long)policy_version(p));
    return st;
}

static bool claims_strict_timing(const struct json_node *result)
{
    const struct json_node *timing = json_node_get(json_node_get(result, "trace"), "timing"),
                           *strict = json_node_get(json_node_get(timing, "client_limited"), "strict");
    return strict && strict->type == JSON_TRUE;
}

static enum tt_status apply_changes(struct policy *p, const struct json_node *result, const struct json_node *claim,
                                    struct tt_error *err)
{
    const struct json_node *without = json_node_get(claim, "without"), *capture = json_node_get(claim, "capture");
    enum tt_status st = TT_OK;
    for (const struct json_node *n = without ? without->child : NULL; n && st == TT_OK; n = n->next)
        if (n->type == JSON_STRING)
            st = policy_without(p, (const char *)n->text.p, err);
    for (enum policy_capture c = POLICY_CAPTURE_FIRST; c <= POLICY_CAPTURE_COMPLETE; c++)
        if (capture && capture->type == JSON_STRING && tt_view_equal(capture->text, policy_capture_name(c)))
            policy_set_capture(p, c);
    if (claims_strict_timing(result))
        policy_set_strict_timing(p);
    if (st != TT_OK)
        return tt_fail(err, TT_VERSION, TT_NO_OFFSET,
                       "trace.policy.without changes the policy %s in a way it cannot be changed; say with --policy "
                       "what it was made under",
                       policy_name(p));
    return TT_OK;
}

/* Of the given one only the changes are taken over that were made to a policy of its name. */
static bool is_of_that_name(const struct policy *p, const struct json_node *claim)
{
    const struct json_node *name = json_node_get(claim, "name");
    return name && name->type == JSON_STRING && tt_view_equal(name->text, policy_name(p));
}

enum tt_status policy_of_result(struct policy *p, const struct json_node *result, const char *given,
                                struct tt_error *err)
{
    const struct json_node *claim = json_node_get(json_node_get(result, "trace"), "policy");
    enum tt_status st = TT_OK;
    policy_begin(p);
    if (claim && claim->type != JSON_OBJECT_BEGIN)
        claim = NULL;
    if (given)
        st = policy_load(p, given, err);
    else if (claim)
        st = find_claimed(p, claim, err);
    if (st != TT_OK || !claim || !is_of_that_name(p, claim))
        return st;
    return apply_changes(p, result, claim, err);
}
