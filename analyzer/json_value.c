/* What a raw string or the text of a number means. */
#include "json.h"

#include "utf8.h"

#include <stdlib.h>

static unsigned hex_digit(uint8_t c)
{
    return c <= '9' ? c - (unsigned)'0' : (c | 0x20u) - 'a' + 10u;
}

/* The unit of a \u escape at the start of raw, or JSON_STRING_DONE. */
static uint32_t unicode_escape(struct tt_view raw)
{
    uint32_t unit = 0;
    if (raw.n < 6 || raw.p[0] != '\\' || raw.p[1] != 'u')
        return JSON_STRING_DONE;
    for (size_t i = 2; i < 6; i++)
        unit = unit << 4 | (hex_digit(raw.p[i]) & 15u);
    return unit;
}

static void advance(struct tt_view *raw, size_t n)
{
    *raw = tt_view_of(raw->p + n, raw->n - n);
}

static uint32_t next_unicode_escape(struct tt_view *raw)
{
    uint32_t unit = unicode_escape(*raw);
    if (unit == JSON_STRING_DONE) { /* cannot come from the tokenizer */
        advance(raw, raw->n);
        return UTF8_REPLACEMENT;
    }
    advance(raw, 6);
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    uint32_t low = unit < 0xdc00 ? unicode_escape(*raw) : JSON_STRING_DONE;
    if (low == JSON_STRING_DONE || low < 0xdc00 || low > 0xdfff)
        return UTF8_REPLACEMENT;
    advance(raw, 6);
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

static uint32_t next_escape(struct tt_view *raw)
{
    uint8_t c = raw->n > 1 ? raw->p[1] : 'u';
    if (c == 'u')
        return next_unicode_escape(raw);
    advance(raw, 2);
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c; /* quote, backslash, slash */
    }
}

uint32_t json_string_next(struct tt_view *raw)
{
    if (raw->n == 0)
        return JSON_STRING_DONE;
    if (*raw->p == '\\')
        return next_escape(raw);
    if (*raw->p >= 0x80)
        return utf8_next(raw);
    uint32_t c = *raw->p;
    advance(raw, 1);
    return c;
}

bool json_string_is(struct tt_view raw, const char *ascii)
{
    if (raw.n == 0 || !memchr(raw.p, '\\', raw.n))
        return raw.n == strlen(ascii) && (raw.n == 0 || memcmp(raw.p, ascii, raw.n) == 0);
    for (; *ascii; ascii++)
        if (json_string_next(&raw) != (uint8_t)*ascii)
            return false;
    return raw.n == 0;
}

bool json_number_is_integer(struct tt_view raw)
{
    for (size_t i = 0; i < raw.n; i++)
        if (raw.p[i] != '-' && (raw.p[i] < '0' || raw.p[i] > '9'))
            return false;
    return raw.n > 0;
}

bool json_number_u64(struct tt_view raw, uint64_t *value)
{
    if (!json_number_is_integer(raw))
        return false;
    if (*raw.p == '-') { /* -0 is an integer >= 0, as in Python */
        *value = 0;
        return raw.n == 2 && raw.p[1] == '0';
    }
    uint64_t v = 0;
    for (size_t i = 0; i < raw.n; i++) {
        uint64_t digit = (uint64_t)(raw.p[i] - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

/* More significant digits than this cannot change the nearest double (767 can),
 * except by being not all zero: that is what one more digit stands for. */
#define DIGITS_KEPT 800
#define EXPONENT_BOUND 1000000000

/* A number as digits and a power of ten: no decimal point, so no locale. */
struct decimal {
    char digits[DIGITS_KEPT + 1];
    size_t n;
    int64_t exponent;
    bool dropped; /* a digit other than zero fell off */
};

static void add_digit(struct decimal *d, char c, bool fraction)
{
    bool kept = d->n < DIGITS_KEPT && (d->n > 0 || c != '0');
    if (kept)
        d->digits[d->n++] = c;
    else if (d->n > 0)
        d->dropped |= c != '0';
    if (fraction && (kept || d->n == 0))
        d->exponent--;
    else if (!fraction && !kept && d->n > 0)
        d->exponent++;
}

static int64_t read_exponent(const uint8_t *p, const uint8_t *end)
{
    bool minus = p < end && *p == '-';
    int64_t v = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end; p++)
        if (v < EXPONENT_BOUND)
            v = v * 10 + (*p - '0');
    return minus ? -v : v;
}

static struct decimal read_decimal(const uint8_t *p, const uint8_t *end)
{
    struct decimal d;
    bool fraction = false;
    d.n = 0;
    d.exponent = 0;
    d.dropped = false;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.')
            fraction = true;
        else
            add_digit(&d, (char)*p, fraction);
    }
    if (d.dropped) {
        d.digits[d.n++] = '1';
        d.exponent--;
    }
    if (p < end)
        d.exponent += read_exponent(p + 1, end);
    return d;
}

double json_number_double(struct tt_view raw)
{
    if (raw.n == 0)
        return 0.0;
    bool minus = *raw.p == '-';
    struct decimal d = read_decimal(raw.p + minus, raw.p + raw.n);
    char text[DIGITS_KEPT + 32];
    size_t n = 0;
    if (d.n == 0)
        d.digits[d.n++] = '0';
    memcpy(text, d.digits, d.n);
    n = d.n;
    text[n++] = 'e';
    if (d.exponent < 0)
        text[n++] = '-';
    uint64_t magnitude = (uint64_t)(d.exponent < 0 ? -d.exponent : d.exponent);
    char reversed[20];
    size_t digits = 0;
    do {
        reversed[digits++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0 && digits < sizeof reversed);
    while (digits > 0)
        text[n++] = reversed[--digits];
    text[n] = '\0';
    double v = strtod(text, NULL);
    return minus ? -v : v;
}
