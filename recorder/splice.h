/* Puts a prompt into the JSON around it. */
#ifndef RECORDER_SPLICE_H
#define RECORDER_SPLICE_H

#include <stddef.h>
#include <stdint.h>

/* `frame` with the prompt put in at `at`, its newlines escaped: nothing else in a prompt needs it.
 * malloc'd, *n its bytes; NULL: no memory. */
uint8_t *splice_prompt(const char *frame, size_t at, const uint8_t *prompt, size_t chars, size_t *n);

#endif
