#include "json_escape.h"

#include <inttypes.h>
#include <stdio.h>

/* One U+FFFD stands for each maximal part of an ill-formed sequence (Unicode,
 * section 3.9), as the text decoders of browsers and Python do it. */
static uint32_t utf8_next(struct tt_view *v)
{
    uint8_t first = *v->p++;
    v->n--;
    if (first < 0x80)
        return first;
    if (first < 0xc2 || first > 0xf4)
        return 0xfffd;
    unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    /* The second byte alone keeps out overlong forms, surrogates and what is above U+10FFFF. */
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    uint32_t c = first & (0x3fu >> more);
    for (unsigned i = 0; i < more; i++, low = 0x80, high = 0xbf) {
        if (v->n == 0 || *v->p < low || *v->p > high)
            return 0xfffd;
        c = c << 6 | (*v->p & 0x3fu);
        v->p++;
        v->n--;
    }
    return c;
}

size_t json_escape_next(struct tt_view *utf8, char out[JSON_ESCAPE_BYTES])
{
    static const char plain[] = "\"\\\n\r\t\f\b", letter[] = "\"\\nrtfb";
    uint32_t c = utf8_next(utf8);
    const char *at = c && c < 0x80 ? strchr(plain, (int)c) : NULL;
    if (at)
        return (size_t)snprintf(out, JSON_ESCAPE_BYTES, "\\%c", letter[at - plain]);
    if (c < 0x10000)
        return (size_t)snprintf(out, JSON_ESCAPE_BYTES, "\\u%04" PRIx32, c);
    return (size_t)snprintf(out, JSON_ESCAPE_BYTES, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + ((c - 0x10000) & 0x3ff));
}
