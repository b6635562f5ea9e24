/* Reads a whole tape and says what state it is in. */
#ifndef ANALYZER_VERIFY_H
#define ANALYZER_VERIFY_H

#include "json_out.h"
#include "../format/reader.h"

struct verify_report {
    struct reader_report tape;
    uint64_t requests; /* in DONE records */
    enum { VERIFY_HEAD_NONE, VERIFY_HEAD_FILE, VERIFY_HEAD_GIVEN } head_source;
    char end_reason[24]; /* "" without END */
};

/* TT_OK whatever the state is; errors are those of opening, reading and (strict mode) any flaw. */
enum tt_status verify_tape(const char *path, const struct reader_options *options, struct verify_report *out,
                           struct tt_error *err);
void verify_write_json(struct json_out *o, const struct verify_report *v);

#endif
