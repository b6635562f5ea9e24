#include <stdio.h>

#include "command.h"
#include "load.h"
#include "redact.h"

/* Of a tape that was not closed the note is what its state is. */
static void say(const struct arguments *a, const struct redact_report *r, struct outcome *out)
{
    char head[65] = "";
    for (size_t i = 0; i < sizeof r->head; i++)
        snprintf(head + 2 * i, 3, "%02x", r->head[i]);
    snprintf(out->note, sizeof out->note, "wrote %.200s: %llu records, %llu bytes, head %s%s", a->files[1],
             (unsigned long long)r->records, (unsigned long long)r->bytes, head,
             r->unknown_records ? "; records of unknown kinds were left out" : "");
}

/* A copy is a sound tape of its own: it must not hide what is wrong with this one. */
static const char *why_not(const struct run *run)
{
    if (run->tape.state == READER_WRITING)
        return "it is still being written; redact it when it is closed";
    if (run->tape.state == READER_EDITED)
        return "it was edited, and a copy would hide that; ask for the tape as it was recorded";
    return run->gaps > 0 ? "it has holes, and a copy would hide them; use --mode prefix, which stops before the first"
                         : NULL;
}

void command_redact(const struct arguments *a, struct outcome *out)
{
    struct reader_options options = command_reader_options(a);
    struct redact_report report;
    struct run *run;
    bool input;
    if (load_run(&run, a->tape, &options, &out->error) != TT_OK) {
        command_fail_input(a, out);
        return;
    }
    const char *reason = why_not(run);
    if (reason) {
        tt_fail(&out->error, TT_USAGE, TT_NO_OFFSET, "cannot redact %.200s: %s", a->tape, reason);
        out->exit = EXIT_UNUSABLE;
    } else if (redact_tape(a->tape, run, a->keep, a->files[1], &options, &report, &input, &out->error) == TT_OK) {
        if (command_note_state(a, &run->tape, out))
            say(a, &report, out);
    } else if (input) {
        command_fail_input(a, out);
    } else {
        command_fail_output(out);
    }
    run_free(run);
}
