#include "command.h"
#include "reason.h"
#include "result.h"

static enum tt_status write_text(struct output *o, struct tt_error *err)
{
    enum tt_status st = output_printf(o, err, "%-33s %-25s %-8s %-8s %s\n", "error_type", "failure_class", "phase",
                                      "whose", "meaning (what of it is on the tape)");
    for (unsigned i = REASON_NONE + 1; i < REASON_CODES && st == TT_OK; i++) {
        const struct reason_entry *e = reason_describe((enum reason_code)i);
        if (!e->phase)
            continue;
        st = output_printf(o, err, "%-33s %-25s %-8s %-8s %s (%s)\n", e->error_type,
                           result_failure_class_name(e->class), e->phase, e->fault, e->meaning, e->kept);
    }
    return st;
}

static void put(struct json_out *json, const char *key, const char *text)
{
    json_out_key(json, key);
    json_out_cstring(json, text);
}

static enum tt_status write_json(struct output *o, struct tt_error *err)
{
    struct json_out *json = json_out_create(2);
    if (!json)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    json_out_array(json);
    for (unsigned i = REASON_NONE + 1; i < REASON_CODES; i++) {
        const struct reason_entry *e = reason_describe((enum reason_code)i);
        if (!e->phase)
            continue;
        json_out_object(json);
        put(json, "error_type", e->error_type);
        put(json, "failure_class", result_failure_class_name(e->class));
        put(json, "fault", e->fault);
        put(json, "kept", e->kept);
        put(json, "meaning", e->meaning);
        put(json, "phase", e->phase);
        json_out_object_end(json);
    }
    json_out_array_end(json);
    json_out_newline(json);
    struct tt_view bytes = json_out_bytes(json);
    enum tt_status st = bytes.p ? output_write(o, bytes, err) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    json_out_free(json);
    return st;
}

void command_failures(const struct arguments *a, struct outcome *out)
{
    struct output *o;
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK)
        st = a->json ? write_json(o, &out->error) : write_text(o, &out->error);
    if (st == TT_OK)
        st = output_finish(o, &out->error);
    if (st != TT_OK)
        command_fail_output(out);
    output_free(o);
}
