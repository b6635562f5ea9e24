/* The shortest decimal that reads back equal. printf and strtod do the exact
 * work; what passes between them has no decimal point, so no locale matters. */
#include "json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* v > 0 is near digits * 10^exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* v rounded to `places` significant digits. */
static struct decimal decimal_round(double v, int places)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", places - 1, v);
    struct decimal d = {0, 0};
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9') /* what else stands here is the locale's decimal point */
            d.digits = d.digits * 10 + (uint64_t)(*at - '0');
    d.exponent = (int)strtol(at + 1, NULL, 10) - (places - 1);
    return d;
}

static bool decimal_reads_as(struct decimal d, double v)
{
    char text[48];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", d.digits, d.exponent);
    return strtod(text, NULL) == v;
}

/* At a power of two the doubles below lie twice as dense as those above: the
 * rounded decimal may miss from below where the next one up hits (2^-24, 2^-44). */
static bool decimal_find(double v, int places, struct decimal *d)
{
    *d = decimal_round(v, places);
    if (decimal_reads_as(*d, v))
        return true;
    d->digits++;
    return decimal_reads_as(*d, v);
}

static struct decimal decimal_shortest(double v)
{
    /* Every decimal of up to 15 digits survives a normal double, so with 15 digits
     * all shorter ones are tried as well; subnormals have less precision. */
    struct decimal d = {0, 0};
    int places = fpclassify(v) == FP_NORMAL ? 15 : 1;
    while (places < 17 && !decimal_find(v, places, &d))
        places++;
    if (places == 17)
        d = decimal_round(v, 17);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* Python's float_repr_style: exponent form below 1e-4 and from 1e16 on. */
static size_t layout(char *out, size_t cap, const char *digits, int n, int point)
{
    if (point > 16 || point < -3) {
        int e = point - 1;
        return (size_t)snprintf(out, cap, "%.1s%s%se%c%02d", digits, n > 1 ? "." : "", digits + 1, e < 0 ? '-' : '+',
                                abs(e));
    }
    if (point <= 0)
        return (size_t)snprintf(out, cap, "0.%.*s%s", -point, "0000", digits);
    if (point >= n)
        return (size_t)snprintf(out, cap, "%s%.*s.0", digits, point - n, "0000000000000000");
    return (size_t)snprintf(out, cap, "%.*s.%s", point, digits, digits + point);
}

size_t json_out_repr(double v, char out[32])
{
    assert(isfinite(v));
    size_t sign = signbit(v) ? 1 : 0;
    out[0] = '-';
    if (v == 0)
        return sign + (size_t)snprintf(out + sign, 32 - sign, "0.0");
    struct decimal d = decimal_shortest(fabs(v));
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, d.digits);
    return sign + layout(out + sign, 32 - sign, digits, n, n + d.exponent);
}
