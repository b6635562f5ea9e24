#include <stdlib.h>

#include "command.h"
#include "explain.h"

/* Several tapes are arms that are compared; of one alone requests are explained, too. */
struct session {
    const struct arguments *arguments;
    struct outcome *out;
    struct output *output;
    struct json_out *json;
    struct run **runs;
};

static bool wants_requests(const struct arguments *a)
{
    return a->has_request || !a->run;
}

static enum tt_status add_subjects(const struct arguments *a, struct explain *e)
{
    enum tt_status st = TT_OK;
    if (a->has_request)
        st = explain_add_request(e, explain_request(e, a->request), true);
    for (size_t i = 0; i < e->run->count && wants_requests(a) && !a->has_request && st == TT_OK; i++)
        if (!request_succeeded(&e->run->requests[i]))
            st = explain_add_request(e, &e->run->requests[i], false);
    return st == TT_OK && a->run ? explain_add_run(e) : st;
}

static void write_text(struct session *s, const struct explain *e, const char *tape)
{
    const struct arguments *a = s->arguments;
    if (a->file_count > 1)
        output_say(s->output, "%s\n", tape);
    if (a->has_request)
        explain_write_one(e, s->output);
    else if (wants_requests(a))
        explain_write_requests(e, a->verbose, s->output);
    if (a->run)
        explain_write_run(e, s->output);
}

/* False: out is filled. */
static bool explain_tape(struct session *s, size_t i)
{
    const struct arguments *a = s->arguments;
    struct reader_options reader = command_reader_options(a);
    struct explain e = {.run = s->runs[i], .arms = (const struct run *const *)s->runs, .arm_count = a->file_count};
    bool good = false;
    if (add_subjects(a, &e) != TT_OK) {
        tt_fail(&s->out->error, TT_NOMEM, TT_NO_OFFSET, "out of memory");
        command_fail_output(s->out);
    } else if (explain_find(&e, a->files[i], &reader, &s->out->error) != TT_OK) {
        command_fail_input(a, s->out);
    } else {
        good = true;
        if (s->json)
            explain_write_json(&e, a->files[i], wants_requests(a) && !a->has_request, s->json);
        else
            write_text(s, &e, a->files[i]);
    }
    explain_free(&e);
    return good;
}

static bool load_all(struct session *s)
{
    struct arguments one = *s->arguments;
    for (size_t i = 0; i < one.file_count; i++) {
        one.tape = one.files[i];
        s->runs[i] = command_load(&one, s->out);
        if (!s->runs[i])
            return false;
    }
    return !one.has_request || command_find_request(s->arguments, s->runs[0], s->out);
}

static void explain_all(struct session *s)
{
    const struct arguments *a = s->arguments;
    bool good = true;
    if (s->json && a->file_count > 1)
        json_out_array(s->json);
    for (size_t i = 0; i < a->file_count && good; i++)
        good = explain_tape(s, i);
    if (!good)
        return;
    if (s->json && a->file_count > 1)
        json_out_array_end(s->json);
    enum tt_status st = s->json ? output_json(s->output, s->json, &s->out->error) : TT_OK;
    if (st == TT_OK)
        st = output_finish(s->output, &s->out->error);
    if (st != TT_OK)
        command_fail_output(s->out);
}

/* Of one request: does it count? Of a run: as `result`. Of arms: may they be compared? */
static void conclude(const struct arguments *a, struct run *const *runs, struct outcome *out)
{
    struct reason_finding f = {0};
    if (out->exit != EXIT_ALL_SUCCEEDED)
        return;
    for (size_t i = 0; i < a->file_count; i++) {
        struct arguments one = *a;
        one.tape = a->files[i];
        command_conclude_arm(&one, runs[i], out);
    }
    if (a->file_count == 1 && a->has_request && out->exit == EXIT_SOME_FAILED &&
        request_succeeded(a->request < runs[0]->count ? &runs[0]->requests[a->request]
                                                      : &runs[0]->warmups[a->request - runs[0]->count]))
        out->exit = EXIT_ALL_SUCCEEDED;
    if (a->file_count == 1 || out->exit != EXIT_ALL_SUCCEEDED)
        return;
    reason_judge_arms(REASON_PROTOCOL_DIFFERS, (const struct run *const *)runs, a->file_count, &f);
    if (f.outcome == REASON_APPLIES && policy_effect(&runs[0]->policy, REASON_PROTOCOL_DIFFERS) == REASON_WITHHOLDS)
        out->exit = EXIT_DOES_NOT_HOLD;
}

void command_explain(const struct arguments *a, struct outcome *out)
{
    struct session s = {.arguments = a, .out = out, .runs = calloc(a->file_count, sizeof(struct run *))};
    enum tt_status st = s.runs ? output_create(&s.output, NULL, &out->error) : TT_NOMEM;
    if (st == TT_OK && a->json && !(s.json = json_out_create(2)))
        st = TT_NOMEM;
    if (st == TT_NOMEM)
        tt_fail(&out->error, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (st != TT_OK)
        command_fail_output(out);
    else if (load_all(&s)) {
        if (s.json)
            json_out_drain_to(s.json, output_take, s.output);
        explain_all(&s);
        conclude(a, s.runs, out);
    }
    for (size_t i = 0; s.runs && i < a->file_count; i++)
        run_free(s.runs[i]);
    free(s.runs);
    json_out_free(s.json);
    output_free(s.output);
}
