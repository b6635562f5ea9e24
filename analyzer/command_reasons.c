#include "command.h"
#include "json_put.h"
#include "reason.h"
#include "result.h"

static const char *class_of(const struct reason_entry *e)
{
    const char *name = result_failure_class_name(e->class);
    return name ? name : "-";
}

static void list_text(const void *none, struct output *o)
{
    (void)none;
    output_say(o, "%-33s %-8s %-10s %-25s %s\n", "reason", "scope", "capacity", "failure_class", "meaning (inputs)");
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        const struct reason_entry *e = reason_describe((enum reason_code)code);
        output_say(o, "%-33s %-8s %-10s %-25s %s (%s)\n", e->id, reason_scope_name(e->scope),
                   reason_effect_name(e->standard), class_of(e), e->meaning, e->inputs);
    }
}

static void list_json(const void *none, struct json_out *json)
{
    (void)none;
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
    if (command_write_report(a, list_text, list_json, NULL, &out->error) != TT_OK)
        command_fail_output(out);
}
