/* A policy from its document: what it must have, what it must not. Each line names the thing, the
 * reason and the remedy; the caller puts the file's name in front. */
#include <stdio.h>
#include <string.h>

#include "json_tree.h"
#include "policy_parts.h"
#include "reason.h"

static const char *const keys[] = {"policy", "version", "meaning", "parameters", "excludes", "withholds", "warns"};
static const char *const parameters[] = {"capture", "finish_reasons"};
enum { KEYS = sizeof keys / sizeof *keys, PARAMETERS = sizeof parameters / sizeof *parameters };

static bool is_one_of(struct tt_view key, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tt_view_equal(key, list[i]))
            return true;
    return false;
}

static enum tt_status check_keys(const struct json_node *root, struct tt_error *err)
{
    if (root->type != JSON_OBJECT_BEGIN)
        return policy_wrong(err, "not a JSON object; 'tokentape-analyze policies capacity' shows one");
    for (const struct json_node *n = root->child; n; n = n->next)
        if (!is_one_of(n->key, keys, KEYS))
            return policy_wrong(err, "unknown key %.60s; leave it out", (const char *)n->key.p);
    for (size_t i = 0; i < KEYS; i++)
        if (!json_node_get(root, keys[i]))
            return policy_wrong(err, "%s is missing; 'tokentape-analyze policies capacity' shows where it stands",
                                keys[i]);
    return TT_OK;
}

