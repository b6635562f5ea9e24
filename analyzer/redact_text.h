/* Filler for text, character by character: the same bytes in length, the same number
 * of characters, white space where it was, and of every other character no more than
 * whether it is a word character. So words keep their number and their lengths, and
 * everything that is counted or measured in a text comes out as it was.
 *
 * What observe.h looks for stays readable: markers (ANVIL_REQ_...) and the word `code`,
 * where the run asks for them. */
#ifndef ANALYZER_REDACT_TEXT_H
#define ANALYZER_REDACT_TEXT_H

#include "redact_place.h"

#define REDACT_MAX_MARKER_CHARS                                                                                        \
    (256u << 10) /* room of all markers of a tape that have begun; what passes it is text                              \
                  */

/* One channel of text (an answer's content, its reasoning) across all its pieces. */
struct redact_keeper;

/* Either may be off; held_chars is shared by all keepers of a tape, 0 at first. NULL: no memory. */
struct redact_keeper *redact_keeper_create(bool markers, bool code_words, size_t *held_chars);
/* There was no memory for a marker, and it may have become filler. */
bool redact_keeper_failed(const struct redact_keeper *k);
/* The channel ends, and with it its last word. */
void redact_keeper_end(struct redact_keeper *k);
void redact_keeper_free(struct redact_keeper *k); /* accepts NULL */

/* The inside of a JSON string, escapes as written. keeper may be NULL. Escapes stay
 * escapes: \uXXXX becomes another one of the same class, a pair another pair. */
void redact_text(struct redact_place raw, struct redact_keeper *keeper);

#endif
