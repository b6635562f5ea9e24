/* What the commands share: exit statuses, errors with a remedy, the judged run. */
#ifndef ANALYZER_COMMAND_H
#define ANALYZER_COMMAND_H

#include "arguments.h"
#include "model.h"
#include "output.h"

enum exit_status {
    EXIT_ALL_SUCCEEDED = 0,
    EXIT_SOME_FAILED = 1,
    EXIT_DOES_NOT_HOLD = 1, /* of a check, an audit, a diff */
    EXIT_USAGE = 2,
    EXIT_INCOMPLETE = 3, /* the tape is usable, yet not all of what was planned or written is on it */
    EXIT_NO_OUTPUT = 4,
    EXIT_UNUSABLE = 5,
    EXIT_READER_GONE = 141 /* 128 + SIGPIPE, as every program whose output nobody reads any more */
};

struct outcome {
    enum exit_status exit;
    struct tt_error error; /* code TT_OK: none */
    char note[800];        /* for stderr unless --quiet; "" for none */
};

void command_result(const struct arguments *a, struct outcome *out);
void command_summary(const struct arguments *a, struct outcome *out);
void command_verify(const struct arguments *a, struct outcome *out);
void command_dump(const struct arguments *a, struct outcome *out);
void command_timeline(const struct arguments *a, struct outcome *out);
void command_redact(const struct arguments *a, struct outcome *out);
void command_failures(const struct arguments *a, struct outcome *out);
void command_check(const struct arguments *a, struct outcome *out);
void command_audit(const struct arguments *a, struct outcome *out);
void command_policies(const struct arguments *a, struct outcome *out);
void command_reasons(const struct arguments *a, struct outcome *out);
void command_explain(const struct arguments *a, struct outcome *out);
void command_follow(const struct arguments *a, struct outcome *out);
void command_whatif(const struct arguments *a, struct outcome *out);
void command_diff(const struct arguments *a, struct outcome *out);

/* Runs the command of `a`. */
void command_run(const struct arguments *a, struct outcome *out);

/* ---- for the commands themselves ---- */

/* How a tape is to be opened. */
struct reader_options command_reader_options(const struct arguments *a);
/* The policy of --policy, or the standard one. False: out is filled (exit 2: it is wrong, 5: it cannot be read). */
bool command_policy(const struct arguments *a, struct policy *p, struct outcome *out);
/* A policy could not be had: out->error says why. */
void command_fail_policy(struct outcome *out);
/* Loads and judges under a policy and a limit of the client's error, as command_load() does. */
struct run *command_load_under(const struct arguments *a, const struct policy *p, const struct client_limit *limit,
                               struct outcome *out);
/* Loads and judges under the policy of --policy; on failure fills out (exit 5) and gives NULL. */
struct run *command_load(const struct arguments *a, struct outcome *out);
/* The request of --request; NULL: there is none, and out is filled (exit 2). */
const struct request *command_find_request(const struct arguments *a, const struct run *run, struct outcome *out);
/* What a judged run means for the exit status, and a note when the tape is not whole. */
void command_conclude(const struct arguments *a, const struct run *run, struct outcome *out);
/* Of several tapes: the status is that of the worst, and the note of each is said. */
void command_conclude_arm(const struct arguments *a, const struct run *run, struct outcome *out);
/* The note on stderr, unless --quiet. */
void command_say_note(const struct outcome *out, bool quiet);
/* Note and exit 3 for a tape that is not complete; returns whether it is. */
bool command_note_state(const struct arguments *a, const struct reader_report *report, struct outcome *out);
/* The tape could not be used: names it and adds a remedy. out->error holds the reason. */
void command_fail_input(const struct arguments *a, struct outcome *out);
/* A result could not be used: adds a remedy to out->error, which names it. */
void command_fail_result(struct outcome *out);
/* A whole report to stdout, as text or (--json) as a document. Errors: those of output_finish(), TT_NOMEM. */
enum tt_status command_write_report(const struct arguments *a, void (*text)(const void *report, struct output *o),
                                    void (*json)(const void *report, struct json_out *json), const void *report,
                                    struct tt_error *err);
/* The output could not be written: adds a remedy. That nobody reads it any more is no error. */
void command_fail_output(struct outcome *out);

#endif
