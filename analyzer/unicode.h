/* Two classes of code points, as Python has them. */
#ifndef ANALYZER_UNICODE_H
#define ANALYZER_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

/* re's \w: what a word boundary parts from the rest. */
bool unicode_is_word(uint32_t c);

bool unicode_is_space_beyond_ascii(uint32_t c);

/* str.isspace, where str.split cuts. */
static inline bool unicode_is_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    return unicode_is_space_beyond_ascii(c);
}

#endif
