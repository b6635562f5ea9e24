/* One character of UTF-8 text as JSON escapes it in ASCII. */
#ifndef ANALYZER_JSON_ESCAPE_H
#define ANALYZER_JSON_ESCAPE_H

#include "../format/bytes.h"

#define JSON_ESCAPE_BYTES 32u /* a pair of \u escapes, with room */

/* Takes one code point from the front of *utf8 (not empty) and writes its escape;
 * returns the length. Ill-formed UTF-8 gives U+FFFD. */
size_t json_escape_next(struct tt_view *utf8, char out[JSON_ESCAPE_BYTES]);

#endif
