/* Unix nanoseconds as UTC text, whole seconds, without the C library's time zones. */
#ifndef ANALYZER_UTC_H
#define ANALYZER_UTC_H

#include <stdbool.h>
#include <stdint.h>

#define UTC_BYTES 24u

/* "2026-09-22T02:18:34Z" */
void utc_format(uint64_t unix_ns, char out[UTC_BYTES]);
/* "20260922T021834Z" */
void utc_format_compact(uint64_t unix_ns, char out[UTC_BYTES]);

/* The first form back to whole seconds, years 1970 to 2553; false for any other text. */
bool utc_parse(const char *text, uint64_t *unix_s);

#endif
