#include "redact_forms.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define MAX_GROWTH 6u /* \u00xx */

bool redact_forms_is_filler(struct tt_view secret)
{
    static const char *const fillers[] = {"empty",     "none",        "null",        "dummy",      "test",
                                          "fake",      "no-key",      "ollama",      "not-needed", "sk-no-key-required",
                                          "lm-studio", "placeholder", "token-abc123"};
    if (secret.n < REDACT_MIN_SECRET_BYTES)
        return true;
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (strlen(fillers[i]) == secret.n && strncasecmp(fillers[i], (const char *)secret.p, secret.n) == 0)
            return true;
    size_t same = 1;
    while (same < secret.n && secret.p[same] == secret.p[0])
        same++;
    return same == secret.n;
}

/* How one byte is written. Returns the bytes put to out (room for MAX_GROWTH). */
typedef size_t (*byte_writer)(uint8_t byte, uint8_t *out, const char *hex);

static const char lower_hex[] = "0123456789abcdef", upper_hex[] = "0123456789ABCDEF";

static size_t write_plain(uint8_t byte, uint8_t *out, const char *hex)
{
    (void)hex;
    out[0] = byte;
    return 1;
}

static size_t write_percent(uint8_t byte, uint8_t *out, const char *hex)
{
    out[0] = '%';
    out[1] = (uint8_t)hex[byte >> 4];
    out[2] = (uint8_t)hex[byte & 15];
    return 3;
}

static size_t write_percent_reserved(uint8_t byte, uint8_t *out, const char *hex)
{
    bool unreserved = byte < 0x80 && (isalnum(byte) || (byte && strchr("-._~", byte)));
    return unreserved ? write_plain(byte, out, hex) : write_percent(byte, out, hex);
}

static size_t write_backslash(uint8_t byte, uint8_t *out)
{
    out[0] = '\\';
    out[1] = byte;
    return 2;
}

static size_t write_json(uint8_t byte, uint8_t *out, const char *hex)
{
    return byte == '"' || byte == '\\' ? write_backslash(byte, out) : write_plain(byte, out, hex);
}

static size_t write_json_slash(uint8_t byte, uint8_t *out, const char *hex)
{
    return byte == '/' ? write_backslash(byte, out) : write_json(byte, out, hex);
}

static size_t write_json_html(uint8_t byte, uint8_t *out, const char *hex)
{
    if (!byte || !strchr("<>&'+=", byte))
        return write_json(byte, out, hex);
    memcpy(out, "\\u00", 4);
    out[4] = (uint8_t)hex[byte >> 4];
    out[5] = (uint8_t)hex[byte & 15];
    return 6;
}

struct form_writer {
    byte_writer write;
    const char *hex, *rule;
};

static const struct form_writer writers[] = {
    {write_plain, lower_hex, "plain"},
    {write_percent, upper_hex, "percent"},
    {write_percent, lower_hex, "percent"},
    {write_percent_reserved, upper_hex, "percent"},
    {write_percent_reserved, lower_hex, "percent"},
    {write_json, lower_hex, "json"},
    {write_json_slash, lower_hex, "json"},
    {write_json_html, lower_hex, "json"},
    {write_json_html, upper_hex, "json"},
};

static unsigned bit_of(struct tt_view secret, size_t bit)
{
    return ((unsigned)secret.p[bit / 8] >> (7 - bit % 8)) & 1u;
}

/* The characters that `secret` alone decides when `before` bytes stand in front of it in the encoded text. */
static size_t write_base64(struct tt_view secret, size_t before, const char *last_two, uint8_t *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    size_t first = (before * 8 + 5) / 6, end = (before + secret.n) * 8 / 6, n = 0;
    for (size_t c = first; c < end; c++) {
        unsigned value = 0;
        for (size_t bit = c * 6; bit < c * 6 + 6; bit++)
            value = value << 1 | bit_of(secret, bit - before * 8);
        out[n++] = (uint8_t)(value < 62 ? letters[value] : last_two[value - 62]);
    }
    return n;
}

bool redact_forms_each(struct tt_view secret, redact_form_taker take, void *ctx)
{
    uint8_t *form = malloc(secret.n * MAX_GROWTH + 8);
    bool good = form != NULL;
    for (size_t k = 0; good && k < sizeof writers / sizeof *writers; k++) {
        size_t n = 0;
        for (size_t i = 0; i < secret.n; i++)
            n += writers[k].write(secret.p[i], form + n, writers[k].hex);
        good = take(ctx, tt_view_of(form, n), writers[k].rule);
    }
    for (size_t before = 0; good && before < 3; before++) {
        good = take(ctx, tt_view_of(form, write_base64(secret, before, "+/", form)), "base64") &&
               take(ctx, tt_view_of(form, write_base64(secret, before, "-_", form)), "base64");
    }
    if (form)
        explicit_bzero(form, secret.n * MAX_GROWTH + 8);
    free(form);
    return good;
}
