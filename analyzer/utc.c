#include "utc.h"

#include <stdio.h>

struct civil {
    unsigned year, month, day, hour, minute, second;
};

static unsigned leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* 64 bits of nanoseconds end in 2554, so counting years is no loop to worry about. */
static struct civil civil_of(uint64_t unix_ns)
{
    static const uint8_t days_of[2][12] = {{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
                                           {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}};
    uint64_t seconds = unix_ns / 1000000000u;
    unsigned days = (unsigned)(seconds / 86400), rest = (unsigned)(seconds % 86400);
    struct civil c = {.year = 1970, .hour = rest / 3600, .minute = rest / 60 % 60, .second = rest % 60};
    for (; days >= 365 + leap(c.year); c.year++)
        days -= 365 + leap(c.year);
    const uint8_t *month_days = days_of[leap(c.year)];
    for (; days >= month_days[c.month]; c.month++)
        days -= month_days[c.month];
    c.month += 1;
    c.day = days + 1;
    return c;
}

void utc_format(uint64_t unix_ns, char out[UTC_BYTES])
{
    struct civil c = civil_of(unix_ns);
    snprintf(out, UTC_BYTES, "%04u-%02u-%02uT%02u:%02u:%02uZ", c.year % 10000, c.month % 100, c.day % 100, c.hour % 100,
             c.minute % 100, c.second % 100);
}

void utc_format_compact(uint64_t unix_ns, char out[UTC_BYTES])
{
    struct civil c = civil_of(unix_ns);
    snprintf(out, UTC_BYTES, "%04u%02u%02uT%02u%02u%02uZ", c.year % 10000, c.month % 100, c.day % 100, c.hour % 100,
             c.minute % 100, c.second % 100);
}
