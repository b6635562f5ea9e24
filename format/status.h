/* Status and error of every library call in this project.
 * Libraries fill a struct tt_error and return its code; only the two mains
 * print or exit. Thread: plain data, no globals. */
#ifndef TAPE_STATUS_H
#define TAPE_STATUS_H

#include <stddef.h>
#include <stdint.h>

enum tt_status {
    TT_OK = 0,
    TT_END,   /* no more records; not an error */
    TT_USAGE, /* the caller's arguments are refused */
    TT_NOMEM,
    TT_IO,        /* read, write or sync failed */
    TT_NOSPC,     /* ENOSPC or EDQUOT */
    TT_PIPE,      /* whoever read the output went away: nothing is wrong */
    TT_EXISTS,    /* refused: the output is already there */
    TT_FOREIGN,   /* not a tape at all */
    TT_VERSION,   /* a tape of a version or with a flag this reader refuses */
    TT_LIMIT,     /* a length or count passes limits.h */
    TT_TRUNCATED, /* bytes end inside a structure */
    TT_MALFORMED, /* bytes contradict the grammar */
    TT_CRC,       /* CRC32C differs: damage */
    TT_CHAIN      /* hash chain, salt or sequence differs: edit */
};

#define TT_NO_OFFSET UINT64_MAX
#define TT_MAX_WRAPS 7u /* more of them count as one */

struct tt_error {
    enum tt_status code;
    uint64_t offset; /* byte offset in the file the flaw was found at, or TT_NO_OFFSET */
    char line[512];  /* one line, fit for a terminal: see tt_line_sanitize() */
    unsigned wraps;  /* times it was wrapped, and where in `line` what was there before begins, outermost first */
    uint16_t wrapped_at[TT_MAX_WRAPS];
};

/* Sets code, offset and text; returns code so that `return tt_fail(...)` reads well.
 * err may be NULL. The formatted text is made fit for a terminal. */
enum tt_status tt_fail(struct tt_error *err, enum tt_status code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts "<text>: " in front of what err already says; keeps its code and offset.
 * The cause chain grows outwards: "cannot open run.tape: block 3: CRC differs". */
enum tt_status tt_wrap(struct tt_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One link of that chain, as text in `out` (of 512 bytes): 0 is the outermost, err->wraps the reason itself. */
void tt_cause(const struct tt_error *err, unsigned link, char out[512]);

/* Makes text fit for a terminal, in place: control characters, line ends among them, marks that
 * turn the direction of writing, and bytes that are no UTF-8 become '?'. Names of files and
 * everything from a tape go through here on their way to a terminal. */
void tt_line_sanitize(char *line);

/* The status an errno stands for: TT_NOSPC, TT_PIPE, TT_EXISTS, TT_NOMEM or TT_IO. */
enum tt_status tt_status_of_errno(int number);

/* Static name of a status, for example "crc". */
const char *tt_status_name(enum tt_status code);

#endif
