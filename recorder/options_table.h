/* The flags as a table, and what the command line said before the rules between flags are applied. */
#ifndef RECORDER_OPTIONS_TABLE_H
#define RECORDER_OPTIONS_TABLE_H

#include "options.h"

enum flag_kind {
    FLAG_SWITCH, /* bool, takes no value */
    FLAG_UINT,   /* uint32_t within low..high */
    FLAG_REAL,   /* double within low..high */
    FLAG_TEXT,   /* const char *: valid UTF-8 without control characters */
    FLAG_PATH,   /* const char *: any bytes, not empty */
    FLAG_LIST,   /* struct flag_list: like FLAG_RAW, each time it is given */
    FLAG_RAW,    /* const char *: checked later, by its own rule; an error never echoes it */
    FLAG_CHOICE, /* an enum: the place of the word in `words` */
    FLAG_EITHER, /* bool: the place of the word in `words`, 0 or 1 */
    FLAG_WORD    /* const char *: one of `words` */
};

#define FLAG_NOWHERE SIZE_MAX
#define FLAG_MOST 64 /* of one command */

struct flag {
    const char *name; /* with its two dashes */
    enum flag_kind kind;
    size_t at;     /* offset of the value in struct given */
    double low;    /* FLAG_UINT, FLAG_REAL */
    double high;   /* included */
    bool above;    /* low itself is excluded */
    size_t has_at; /* offset of a bool set when the flag is given, or FLAG_NOWHERE */
    const char *words;
};

/* What was said: values of simple flags go straight into `o`. */
struct given {
    struct options o;
    const char *base_url, *seed, *tape, *cpus;
    bool confirm, thinking, calibrate_rate;
    bool seen[FLAG_MOST];
};

struct flag_table {
    const struct flag *flags;
    size_t count;
};

/* The flags of one command. */
struct flag_table options_flags(enum command command);

/* Takes one value; `value` NULL for switches. Errors: TT_USAGE. */
enum tt_status options_take(struct given *g, const struct flag *flag, const char *value, struct tt_error *err);
/* Rules that concern several flags or one with a grammar of its own; fills what is derived. TT_USAGE, TT_NOMEM, TT_IO.
 */
enum tt_status options_check(struct given *g, const char *utc_start, struct tt_error *err);
/* The same for `calibrate`. */
enum tt_status options_check_calibrate(struct given *g, struct tt_error *err);
/* Name of the flag nearest to a mistyped one, or NULL when none is near. */
const char *options_nearest(struct flag_table table, const char *name, size_t n);

#endif
