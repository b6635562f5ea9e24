#include "client_limit.h"

#include <math.h>
#include <string.h>

#define LONGEST_WHOLE 7u
#define LONGEST_FRACTION 3u

/* Digits, up to three decimals, a unit that may be left out; in thousandths. Returns what is behind it, NULL: none. */
static const char *take_amount(const char *text, const char *unit, uint64_t *thousandths)
{
    size_t whole = strspn(text, "0123456789"), point = text[whole] == '.';
    size_t decimals = point ? strspn(text + whole + 1, "0123456789") : 0;
    uint64_t v = 0;
    if (whole == 0 || whole > LONGEST_WHOLE || (point && decimals == 0) || decimals > LONGEST_FRACTION)
        return NULL;
    for (size_t i = 0; i < whole; i++)
        v = v * 10 + (uint64_t)(text[i] - '0');
    for (size_t i = 0; i < LONGEST_FRACTION; i++)
        v = v * 10 + (i < decimals ? (uint64_t)(text[whole + 1 + i] - '0') : 0);
    *thousandths = v;
    text += whole + point + decimals;
    size_t n = strlen(unit);
    return strncmp(text, unit, n) == 0 ? text + n : text;
}

static bool set(struct client_limit *limit, uint64_t us, uint64_t milli_percent)
{
    if (us > CLIENT_LIMIT_MOST_US || milli_percent > CLIENT_LIMIT_MOST_MILLI_PERCENT)
        return false;
    limit->us = us;
    limit->milli_percent = milli_percent;
    return true;
}

bool client_limit_parse(const char *text, struct client_limit *limit)
{
    uint64_t us, milli_percent = CLIENT_LIMIT_DEFAULT.milli_percent;
    const char *rest = take_amount(text, "ms", &us);
    if (rest && *rest == ',')
        rest = take_amount(rest + 1, "%", &milli_percent);
    return rest && *rest == '\0' && set(limit, us, milli_percent);
}

bool client_limit_from_json(double ms, double percent, struct client_limit *limit)
{
    struct client_limit told = {0};
    if (!(ms >= 0 && ms <= CLIENT_LIMIT_MOST_US / 1e3) || !(percent >= 0 && percent <= 100) ||
        !set(&told, (uint64_t)llround(ms * 1e3), (uint64_t)llround(percent * 1e3)) || client_limit_ms(&told) != ms ||
        client_limit_percent(&told) != percent)
        return false;
    return set(limit, told.us, told.milli_percent);
}

double client_limit_ms(const struct client_limit *limit)
{
    return (double)limit->us / 1e3;
}

double client_limit_percent(const struct client_limit *limit)
{
    return (double)limit->milli_percent / 1e3;
}

uint64_t client_limit_ns(const struct client_limit *limit, uint64_t value_ns)
{
    uint64_t least = limit->us * 1000, p = limit->milli_percent; /* p <= 100000: no product overflows */
    uint64_t share = value_ns / 100000 * p + value_ns % 100000 * p / 100000;
    return share > least ? share : least;
}
