#include <stdio.h>

#include "command.h"
#include "number.h"
#include "verify.h"

static enum tt_status write_text(struct output *o, const struct verify_report *v, struct tt_error *err)
{
    static const char *const sources[] = {[VERIFY_HEAD_NONE] = "no head file beside the tape, none given to compare",
                                          [VERIFY_HEAD_FILE] = "compared with the head file beside the tape",
                                          [VERIFY_HEAD_GIVEN] = "compared with the head given"};
    const struct reader_report *t = &v->tape;
    char file[NUMBER_BYTES], accepted[NUMBER_BYTES], blocks[NUMBER_BYTES], records[NUMBER_BYTES], raw[NUMBER_BYTES],
        requests[NUMBER_BYTES], head[65] = "";
    for (size_t i = 0; i < sizeof t->head; i++)
        snprintf(head + 2 * i, 3, "%02x", t->head[i]);
    enum tt_status st = output_printf(o, err, "%s\n", reader_state_name(t->state));
    if (st == TT_OK && v->end_reason[0])
        st = output_printf(o, err, "run      ended: %s\n", v->end_reason);
    if (st == TT_OK && t->flaw.code != TT_OK)
        st = output_printf(o, err, "flaw     %s\n", t->flaw.line);
    if (st == TT_OK)
        st = output_printf(o, err, "bytes    %s of %s in sound blocks, %s decompressed\n",
                           number_u64(t->accepted_bytes, accepted), number_u64(t->file_bytes, file),
                           number_u64(t->raw_bytes, raw));
    if (st == TT_OK && t->gaps > 0)
        st = output_printf(o, err, "holes    %s\n", number_u64(t->gaps, raw));
    if (st == TT_OK)
        st = output_printf(o, err, "records  %s in %s blocks; %s requests done\n", number_u64(t->records, records),
                           number_u64(t->blocks, blocks), number_u64(v->requests, requests));
    if (st == TT_OK)
        st = output_printf(o, err, "head     %s\n", head);
    if (st == TT_OK)
        st = output_printf(o, err, "         %s\n", sources[v->head_source]);
    return st;
}

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
        st = a->json ? write_json(o, &v, &out->error) : write_text(o, &v, &out->error);
    if (st == TT_OK)
        st = output_finish(o, &out->error);
    if (st != TT_OK)
        command_fail_output(out);
    else if (!command_note_state(a, &v.tape, out))
        out->exit = exit_of_state(v.tape.state);
    output_free(o);
}
