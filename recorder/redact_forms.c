#include "redact_forms.h"

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

enum style { PLAIN, PERCENT, JSON };

/* How one kind of writer puts text. `set` besides letters and digits: what a percent-encoder keeps, or what a JSON
 * writer puts as \u00xx. */
struct writer {
    enum style style;
    bool every_byte; /* letters and digits are encoded too; the set means nothing */
    bool slash;      /* JSON: \/ */
    const char *set;
};

static const char punctuation[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

static const struct writer every_writer = {PERCENT, true, false, ""}, every_json_writer = {JSON, true, false, ""};
static const struct writer writers[] = {
    {PLAIN, false, false, ""},
    {PERCENT, false, false, "-._~"},                 /* RFC 3986 */
    {PERCENT, false, false, "-._~/"},                /* a path */
    {PERCENT, false, false, "-._*"},                 /* a form */
    {PERCENT, false, false, "-._~!*'()"},            /* encodeURIComponent */
    {PERCENT, false, false, "-._~!*'();/?:@&=+$,#"}, /* encodeURI */
    {JSON, false, false, ""},
    {JSON, false, true, ""},
    {JSON, false, false, "<>&"},
    {JSON, false, true, "<>&"},
    {JSON, false, false, "<>&='"},
    {JSON, false, false, "<>&'+="},
    {JSON, false, false, "<>&'+`\""},
    {JSON, false, true, "<>&'\""},
    {JSON, false, false, punctuation},
};

static bool is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static size_t put(uint8_t *out, const char *before, uint8_t byte, const char *hex)
{
    size_t n = strlen(before);
    memcpy(out, before, n);
    out[n] = (uint8_t)hex[byte >> 4];
    out[n + 1] = (uint8_t)hex[byte & 15];
    return n + 2;
}

static size_t put_escaped(uint8_t *out, uint8_t byte)
{
    out[0] = '\\';
    out[1] = byte;
    return 2;
}

/* Room for MAX_GROWTH. */
static size_t write_byte(const struct writer *w, uint8_t byte, const char *hex, uint8_t *out)
{
    bool in_set = byte && strchr(w->set, byte);
    if (w->style == PERCENT && (w->every_byte || !(is_alphanumeric(byte) || in_set)))
        return put(out, "%", byte, hex);
    if (w->style == JSON && (w->every_byte || in_set))
        return put(out, "\\u00", byte, hex);
    if (w->style == JSON && (byte == '"' || byte == '\\' || (byte == '/' && w->slash)))
        return put_escaped(out, byte);
    *out = byte;
    return 1;
}

struct taker {
    redact_form_taker take;
    void *ctx;
    uint8_t *form; /* room for the longest */
};

static bool write_form(const struct taker *t, const struct writer *w, struct tt_view text, const char *rule)
{
    static const char *const hex[] = {"0123456789abcdef", "0123456789ABCDEF"};
    static const char *const rules[] = {[PLAIN] = "plain", [PERCENT] = "percent", [JSON] = "json"};
    for (size_t k = 0; k < 2; k++) {
        size_t n = 0;
        for (size_t i = 0; i < text.n; i++)
            n += write_byte(w, text.p[i], hex[k], t->form + n);
        if (!t->take(t->ctx, tt_view_of(t->form, n), rule ? rule : rules[w->style]))
            return false;
    }
    return true;
}

/* rule NULL: each writer's own. */
static bool write_forms(const struct taker *t, struct tt_view text, const char *rule)
{
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++)
        if (!write_form(t, &writers[k], text, rule))
            return false;
    return true;
}

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

/* A base64 text holds characters that JSON and URLs may escape again. */
static bool write_base64_forms(const struct taker *t, struct tt_view secret, uint8_t *text)
{
    for (size_t before = 0; before < 3; before++) {
        if (!write_forms(t, tt_view_of(text, write_base64(secret, before, "+/", text)), "base64") ||
            !write_forms(t, tt_view_of(text, write_base64(secret, before, "-_", text)), "base64"))
            return false;
    }
    return true;
}

bool redact_forms_each(struct tt_view secret, redact_form_taker take, void *ctx)
{
    size_t base64_room = secret.n * 2 + 8, form_room = base64_room * MAX_GROWTH;
    uint8_t *room = malloc(base64_room + form_room);
    if (!room)
        return false;
    struct taker t = {take, ctx, room + base64_room};
    bool good = write_forms(&t, secret, NULL) && write_form(&t, &every_writer, secret, NULL) &&
                write_form(&t, &every_json_writer, secret, NULL) && write_base64_forms(&t, secret, room);
    explicit_bzero(room, base64_room + form_room);
    free(room);
    return good;
}
