#include "decimal.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool decimal_parse_uint(const char *text, uint64_t *value)
{
    uint64_t v = 0;
    if (*text == '\0')
        return false;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9')
            return false;
        uint64_t digit = (uint64_t)(*p - '0');
        v = v > (UINT64_MAX - digit) / 10 ? UINT64_MAX : v * 10 + digit;
    }
    *value = v;
    return true;
}

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

static bool is_real(const char *text)
{
    const char *p = text + (*text == '+' || *text == '-');
    const char *fraction = skip_digits(p);
    size_t digits = (size_t)(fraction - p);
    p = fraction;
    if (*p == '.') {
        fraction = skip_digits(p + 1);
        digits += (size_t)(fraction - (p + 1));
        p = fraction;
    }
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        const char *end = skip_digits(p);
        if (end == p)
            return false;
        p = end;
    }
    return *p == '\0';
}

/* strtod and printf take the decimal point from the locale; these calls run under "C" whatever the process set. */
static locale_t enter_c_locale(locale_t *c)
{
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *c ? uselocale(*c) : (locale_t)0;
}

static void leave_c_locale(locale_t c, locale_t before)
{
    if (c) {
        uselocale(before);
        freelocale(c);
    }
}

bool decimal_parse_real(const char *text, double *value)
{
    if (!is_real(text))
        return false;
    locale_t c;
    locale_t before = enter_c_locale(&c);
    *value = strtod(text, NULL);
    leave_c_locale(c, before);
    return true;
}

void decimal_format_real(double value, char out[DECIMAL_REAL_BYTES])
{
    assert(isfinite(value));
    locale_t c;
    locale_t before = enter_c_locale(&c);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, DECIMAL_REAL_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    leave_c_locale(c, before);
    if (strspn(out, "-0123456789") == strlen(out))
        memcpy(out + strlen(out), ".0", 3);
}
