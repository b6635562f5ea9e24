/* One value of one flag, by its kind. */
#include "options_table.h"

#include "decimal.h"
#include "text.h"

#define MAX_TEXT_BYTES 4096 /* the RUN record keeps every text whole */

_Static_assert(sizeof(enum cache_mode) == sizeof(unsigned) && sizeof(enum output_policy) == sizeof(unsigned) &&
                   sizeof(enum thinking_mode) == sizeof(unsigned) && sizeof(enum connection_mode) == sizeof(unsigned) &&
                   sizeof(enum endpoint) == sizeof(unsigned) && sizeof(enum arrivals) == sizeof(unsigned),
               "FLAG_CHOICE writes an unsigned");

static void *place(struct given *g, size_t at)
{
    return (char *)g + at;
}

static void put_text(struct given *g, const struct flag *flag, const char *value)
{
    memcpy(place(g, flag->at), &value, sizeof value);
}

/* --ctx-tokens 0 means "sampled", below its range. */
static bool is_zero_allowed(const struct flag *flag)
{
    return strcmp(flag->name, "--ctx-tokens") == 0;
}

static enum tt_status take_uint(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    uint64_t v;
    char shown[TEXT_SHOWN_BYTES];
    bool whole = decimal_parse_uint(value, &v);
    if (!whole || v > (uint64_t)flag->high || (v < (uint64_t)flag->low && !(v == 0 && is_zero_allowed(flag))))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s is %s: give %s from %.0f to %.0f", flag->name,
                       value[0] ? text_shown(value, shown) : "''", whole ? "out of bounds" : "no whole number",
                       is_zero_allowed(flag) ? "0 (sampled) or an integer" : "an integer", flag->low, flag->high);
    uint32_t small = (uint32_t)v;
    memcpy(place(g, flag->at), &small, sizeof small);
    return TT_OK;
}

static enum tt_status take_real(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    double v;
    char shown[TEXT_SHOWN_BYTES];
    bool real = decimal_parse_real(value, &v);
    if (!real || v < flag->low || v > flag->high || (flag->above && v <= flag->low))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s is %s: give a number %s %g and at most %.0f", flag->name,
                       value[0] ? text_shown(value, shown) : "''", real ? "out of bounds" : "no number",
                       flag->above ? "above" : "of at least", flag->low, flag->high);
    v += 0.0; /* -0 becomes 0 */
    memcpy(place(g, flag->at), &v, sizeof v);
    return TT_OK;
}

static enum tt_status take_text(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    if (!text_is_utf8(value))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s is not valid UTF-8: write it in UTF-8", flag->name);
    if (text_has_control(value))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s holds a control character: leave it out", flag->name);
    if (strlen(value) > MAX_TEXT_BYTES)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s is longer than %d bytes: shorten it", flag->name,
                       MAX_TEXT_BYTES);
    put_text(g, flag, value);
    return TT_OK;
}

static enum tt_status take_path(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    if (value[0] == '\0')
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s is empty: give the path of a file", flag->name);
    put_text(g, flag, value);
    return TT_OK;
}

static enum tt_status take_another(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    struct flag_list *list = place(g, flag->at);
    if (list->n == TRANSPORT_LIST_MOST)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s is given more than %d times: give fewer", flag->name,
                       TRANSPORT_LIST_MOST);
    list->at[list->n++] = value;
    return TT_OK;
}

/* Place of `value` in "one|two|three", or -1. */
static int place_in(const char *words, const char *value)
{
    size_t n = strlen(value);
    int at = 0;
    for (const char *p = words;; at++) {
        size_t length = strcspn(p, "|");
        if (length == n && n > 0 && memcmp(p, value, n) == 0)
            return at;
        if (p[length] == '\0')
            return -1;
        p += length + 1;
    }
}

static enum tt_status take_word(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES];
    int at = place_in(flag->words, value);
    if (at < 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s is no choice it has: give one of %s", flag->name,
                       value[0] ? text_shown(value, shown) : "''", flag->words);
    unsigned choice = (unsigned)at;
    bool second = at == 1;
    if (flag->kind == FLAG_WORD)
        put_text(g, flag, value);
    else if (flag->kind == FLAG_CHOICE)
        memcpy(place(g, flag->at), &choice, sizeof choice);
    else
        memcpy(place(g, flag->at), &second, sizeof second);
    return TT_OK;
}

static enum tt_status take_value(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    switch (flag->kind) {
    case FLAG_UINT:
        return take_uint(g, flag, value, err);
    case FLAG_REAL:
        return take_real(g, flag, value, err);
    case FLAG_TEXT:
        return take_text(g, flag, value, err);
    case FLAG_PATH:
        return take_path(g, flag, value, err);
    case FLAG_LIST:
        return take_another(g, flag, value, err);
    case FLAG_RAW:
        put_text(g, flag, value);
        return TT_OK;
    case FLAG_SWITCH:
        memcpy(place(g, flag->at), &(bool){true}, sizeof(bool));
        return TT_OK;
    default:
        return take_word(g, flag, value, err);
    }
}

enum tt_status options_take(struct given *g, const struct flag *flag, const char *value, struct tt_error *err)
{
    enum tt_status code = take_value(g, flag, value, err);
    if (code == TT_OK && flag->has_at != FLAG_NOWHERE)
        memcpy(place(g, flag->has_at), &(bool){true}, sizeof(bool));
    return code;
}
