/* Reads a whole tape and says what state it is in. */
#ifndef ANALYZER_VERIFY_H
#define ANALYZER_VERIFY_H

#include "json_out.h"
#include "output.h"
#include "../format/reader.h"

struct verify_report {
    struct reader_report tape;
    uint64_t requests;   /* in DONE records */
    bool head_was_given; /* by option, not by file */
    char end_reason[24]; /* "" without END */
};

/* TT_OK whatever the state is; errors are those of opening, reading and (strict mode) any flaw. */
enum tt_status verify_tape(const char *path, const struct reader_options *options, struct verify_report *out,
                           struct tt_error *err);

/* For people: the state first, then what it rests on. No line is longer than 80 columns. */
enum tt_status verify_write_text(struct output *o, const struct verify_report *v, struct tt_error *err);
void verify_write_json(struct json_out *o, const struct verify_report *v);

/* Bytes of the file that hold: FILE, accepted blocks, INDEX. */
uint64_t verify_sound_bytes(const struct reader_report *t);
/* Raw bytes to one of the compressed ones; 0 without blocks. */
double verify_compression(const struct reader_report *t);
/* First to last recorded time; TAPE_NONE when no record has one. */
uint64_t verify_span_ns(const struct reader_report *t);

#endif
