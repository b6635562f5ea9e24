/* UTF-8 in and out. Invalid input gives U+FFFD once per maximal subpart
 * (Unicode 15, section 3.9, the practice of the WHATWG Encoding standard and of
 * Python's "replace"). */
#ifndef ANALYZER_UTF8_H
#define ANALYZER_UTF8_H

#include "../format/bytes.h"

#define UTF8_REPLACEMENT 0xfffdu

/* Next code point of a view that is not empty; advances it. */
uint32_t utf8_next(struct tt_view *text);

/* Writes a code point (<= 0x10ffff, no surrogate); returns its length, 1 to 4. */
size_t utf8_put(uint32_t code_point, uint8_t out[4]);

static inline size_t utf8_length(uint32_t code_point)
{
    return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

#endif
