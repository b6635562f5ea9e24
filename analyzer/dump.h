/* One record as one JSON object on one line: the raw tape, apart from any
 * analysis. Control characters are escaped, so a terminal never gets them raw. */
#ifndef ANALYZER_DUMP_H
#define ANALYZER_DUMP_H

#include "../format/reader.h"
#include "json_out.h"

struct dump_options {
    bool text; /* bytes as text (invalid UTF-8 as U+FFFD) instead of base64 */
};

/* Appends the object and its newline. TT_NOMEM. */
enum tt_status dump_record(struct json_out *o, const struct tape_record *rec, const struct reader_position *at,
                           const struct dump_options *options);

#endif
