#include "base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct tt_view v, char *out)
{
    for (size_t i = 0; i < v.n; i += 3) {
        uint32_t b = (uint32_t)v.p[i] << 16;
        b |= i + 1 < v.n ? (uint32_t)v.p[i + 1] << 8 : 0;
        b |= i + 2 < v.n ? v.p[i + 2] : 0;
        *out++ = digits[b >> 18];
        *out++ = digits[b >> 12 & 63];
        *out++ = i + 1 < v.n ? digits[b >> 6 & 63] : '=';
        *out++ = i + 2 < v.n ? digits[b & 63] : '=';
    }
}
