#include "command.h"
#include "verify.h"

static enum tt_status write_json(struct output *o, const struct verify_report *v, struct tt_error *err)
{
    struct json_out *json = json_out_create(2);
    if (!json)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    verify_write_json(json, v);
    struct tt_view bytes = json_out_bytes(json);
    enum tt_status st = bytes.p ? output_write(o, bytes, err) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    json_out_free(json);
    return st;
}

static enum exit_status exit_of_state(enum reader_state state)
{
    switch (state) {
    case READER_COMPLETE:
        return EXIT_ALL_SUCCEEDED;
    case READER_WRITING:
    case READER_TORN:
    case READER_CUT:
        return EXIT_INCOMPLETE;
    case READER_DAMAGED:
    case READER_EDITED:
        break;
    }
    return EXIT_UNUSABLE;
}

void command_verify(const struct arguments *a, struct outcome *out)
{
    struct reader_options options = command_reader_options(a);
    struct verify_report v;
    struct output *o;
    if (verify_tape(a->tape, &options, &v, &out->error) != TT_OK) {
        command_fail_input(a, out);
        return;
    }
    enum tt_status st = output_create(&o, NULL, &out->error);
    if (st == TT_OK)
        st = a->json ? write_json(o, &v, &out->error) : verify_write_text(o, &v, &out->error);
    if (st == TT_OK)
        st = output_finish(o, &out->error);
    if (st != TT_OK)
        command_fail_output(out);
    else if (!command_note_state(a, &v.tape, out))
        out->exit = exit_of_state(v.tape.state);
    output_free(o);
}
