#include "command.h"
#include "dump.h"

struct dumping {
    struct reader *reader;
    struct json_out *json;
    struct output *output;
    struct dump_options options;
};

/* One record read and written. TT_END after the last; *is_input tells which side failed. */
static enum tt_status dump_next(struct dumping *d, bool *is_input, struct tt_error *err)
{
    struct tape_record rec;
    *is_input = true;
    enum tt_status st = reader_next(d->reader, &rec, err);
    if (st != TT_OK)
        return st;
    struct reader_position at = reader_position(d->reader);
    json_out_reset(d->json);
    *is_input = false;
    st = dump_record(d->json, &rec, &at, &d->options);
    if (st != TT_OK)
        return tt_fail(err, st, TT_NO_OFFSET, "out of memory for a record");
    return output_write(d->output, json_out_bytes(d->json), err);
}

static void dump_all(const struct arguments *a, struct dumping *d, struct outcome *out)
{
    bool is_input;
    enum tt_status st;
    struct tt_error written;
    while ((st = dump_next(d, &is_input, &out->error)) == TT_OK)
        ;
    enum tt_status flushed =
        is_input ? output_finish(d->output, &written) : st; /* what was read is shown, flaw or not */
    if (st != TT_END && is_input) {
        command_fail_input(a, out);
        return;
    }
    if (flushed != TT_OK) {
        if (is_input)
            out->error = written;
        command_fail_output(out);
        return;
    }
    out->error.code = TT_OK;
    if (command_note_state(a, reader_report(d->reader), out) || a->mode != READER_STRICT)
        return;
    tt_fail(&out->error, TT_TRUNCATED, TT_NO_OFFSET, "the tape is %s, which strict mode refuses",
            reader_state_name(reader_report(d->reader)->state));
    command_fail_input(a, out);
}

void command_dump(const struct arguments *a, struct outcome *out)
{
    struct dumping d = {.options = {.text = a->text}};
    struct reader_options options = command_reader_options(a);
    d.json = json_out_create(0);
    if (!d.json || output_create(&d.output, NULL, &out->error) != TT_OK) {
        tt_fail(&out->error, TT_NOMEM, TT_NO_OFFSET, "out of memory");
        command_fail_output(out);
    } else if (reader_open(&d.reader, a->tape, &options, &out->error) != TT_OK) {
        command_fail_input(a, out);
    } else {
        dump_all(a, &d, out);
    }
    reader_free(d.reader);
    output_free(d.output);
    json_out_free(d.json);
}
