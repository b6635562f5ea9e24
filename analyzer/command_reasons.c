#include "command.h"
#include "json_put.h"
#include "reason.h"
#include "result.h"

static const char *class_of(const struct reason_entry *e)
{
    const char *name = result_failure_class_name(e->class);
    return name ? name : "-";
}

static void list_text(struct output *o)
{
    output_say(o, "%-33s %-8s %-10s %-25s %s\n", "reason", "scope", "capacity", "failure_class", "meaning (inputs)");
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        const struct reason_entry *e = reason_describe((enum reason_code)code);
        output_say(o, "%-33s %-8s %-10s %-25s %s (%s)\n", e->id, reason_scope_name(e->scope),
                   reason_effect_name(e->standard), class_of(e), e->meaning, e->inputs);
    }
}

static void list_json(struct json_out *json)
{
    json_out_array(json);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        const struct reason_entry *e = reason_describe((enum reason_code)code);
        json_out_object(json);
        json_put_bool(json, "always", e->always);
        json_put_text(json, "capacity", reason_effect_name(e->standard));
        json_put_text(json, "error_type", e->error_type);
        json_put_text(json, "failure_class", result_failure_class_name(e->class));
        json_put_text(json, "fault", e->fault);
        json_put_text(json, "id", e->id);
        json_put_text(json, "inputs", e->inputs);
        json_put_text(json, "meaning", e->meaning);
        json_put_text(json, "scope", reason_scope_name(e->scope));
        json_put_text(json, "source", e->source);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

void command_reasons(const struct arguments *a, struct outcome *out)
{
    struct output *o;
    struct json_out *json = a->json ? json_out_create(2) : NULL;
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK && a->json && !json)
        st = tt_fail(&out->error, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (st == TT_OK && json)
        list_json(json);
    else if (st == TT_OK)
        list_text(o);
    if (st == TT_OK && json)
        st = output_json(o, json, &out->error);
    if (st == TT_OK)
        st = output_finish(o, &out->error);
    if (st != TT_OK)
        command_fail_output(out);
    json_out_free(json);
    output_free(o);
}
