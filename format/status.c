#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence that begins at p, *c its code point; 0 when none begins there. */
static size_t utf8_sequence(const unsigned char *p, uint32_t *c)
{
    size_t n = *p < 0x80                 ? 1
               : *p >= 0xc2 && *p < 0xe0 ? 2
               : *p >= 0xe0 && *p < 0xf0 ? 3
               : *p >= 0xf0 && *p < 0xf5 ? 4
                                         : 0;
    *c = n == 1 ? *p : *p & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) /* the end of the text, too */
            return 0;
        *c = *c << 6 | (p[i] & 0x3fu);
    }
    bool overlong = (n == 3 && *c < 0x800) || (n == 4 && *c < 0x10000);
    return overlong || (*c >= 0xd800 && *c < 0xe000) || *c > 0x10ffff ? 0 : n;
}

/* Controls (ASCII and U+0080..U+009F), line ends, and marks that turn the direction of writing. */
static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void tt_line_sanitize(char *line)
{
    unsigned char *p = (unsigned char *)line;
    while (*p) {
        uint32_t c;
        size_t n = utf8_sequence(p, &c);
        if (n == 0 || is_harmful(c))
            memset(p, '?', n ? n : 1);
        p += n ? n : 1;
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
    err->wraps = 0;
    vsnprintf(err->line, sizeof(err->line), fmt, args);
    va_end(args);
    tt_line_sanitize(err->line);
    return code;
}

/* What was there begins `shift` bytes further on; what fell off the end has no place any more. */
static void note_wrap(struct tt_error *err, size_t shift)
{
    const unsigned kept = err->wraps < TT_MAX_WRAPS ? err->wraps : TT_MAX_WRAPS - 1;
    memmove(err->wrapped_at + 1, err->wrapped_at, kept * sizeof(err->wrapped_at[0]));
    err->wrapped_at[0] = 0;
    err->wraps = kept + 1;
    for (unsigned i = 0; i < err->wraps; i++) {
        size_t at = err->wrapped_at[i] + shift;
        err->wrapped_at[i] = (uint16_t)(at < sizeof(err->line) ? at : sizeof(err->line) - 1);
    }
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
    tt_line_sanitize(err->line);
    note_wrap(err, strlen(before) + 2);
    return err->code;
}

void tt_cause(const struct tt_error *err, unsigned link, char out[sizeof(err->line)])
{
    size_t from = link ? err->wrapped_at[link - 1] : 0;
    size_t to = link < err->wraps ? err->wrapped_at[link] : strlen(err->line);
    if (link < err->wraps && to >= from + 2)
        to -= 2; /* ": " */
    memcpy(out, err->line + from, to - from);
    out[to - from] = '\0';
}

enum tt_status tt_status_of_errno(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return TT_NOSPC;
    case EPIPE:
        return TT_PIPE;
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
        [TT_CRC] = "crc",         [TT_CHAIN] = "chain", [TT_PIPE] = "pipe",
    };
    if ((unsigned)code >= sizeof(names) / sizeof(names[0]))
        return "unknown";
    return names[code];
}
