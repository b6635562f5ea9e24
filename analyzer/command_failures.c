#include "command.h"
#include "json_put.h"
#include "reason.h"
#include "result.h"

static void write_text(const void *none, struct output *o)
{
    (void)none;
    output_say(o, "%-33s %-25s %-8s %-8s %s\n", "error_type", "failure_class", "phase", "whose",
               "meaning (what of it is on the tape)");
    for (unsigned i = REASON_NONE + 1; i < REASON_CODES; i++) {
        const struct reason_entry *e = reason_describe((enum reason_code)i);
        if (e->phase)
            output_say(o, "%-33s %-25s %-8s %-8s %s (%s)\n", e->error_type, result_failure_class_name(e->class),
                       e->phase, e->fault, e->meaning, e->kept);
    }
}

static void write_json(const void *none, struct json_out *json)
{
    (void)none;
    json_out_array(json);
    for (unsigned i = REASON_NONE + 1; i < REASON_CODES; i++) {
        const struct reason_entry *e = reason_describe((enum reason_code)i);
        if (!e->phase)
            continue;
        json_out_object(json);
        json_put_text(json, "error_type", e->error_type);
        json_put_text(json, "failure_class", result_failure_class_name(e->class));
        json_put_text(json, "fault", e->fault);
        json_put_text(json, "kept", e->kept);
        json_put_text(json, "meaning", e->meaning);
        json_put_text(json, "phase", e->phase);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

void command_failures(const struct arguments *a, struct outcome *out)
{
    if (command_write_report(a, write_text, write_json, NULL, &out->error) != TT_OK)
        command_fail_output(out);
}
