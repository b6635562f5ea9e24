#include "command.h"
#include "summary.h"

void command_summary(const struct arguments *a, struct outcome *out)
{
    struct output *o = NULL;
    struct run *run = command_load(a, out);
    if (!run)
        return;
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK)
        st = summary_write(run, o, &out->error);
    if (st == TT_OK)
        st = output_finish(o, &out->error);
    if (st != TT_OK)
        command_fail_output(out);
    else
        command_conclude(a, run, out);
    output_free(o);
    run_free(run);
}
