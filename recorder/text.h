/* What a text given by a person may hold. */
#ifndef RECORDER_TEXT_H
#define RECORDER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* RFC 3629: no surrogates, no overlong forms, nothing past U+10FFFF. */
bool text_is_utf8(const char *text);
/* C0, DEL, and, in UTF-8, C1. */
bool text_has_control(const char *text);

/* The text as an error shows it: at most about 60 bytes, cut at a character; '?' for every
 * byte past ASCII when it is not UTF-8. */
#define TEXT_SHOWN_BYTES 72
const char *text_shown(const char *text, char out[TEXT_SHOWN_BYTES]);

#endif
