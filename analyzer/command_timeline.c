#include "command.h"
#include "timeline.h"

static void write_timeline(const struct arguments *a, const struct run *run, const struct request *r,
                           struct outcome *out)
{
    struct reader_options reader = command_reader_options(a);
    struct timeline_options options = {.json = a->json};
    struct output *o;
    bool is_input = false;
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK)
        st = timeline_write(a->tape, &reader, run, r, &options, o, &is_input, &out->error);
    if (st == TT_OK) {
        is_input = false;
        st = output_finish(o, &out->error);
    }
    if (st != TT_OK && is_input)
        command_fail_input(a, out);
    else if (st != TT_OK)
        command_fail_output(out);
    else if (command_note_state(a, &run->tape, out) && !request_succeeded(r))
        out->exit = EXIT_SOME_FAILED;
    output_free(o);
}

void command_timeline(const struct arguments *a, struct outcome *out)
{
    struct run *run = command_load(a, out);
    const struct request *r = run ? command_find_request(a, run, out) : NULL;
    if (r)
        write_timeline(a, run, r, out);
    run_free(run);
}
