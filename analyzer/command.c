#include "command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "eligibility.h"
#include "load.h"
#include "verify.h"
#include "progress.h"

void command_run(const struct arguments *a, struct outcome *out)
{
    static void (*const commands[])(const struct arguments *a, struct outcome *out) = {
        [COMMAND_RESULT] = command_result,     [COMMAND_SUMMARY] = command_summary,
        [COMMAND_VERIFY] = command_verify,     [COMMAND_DUMP] = command_dump,
        [COMMAND_TIMELINE] = command_timeline, [COMMAND_FAILURES] = command_failures,
        [COMMAND_CHECK] = command_check,       [COMMAND_REDACT] = command_redact,
        [COMMAND_AUDIT] = command_audit,       [COMMAND_FOLLOW] = command_follow,
        [COMMAND_DIFF] = command_diff,         [COMMAND_WHATIF] = command_whatif,
        [COMMAND_POLICIES] = command_policies, [COMMAND_REASONS] = command_reasons,
        [COMMAND_EXPLAIN] = command_explain,
    };
    assert(a->command != COMMAND_NONE);
    *out = (struct outcome){.exit = EXIT_ALL_SUCCEEDED};
    commands[a->command](a, out);
    tt_line_sanitize(out->note); /* names a file and quotes the tape */
}

struct reader_options command_reader_options(const struct arguments *a)
{
    static struct progress progress = {.fd = STDERR_FILENO}; /* one for the program, which has one terminal */
    /* records that scroll by on the same terminal are progress enough */
    bool shows = !a->quiet && isatty(STDERR_FILENO) && !(a->command == COMMAND_DUMP && isatty(STDOUT_FILENO));
    return (struct reader_options){.mode = a->mode,
                                   .expected_head = a->has_head ? a->head : NULL,
                                   .progress = shows ? progress_show : NULL,
                                   .progress_ctx = &progress};
}

static void add_remedy(struct tt_error *err, const char *remedy)
{
    size_t n = strlen(err->line);
    snprintf(err->line + n, sizeof err->line - n, "; %s", remedy);
}

static const char *input_remedy(const struct arguments *a, enum tt_status code)
{
    static const char strict[] = "--mode prefix reads up to the flaw";
    switch (code) {
    case TT_FOREIGN:
        return "give a file that tokentape-record wrote";
    case TT_VERSION:
        return "use a newer tokentape-analyze";
    case TT_IO:
        return a->command == COMMAND_FOLLOW && !a->wait
                   ? "check the name, or give --wait for a recording that is to begin there"
                   : "check the name and your permission to read it";
    case TT_NOMEM:
        return "free memory and try again";
    case TT_LIMIT:
    case TT_MALFORMED:
        return "no recorder writes this; 'tokentape-analyze dump' shows what is there";
    case TT_CHAIN:
        return a->mode == READER_STRICT ? strict : "ask for the tape as it was recorded";
    case TT_TRUNCATED:
        return a->mode == READER_STRICT ? strict : "copy it again, if there is more of it where it was recorded";
    default:
        return a->mode == READER_STRICT ? strict : "copy it again from where it was recorded";
    }
}

void command_fail_input(const struct arguments *a, struct outcome *out)
{
    enum tt_status code = out->error.code;
    char shown[sizeof out->error.line];
    snprintf(shown, sizeof shown, "%s", a->tape);
    tt_line_sanitize(shown); /* as a line that has the name shows it */
    if (!strstr(out->error.line, shown))
        tt_wrap(&out->error, "cannot use %.200s", a->tape);
    add_remedy(&out->error, input_remedy(a, code));
    out->exit = EXIT_UNUSABLE;
}

static const char *result_remedy(enum tt_status code)
{
    switch (code) {
    case TT_IO:
        return "check the name and your permission to read it";
    case TT_NOMEM:
        return "free memory and try again";
    case TT_VERSION:
    case TT_LIMIT:
        return "give a result, as 'tokentape-analyze result' writes it";
    case TT_FOREIGN:
        return "give files of one run";
    default:
        return "no program that writes results writes this; get the file again from where it was made";
    }
}

void command_fail_result(struct outcome *out)
{
    add_remedy(&out->error, result_remedy(out->error.code));
    out->exit = EXIT_UNUSABLE;
}

enum tt_status command_write_report(const struct arguments *a, void (*text)(const void *report, struct output *o),
                                    void (*json)(const void *report, struct json_out *json), const void *report,
                                    struct tt_error *err)
{
    struct json_out *document = NULL;
    struct output *o;
    enum tt_status st = output_create(&o, NULL, err);
    if (st != TT_OK)
        return st;
    if (a->json) {
        document = json_out_create(2);
        if (document)
            json(report, document);
        st = output_json(o, document, err);
    } else {
        text(report, o);
    }
    if (st == TT_OK)
        st = output_finish(o, err);
    json_out_free(document);
    output_free(o);
    return st;
}

void command_fail_output(struct outcome *out)
{
    switch (out->error.code) {
    case TT_EXISTS: /* as the recorder does */
        add_remedy(&out->error, "name another file, or remove this one first");
        out->exit = EXIT_USAGE;
        return;
    case TT_PIPE:
        out->exit = EXIT_READER_GONE;
        return;
    case TT_NOSPC:
        add_remedy(&out->error, "make room and run the command again");
        break;
    case TT_NOMEM:
        add_remedy(&out->error, "free memory and try again");
        break;
    default:
        add_remedy(&out->error, "check that the place exists and takes writes");
    }
    out->exit = EXIT_NO_OUTPUT;
}

