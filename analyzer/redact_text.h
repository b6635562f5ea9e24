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

/* One channel of text (an answer's content, its reasoning) across all its pieces. */
struct redact_keeper;

/* Either may be off. NULL: no memory. */
struct redact_keeper *redact_keeper_create(bool markers, bool code_words);
/* The channel ends, and with it its last word. */
void redact_keeper_end(struct redact_keeper *k);
void redact_keeper_free(struct redact_keeper *k); /* accepts NULL */

/* The inside of a JSON string, escapes as written. keeper may be NULL. Escapes stay
 * escapes: \uXXXX becomes another one of the same class, a pair another pair. */
void redact_text(struct redact_place raw, struct redact_keeper *keeper);

#endif
