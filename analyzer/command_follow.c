#include <stdio.h>
#include <string.h>

#include "command.h"
#include "eligibility.h"
#include "follow.h"

static void fail(const struct arguments *a, bool is_output, struct outcome *out)
{
    if (is_output)
        command_fail_output(out);
    else
        command_fail_input(a, out);
}

/* Where the file system keeps no locks, torn may mean that it goes on. */
static void note_no_lock(const struct run *run, struct outcome *out)
{
    size_t n = strlen(out->note);
    if (run->no_lock && run->tape.state == READER_TORN)
        snprintf(out->note + n, sizeof out->note - n, "; its file system has no locks: it may still be written");
}

void command_follow(const struct arguments *a, struct outcome *out)
{
    struct follow_options options = {.tape = a->tape,
                                     .interval_ms = a->interval_ms ? a->interval_ms : 1000,
                                     .json = a->json,
                                     .once = a->once,
                                     .wait = a->wait};
    struct follow_end end = {.is_output = true};
    struct output *o;
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK)
        st = follow_tape(&options, o, &end, &out->error);
    if (st != TT_OK) {
        fail(a, end.is_output, out);
    } else if (end.run) {
        eligibility_judge(end.run, NULL);
        command_conclude(a, end.run, out);
        note_no_lock(end.run, out);
    } else {
        command_note_state(a, &end.report, out);
    }
    run_free(end.run);
    output_free(o);
}
