/* Where data goes: stdout, or a new file that appears whole or not at all. */
#ifndef ANALYZER_OUTPUT_H
#define ANALYZER_OUTPUT_H

#include <stdarg.h>

#include "json_out.h"

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
/* As output_printf(), for a report of many lines: goes on after a failure without effect, and
 * output_finish() gives the first one. */
void output_say(struct output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The whole of a document, and its newline. TT_NOMEM when there is none (NULL, too) for want of memory. */
enum tt_status output_json(struct output *o, struct json_out *json, struct tt_error *err);
/* Waits; TT_PIPE as soon as nobody reads the output any more. */
enum tt_status output_wait(struct output *o, unsigned ms, struct tt_error *err);
/* For json_out_drain_to(): `output` is one; false, and a failure that is kept, when it cannot be written. */
bool output_take(void *output, struct tt_view bytes);
/* output_say() or output_take() failed: output_finish() says why. */
bool output_failed(const struct output *o);
/* Writes what is buffered; a file is synced and gets its name. */
enum tt_status output_finish(struct output *o, struct tt_error *err);
/* A file that was not finished leaves no trace. Accepts NULL. */
void output_free(struct output *o);

#endif
