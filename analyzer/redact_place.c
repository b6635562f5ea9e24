#include "redact_place.h"

#include "unicode.h"

uint8_t redact_blur_byte(uint8_t c)
{
    if (c < 0x80 && unicode_is_space(c))
        return c;
    return c >= 0x80 || unicode_is_word(c) ? 'x' : '!';
}

void redact_place_blur(struct redact_place w)
{
    for (size_t i = 0; i < w.n; i++)
        redact_place_put(w, i, redact_blur_byte(w.bytes[i]));
}
