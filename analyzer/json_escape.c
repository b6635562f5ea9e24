#include "json_escape.h"

#include <inttypes.h>
#include <stdio.h>

#include "utf8.h"

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
