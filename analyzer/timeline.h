/* One request read by read: what each read brought and when. No text of it. */
#ifndef ANALYZER_TIMELINE_H
#define ANALYZER_TIMELINE_H

#include "model.h"
#include "output.h"

struct timeline_options {
    bool json; /* JSON lines */
};

/* Reads the tape again for the records of `r`, which was loaded and judged from
 * it. Memory does not grow with the answer. On error *is_input tells which side failed. */
enum tt_status timeline_write(const char *path, const struct reader_options *reader, const struct run *run,
                              const struct request *r, const struct timeline_options *options, struct output *o,
                              bool *is_input, struct tt_error *err);

#endif