bool policy_is_name(struct tt_view v)
{
    if (v.n == 0 || v.n >= POLICY_NAME_BYTES)
        return false;
    for (size_t i = 0; i < v.n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789._-", v.p[i]) || v.p[i] == '\0')
            return false;
    return true;
}

static enum tt_status read_name(struct policy *p, const struct json_node *root, struct tt_error *err)
{
    const struct json_node *name = json_node_get(root, "policy"), *meaning = json_node_get(root, "meaning");
    if (name->type != JSON_STRING || !policy_is_name(name->text))
        return policy_wrong(err, "policy is no name; give 1 to %u of a-z, 0-9, '.', '_' and '-'",
                            POLICY_NAME_BYTES - 1);
    snprintf(p->name, sizeof p->name, "%s", (const char *)name->text.p);
    if (p->own && policy_built_in_text(p->name))
        return policy_wrong(err, "policy %s is a built-in one; give this one another name", p->name);
    if (!json_node_u64(json_node_get(root, "version"), &p->version) || p->version == 0 || p->version > UINT32_MAX)
        return policy_wrong(err, "version is no integer from 1 to 4294967295; count it up when a rule changes");
    if (meaning->type != JSON_STRING || meaning->text.n == 0 || meaning->text.n >= POLICY_MEANING_BYTES ||
        memchr(meaning->text.p, 0, meaning->text.n))
        return policy_wrong(err, "meaning is no text of 1 to %u bytes; say what the policy is for",
                            POLICY_MEANING_BYTES - 1);
    snprintf(p->meaning, sizeof p->meaning, "%s", (const char *)meaning->text.p);
    return TT_OK;
}

static enum tt_status take_reason(struct policy *p, const char *list, enum reason_effect effect,
                                  const struct json_node *n, struct tt_error *err)
{
    enum reason_code code = n->type == JSON_STRING ? reason_find(n->text) : REASON_NONE;
    if (n->type != JSON_STRING)
        return policy_wrong(err, "%s holds something else than ids of reasons; leave it out", list);
    if (code == REASON_NONE)
        return policy_wrong(err, "%s names the unknown reason '%.60s'; 'tokentape-analyze reasons' lists them", list,
                            (const char *)n->text.p);
    const struct reason_entry *e = reason_describe(code);
    if (e->always)
        return policy_wrong(err, "%s names %s, which always %s; leave it out", list, e->id,
                            reason_effect_name(e->standard));
    if (p->effects[code] == effect)
        return policy_wrong(err, "%s names %s twice; leave one out", list, e->id);
    if (p->effects[code] != REASON_IGNORED)
        return policy_wrong(err, "%s both %s and %s; leave one out", e->id,
                            reason_effect_name((enum reason_effect)p->effects[code]), reason_effect_name(effect));
    if (effect == REASON_EXCLUDES && e->scope != REASON_OF_REQUEST)
        return policy_wrong(err, "excludes names %s, which is of the %s and excludes no request; put it into withholds",
                            e->id, e->scope == REASON_OF_RUN ? "run" : "comparison");
    p->effects[code] = (unsigned char)effect;
    return TT_OK;
}

static enum tt_status read_list(struct policy *p, const struct json_node *root, const char *list,
                                enum reason_effect effect, struct tt_error *err)
{
    const struct json_node *array = json_node_get(root, list);
    enum tt_status st = TT_OK;
    if (array->type != JSON_ARRAY_BEGIN)
        return policy_wrong(err, "%s is no list; give one of ids of reasons", list);
    for (const struct json_node *n = array->child; n && st == TT_OK; n = n->next)
        st = take_reason(p, list, effect, n, err);
    return st;
}

/* Sorted, as the order of the file says nothing and must make no other fingerprint: from the last to the first, which
 * leaves that of serving-comparison as it was. */
static void put_finish(struct policy *p, const char *text)
{
    size_t at = p->finish_count++;
    for (; at > 0 && strcmp(p->finish_reasons[at - 1], text) < 0; at--)
        memcpy(p->finish_reasons[at], p->finish_reasons[at - 1], POLICY_FINISH_BYTES);
    snprintf(p->finish_reasons[at], POLICY_FINISH_BYTES, "%s", text);
}

static enum tt_status take_finish(struct policy *p, const struct json_node *n, struct tt_error *err)
{
    if (n->type != JSON_STRING || n->text.n == 0 || n->text.n >= POLICY_FINISH_BYTES || memchr(n->text.p, 0, n->text.n))
        return policy_wrong(err, "finish_reasons holds something else than texts of 1 to %u bytes; leave it out",
                            POLICY_FINISH_BYTES - 1);
    if (p->finish_count > 0 && policy_allows_finish(p, (const char *)n->text.p))
        return policy_wrong(err, "finish_reasons names '%.40s' twice; leave one out", (const char *)n->text.p);
    if (p->finish_count == POLICY_FINISH_REASONS)
        return policy_wrong(err, "finish_reasons holds more than %u; leave some out", POLICY_FINISH_REASONS);
    put_finish(p, (const char *)n->text.p);
    return TT_OK;
}

static enum tt_status read_finish(struct policy *p, const struct json_node *list, struct tt_error *err)
{
    bool needed = p->effects[REASON_FINISH_NOT_ALLOWED] != REASON_IGNORED;
    enum tt_status st = TT_OK;
    if (!list && needed)
        return policy_wrong(err, "parameters lacks finish_reasons, which %s needs; give the list of those allowed",
                            reason_describe(REASON_FINISH_NOT_ALLOWED)->id);
    if (!list)
        return TT_OK;
    if (!needed)
        return policy_wrong(err, "finish_reasons is given, but %s is not named; name it or leave the list out",
                            reason_describe(REASON_FINISH_NOT_ALLOWED)->id);
    if (list->type != JSON_ARRAY_BEGIN || list->children == 0)
        return policy_wrong(err, "finish_reasons is no list of at least one; give those allowed, as [\"stop\"]");
    for (const struct json_node *n = list->child; n && st == TT_OK; n = n->next)
        st = take_finish(p, n, err);
    return st;
}

static enum tt_status read_parameters(struct policy *p, const struct json_node *object, struct tt_error *err)
{
    if (object->type != JSON_OBJECT_BEGIN)
        return policy_wrong(err, "parameters is no object; give one with at least capture");
    for (const struct json_node *n = object->child; n; n = n->next)
        if (!is_one_of(n->key, parameters, PARAMETERS))
            return policy_wrong(err, "unknown parameter %.60s; leave it out", (const char *)n->key.p);
    const struct json_node *capture = json_node_get(object, "capture");
    if (!capture)
        return policy_wrong(err, "parameters lacks capture; give first-8192 or complete");
    for (p->capture = POLICY_CAPTURE_FIRST; p->capture <= POLICY_CAPTURE_COMPLETE; p->capture++)
        if (capture->type == JSON_STRING && tt_view_equal(capture->text, policy_capture_name(p->capture)))
            return read_finish(p, json_node_get(object, "finish_reasons"), err);
    return policy_wrong(err, "capture is neither first-8192 nor complete; give one of the two");
}

enum tt_status policy_read(struct policy *p, const struct json_node *root, bool own, struct tt_error *err)
{
    *p = (struct policy){.own = own};
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (reason_describe((enum reason_code)code)->always)
            p->effects[code] = (unsigned char)reason_describe((enum reason_code)code)->standard;
    enum tt_status st = check_keys(root, err);
    if (st == TT_OK)
        st = read_name(p, root, err);
    if (st == TT_OK)
        st = read_list(p, root, "excludes", REASON_EXCLUDES, err);
    if (st == TT_OK)
        st = read_list(p, root, "withholds", REASON_WITHHOLDS, err);
    if (st == TT_OK)
        st = read_list(p, root, "warns", REASON_WARNS, err);
    if (st == TT_OK)
        st = read_parameters(p, json_node_get(root, "parameters"), err);
    return st;
}
