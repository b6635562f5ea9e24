/* A copy of a tape to give away: same times, lengths, events, counts and verdicts,
 * without the texts. The copy is a tape of its own (own id, own chain) that names the
 * head hash of the one it was made from in its ORIGIN record.
 *
 * All levels drop the prompts (BLOB keeps hash and length, so a guess can be confirmed).
 * REDACT_ALL_BUT_PROMPTS keeps everything else. REDACT_STRUCTURE replaces the text of the
 * answers (redact_json.h), of error messages and samples. REDACT_TIMING also the server's
 * names: ids, models and unknown keys in the answers, the reason behind a status, values of
 * headers that do not frame the body, parameters of those that do. RUN, with base URL, model
 * and the other options, is kept on all levels, and so are markers and the word `code` where
 * the run asked for them: its verdicts rest on them. */
#ifndef ANALYZER_REDACT_H
#define ANALYZER_REDACT_H

#include "model.h"

enum redact_level { REDACT_TIMING, REDACT_STRUCTURE, REDACT_ALL_BUT_PROMPTS };

struct redact_report {
    uint8_t head[32];                         /* of the copy; all zero when it was not closed, as the tape was not */
    uint64_t records, bytes, unknown_records; /* the last were left out: nobody knows what they hold */
};

/* Redacts the tape at `path`, which `run` was loaded from, into a new one at `to`, with a
 * head file beside it where the tape was closed. The same tape and level give the same
 * bytes. On failure no copy is left. *input tells which of the two failed.
 * Errors: those of the reader and the writer. */
enum tt_status redact_tape(const char *path, const struct run *run, enum redact_level level, const char *to,
                           const struct reader_options *options, struct redact_report *report, bool *input,
                           struct tt_error *err);

const char *redact_level_name(enum redact_level level);

#endif