static const char *state_remedy(const struct arguments *a, const struct reader_report *report)
{
    switch (report->state) {
    case READER_WRITING:
        return "run this again when the recording has ended";
    case READER_TORN:
        return "a killed recorder leaves it so; if this is a copy, see whether it is a whole one";
    case READER_CUT:
        return "copy the whole of it from where it was recorded";
    case READER_DAMAGED:
        if (report->has_end)
            return "its records are all there; copy tape and head file again";
        return a->mode == READER_SALVAGE ? "copy it again from where it was recorded"
                                         : "copy it again, or read on behind the flaw with --mode salvage";
    default:
        return "trust no number of it: ask for the tape as it was recorded";
    }
}

bool command_note_state(const struct arguments *a, const struct reader_report *report, struct outcome *out)
{
    if (report->state == READER_COMPLETE && report->flaw.code == TT_OK)
        return true;
    const char *state = report->state == READER_WRITING ? "still being written" : reader_state_name(report->state);
    out->exit = EXIT_INCOMPLETE;
    snprintf(out->note, sizeof out->note, "%.150s is %s: %llu of %llu bytes are sound%s%.300s; %s", a->tape, state,
             (unsigned long long)verify_sound_bytes(report), (unsigned long long)report->file_bytes,
             report->flaw.code == TT_OK ? "" : "; ", report->flaw.line, state_remedy(a, report));
    return false;
}

void command_fail_policy(struct outcome *out)
{
    if (out->error.code == TT_IO)
        add_remedy(&out->error, "check the name and your permission to read it");
    else if (out->error.code == TT_NOMEM)
        add_remedy(&out->error, "free memory and try again");
    out->exit = out->error.code == TT_USAGE ? EXIT_USAGE : EXIT_UNUSABLE;
}

bool command_policy(const struct arguments *a, struct policy *p, struct outcome *out)
{
    policy_begin(p);
    if (a->policy && policy_load(p, a->policy, &out->error) != TT_OK) {
        command_fail_policy(out);
        return false;
    }
    if (a->strict_timing)
        policy_set_strict_timing(p);
    return true;
}

struct run *command_load(const struct arguments *a, struct outcome *out)
{
    struct policy p;
    return command_policy(a, &p, out) ? command_load_under(a, &p, &a->client_limit, out) : NULL;
}

struct run *command_load_under(const struct arguments *a, const struct policy *p, const struct client_limit *limit,
                               struct outcome *out)
{
    struct reader_options options = command_reader_options(a);
    struct run *run;
    if (load_run(&run, a->tape, &options, &out->error) != TT_OK) {
        command_fail_input(a, out);
        return NULL;
    }
    run->client_limit = *limit;
    eligibility_judge(run, p);
    return run;
}

const struct request *command_find_request(const struct arguments *a, const struct run *run, struct outcome *out)
{
    if (a->request < run->count)
        return &run->requests[a->request];
    if (a->request < run->count + run->warmup_count)
        return &run->warmups[a->request - run->count];
    tt_fail(&out->error, TT_USAGE, TT_NO_OFFSET,
            "--request %llu: the run has %zu requests; give an index from 0 to %zu", (unsigned long long)a->request,
            run->count + run->warmup_count, run->count + run->warmup_count - 1);
    out->exit = EXIT_USAGE;
    return NULL;
}

/* An interrupted run was closed cleanly: what it cancelled and did not send has failed, no more.
 * A run that the disk stopped lacks what it could not write. */
void command_conclude(const struct arguments *a, const struct run *run, struct outcome *out)
{
    size_t failed = run->count - run_count_succeeded(run);
    if (!command_note_state(a, &run->tape, out))
        return;
    bool whole = run->lost_reads == 0 && run->gaps == 0 && run->end_reason &&
                 (strcmp(run->end_reason, "complete") == 0 || strcmp(run->end_reason, "interrupted") == 0);
    if (!whole) {
        out->exit = EXIT_INCOMPLETE;
        snprintf(out->note, sizeof out->note,
                 "%.150s is not all of the run: it ended for the reason '%.40s', %llu reads lost", a->tape,
                 run->end_reason ? run->end_reason : "", (unsigned long long)run->lost_reads);
    } else if (failed > 0) {
        out->exit = EXIT_SOME_FAILED;
        if (a->verbose)
            snprintf(out->note, sizeof out->note, "%zu of %zu requests failed", failed, run->count);
    }
}

void command_say_note(const struct outcome *out, bool quiet)
{
    if (out->note[0] && !quiet)
        fprintf(stderr, "tokentape-analyze: %s\n", out->note);
}

void command_conclude_arm(const struct arguments *a, const struct run *run, struct outcome *out)
{
    struct outcome one = {.exit = EXIT_ALL_SUCCEEDED};
    command_conclude(a, run, &one);
    if (one.note[0]) {
        command_say_note(out, a->quiet); /* of the tape before: the last one's is said at the end */
        memcpy(out->note, one.note, sizeof out->note);
        tt_line_sanitize(out->note);
    }
    if (one.exit > out->exit)
        out->exit = one.exit;
}
