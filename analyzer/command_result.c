#include "command.h"
#include "result.h"

static enum tt_status write_result(const struct arguments *a, const struct run *run, struct output *o,
                                   struct tt_error *err)
{
    struct result_options options = {.schema_exact = a->schema_exact};
    struct json_out *json = json_out_create(2);
    if (json)
        json_out_drain_to(json, output_take, o);
    enum tt_status st = json ? result_write(run, &options, json, err)
                             : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory for the result");
    if (st == TT_OK)
        st = output_write(o, json_out_bytes(json), err);
    if (st == TT_OK || output_failed(o))
        st = output_finish(o, err);
    json_out_free(json);
    return st;
}

/* A refused output costs no reading: it is tried first, and appears last. */
void command_result(const struct arguments *a, struct outcome *out)
{
    struct output *o;
    struct run *run = NULL;
    if (output_create(&o, a->output, &out->error) != TT_OK) {
        command_fail_output(out);
        return;
    }
    run = command_load(a, out);
    if (run && write_result(a, run, o, &out->error) != TT_OK)
        command_fail_output(out);
    else if (run)
        command_conclude(a, run, out);
    output_free(o);
    run_free(run);
}
