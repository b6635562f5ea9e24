#include "command.h"
#include "json_put.h"
#include "reason.h"

#include <string.h>

static void list_text(const struct policy *p, struct output *o)
{
    output_say(o, "%s %llu: excludes for %zu reasons, withholds for %zu, warns of %zu\n", policy_name(p),
               (unsigned long long)policy_version(p), policy_count(p, REASON_EXCLUDES),
               policy_count(p, REASON_WITHHOLDS), policy_count(p, REASON_WARNS));
    output_say(o, "    %s\n", p->meaning);
}

static void put_ids(struct json_out *json, const char *key, const struct policy *p, enum reason_effect effect)
{
    json_out_key(json, key);
    json_out_array(json);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (policy_effect(p, (enum reason_code)code) == effect)
            json_out_cstring(json, reason_describe((enum reason_code)code)->id);
    json_out_array_end(json);
}

static void list_json(const struct policy *p, struct json_out *json)
{
    json_out_object(json);
    put_ids(json, "excludes", p, REASON_EXCLUDES);
    json_put_text(json, "meaning", p->meaning);
    json_out_key(json, "policy");
    policy_write(p, json);
    put_ids(json, "warns", p, REASON_WARNS);
    put_ids(json, "withholds", p, REASON_WITHHOLDS);
    json_out_object_end(json);
}

static enum tt_status list_all(struct output *o, struct json_out *json, struct tt_error *err)
{
    size_t n;
    const struct policy_built_in *list = policy_built_ins(&n);
    enum tt_status st = TT_OK;
    if (json)
        json_out_array(json);
    for (size_t i = 0; i < n && st == TT_OK; i++) {
        struct policy p;
        st = policy_load(&p, list[i].name, err);
        if (st == TT_OK && json)
            list_json(&p, json);
        else if (st == TT_OK)
            list_text(&p, o);
    }
    if (json)
        json_out_array_end(json);
    return st;
}

/* The file itself; with --json what the program takes it to be. */
static enum tt_status show_one(const char *name, struct output *o, struct json_out *json, struct tt_error *err)
{
    struct policy p;
    size_t n;
    const struct policy_built_in *list = policy_built_ins(&n);
    enum tt_status st = policy_load(&p, name, err);
    if (st != TT_OK)
        return st;
    if (json) {
        list_json(&p, json);
        return TT_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            output_take(o, tt_view_str(list[i].text));
    if (p.own) /* what is in a user's file, said in short */
        list_text(&p, o);
    return TT_OK;
}

void command_policies(const struct arguments *a, struct outcome *out)
{
    struct output *o;
    struct json_out *json = a->json ? json_out_create(2) : NULL;
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK && a->json && !json)
        st = tt_fail(&out->error, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (st == TT_OK && a->file_count > 0 && (st = show_one(a->files[0], o, json, &out->error)) != TT_OK) {
        command_fail_policy(out);
        goto out;
    }
    if (st == TT_OK && a->file_count == 0)
        st = list_all(o, json, &out->error);
    if (st == TT_OK && json)
        st = output_json(o, json, &out->error);
    if (st == TT_OK)
        st = output_finish(o, &out->error);
    if (st != TT_OK)
        command_fail_output(out);
out:
    json_out_free(json);
    output_free(o);
}
