/* First pass of a redaction: all answers of a tape, each read at its place in the spool,
 * one behind the other in the order of the READ records. */
#ifndef ANALYZER_REDACT_ANSWERS_H
#define ANALYZER_REDACT_ANSWERS_H

#include "model.h"
#include "redact_spool.h"

/* Fills the spool. Errors: those of the reader; TT_NOMEM; TT_MALFORMED when the tape changed
 * since `run` was loaded from it. */
enum tt_status redact_answers(const char *path, const struct run *run, bool structure,
                              const struct reader_options *options, struct redact_spool *spool, struct tt_error *err);

#endif
