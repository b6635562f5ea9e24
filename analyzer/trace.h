/* The `trace` object of a result (result.md section 9). */
#ifndef ANALYZER_TRACE_H
#define ANALYZER_TRACE_H

#include "json_out.h"
#include "model.h"

/* Writes the whole object (the key `trace` is the caller's). TT_NOMEM. */
enum tt_status trace_write(struct json_out *o, const struct run *run);

#endif
