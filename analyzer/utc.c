#include "utc.h"

#include <stdio.h>
#include <string.h>

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

static uint64_t days_before_year(uint64_t year)
{
    year--; /* leap days up to its end */
    return year * 365 + year / 4 - year / 100 + year / 400;
}

/* Reading is the inverse of writing: what writes back differently was no such time (a 31 June, a 61st minute). */
bool utc_parse(const char *text, uint64_t *unix_s)
{
    static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    unsigned part[6] = {0}, at = 0;
    char again[UTC_BYTES];
    for (size_t i = 0; i < sizeof form; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !digit : text[i] != form[i])
            return false;
        if (form[i] == 'd')
            part[at] = part[at] * 10 + (unsigned)(text[i] - '0');
        else
            at += at < 5;
    }
    if (part[0] < 1970 || part[0] > 2553 || part[1] < 1 || part[1] > 12 || part[2] < 1)
        return false;
    uint64_t days = days_before_year(part[0]) - days_before_year(1970) + before[part[1] - 1] + part[2] - 1 +
                    (part[1] > 2 ? leap(part[0]) : 0);
    *unix_s = days * 86400 + part[3] * 3600 + part[4] * 60 + part[5];
    utc_format(*unix_s * 1000000000u, again);
    return strcmp(text, again) == 0;
}
