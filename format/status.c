#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A line goes to a terminal: no control character may get there, neither the
 * ASCII ones nor their two-byte UTF-8 cousins U+0080..U+009F. */
static void line_sanitize(char *line)
{
    for (unsigned char *p = (unsigned char *)line; *p; p++) {
        if (*p < 0x20 || *p == 0x7f)
            *p = '?';
        if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
            p[0] = p[1] = '?';
    }
}

enum tt_status tt_fail(struct tt_error *err, enum tt_status code, uint64_t offset, const char *fmt, ...)
{
    if (!err)
        return code;
    va_list args;
    va_start(args, fmt);
    err->code = code;
    err->offset = offset;
    vsnprintf(err->line, sizeof(err->line), fmt, args);
    va_end(args);
    line_sanitize(err->line);
    return code;
}

enum tt_status tt_wrap(struct tt_error *err, const char *fmt, ...)
{
    if (!err)
        return TT_OK;
    char before[sizeof(err->line)];
    va_list args;
    va_start(args, fmt);
    vsnprintf(before, sizeof(before), fmt, args);
    va_end(args);
    char line[2 * sizeof(err->line) + 3];
    snprintf(line, sizeof(line), "%s: %s", before, err->line);
    line[sizeof(err->line) - 1] = '\0';
    memcpy(err->line, line, sizeof(err->line));
    line_sanitize(err->line);
    return err->code;
}

enum tt_status tt_status_of_errno(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return TT_NOSPC;
    case EEXIST:
        return TT_EXISTS;
    case ENOMEM:
        return TT_NOMEM;
    default:
        return TT_IO;
    }
}

const char *tt_status_name(enum tt_status code)
{
    static const char *const names[] = {
        [TT_OK] = "ok",           [TT_END] = "end",     [TT_USAGE] = "usage",         [TT_NOMEM] = "nomem",
        [TT_IO] = "io",           [TT_NOSPC] = "nospc", [TT_EXISTS] = "exists",       [TT_FOREIGN] = "foreign",
        [TT_VERSION] = "version", [TT_LIMIT] = "limit", [TT_TRUNCATED] = "truncated", [TT_MALFORMED] = "malformed",
        [TT_CRC] = "crc",         [TT_CHAIN] = "chain",
    };
    if ((unsigned)code >= sizeof(names) / sizeof(names[0]))
        return "unknown";
    return names[code];
}
