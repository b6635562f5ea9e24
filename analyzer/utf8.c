#include "utf8.h"

#include <assert.h>

/* What a lead byte demands: continuation bytes, and the range of the first one
 * (Unicode table 3-7: this is what keeps surrogates and overlong forms out). */
struct lead {
    unsigned more;
    uint8_t low, high;
};

static struct lead classify(uint8_t byte)
{
    if (byte >= 0xc2 && byte <= 0xdf)
        return (struct lead){1, 0x80, 0xbf};
    if (byte >= 0xe0 && byte <= 0xef)
        return (struct lead){2, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf};
    if (byte >= 0xf0 && byte <= 0xf4)
        return (struct lead){3, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf};
    return (struct lead){0, 0, 0};
}

uint32_t utf8_next(struct tt_view *text)
{
    assert(text->n > 0);
    const uint8_t *p = text->p;
    uint8_t first = p[0];
    size_t used = 1;
    uint32_t code = first;
    if (first >= 0x80) {
        struct lead lead = classify(first);
        uint8_t low = lead.low, high = lead.high;
        code = first & (0x3fu >> lead.more);
        while (used <= lead.more && used < text->n && p[used] >= low && p[used] <= high) {
            code = code << 6 | (p[used++] & 0x3fu);
            low = 0x80;
            high = 0xbf;
        }
        if (lead.more == 0 || used <= lead.more)
            code = UTF8_REPLACEMENT;
    }
    *text = tt_view_of(p + used, text->n - used);
    return code;
}

size_t utf8_put(uint32_t code_point, uint8_t out[4])
{
    static const uint8_t lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = utf8_length(code_point);
    if (n == 1) {
        out[0] = (uint8_t)code_point;
        return 1;
    }
    for (size_t i = n; i-- > 1; code_point >>= 6)
        out[i] = (uint8_t)(0x80u | (code_point & 0x3fu));
    out[0] = (uint8_t)(lead[n] | code_point);
    return n;
}
