#include "text.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the well-formed sequence at p, 0 when there is none. Unicode standard, table 3-7. */
static size_t sequence(const uint8_t *p)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    size_t n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) /* the end of the text too */
            return 0;
    return n;
}

bool text_is_utf8(const char *text)
{
    const uint8_t *p = (const uint8_t *)text;
    while (*p) {
        size_t n = sequence(p);
        if (n == 0)
            return false;
        p += n;
    }
    return true;
}

bool text_has_control(const char *text)
{
    for (const uint8_t *p = (const uint8_t *)text; *p; p++)
        if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0))
            return true;
    return false;
}

const char *text_shown(const char *text, char out[TEXT_SHOWN_BYTES])
{
    static const size_t most = 60;
    bool utf8 = text_is_utf8(text);
    size_t n = strlen(text);
    bool cut = n > most;
    if (cut)
        n = most;
    while (cut && n > 0 && utf8 && ((uint8_t)text[n] & 0xc0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++)
        out[i] = !utf8 && (uint8_t)text[i] >= 0x80 ? '?' : text[i];
    memcpy(out + n, cut ? "..." : "", cut ? 4 : 1);
    return out;
}
