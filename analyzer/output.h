/* Where data goes: stdout, or a new file that appears whole or not at all. */
#ifndef ANALYZER_OUTPUT_H
#define ANALYZER_OUTPUT_H

#include <stdarg.h>

#include "../format/bytes.h"
#include "../format/status.h"

struct output;

/* path NULL: stdout. A file that exists (a symlink counts, wherever it leads) is
 * TT_EXISTS; a missing parent or any other fault TT_IO. Nothing is visible yet. */
enum tt_status output_create(struct output **out, const char *path, struct tt_error *err);
/* Buffered. TT_IO, TT_NOSPC. */
enum tt_status output_write(struct output *o, struct tt_view bytes, struct tt_error *err);
/* A line of text, or a piece of one, for people: its last character alone may end the line, and what
 * the arguments bring (from a tape, say) is made fit for a terminal. One of more than 2 KB is cut. */
enum tt_status output_printf(struct output *o, struct tt_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
enum tt_status output_vprintf(struct output *o, struct tt_error *err, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Writes what is buffered; a file is synced and gets its name. */
enum tt_status output_finish(struct output *o, struct tt_error *err);
/* A file that was not finished leaves no trace. Accepts NULL. */
void output_free(struct output *o);

#endif
