#include "json.h"

/* What the grammar allows next. A key is taken with its colon, so that a value
 * is what follows JSON_KEY. */
enum expect {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* just behind '[' */
    EXPECT_KEY_OR_END,   /* just behind '{' */
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* the one value is complete */
    EXPECT_FAILED
};

void json_begin(struct json_reader *r, struct tt_view text)
{
    static const uint8_t nothing[1] = {0};
    r->start = r->at = text.p ? text.p : nothing;
    r->end = r->start + text.n;
    r->raw = tt_view_of(NULL, 0);
    r->fault = NULL;
    r->fault_offset = 0;
    r->depth = 0;
    r->expect = EXPECT_VALUE;
    memset(r->is_object, 0, sizeof r->is_object);
}

static enum json_token fail_at(struct json_reader *r, const uint8_t *at, const char *fault)
{
    r->fault = fault;
    r->fault_offset = (size_t)(at - r->start);
    r->at = at;
    r->expect = EXPECT_FAILED;
    return JSON_ERROR;
}

static inline const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

static bool in_object(const struct json_reader *r)
{
    unsigned level = r->depth - 1;
    return r->is_object[level / 64] >> (level % 64) & 1;
}

/* A finished value: what may follow depends on where it stands. */
static void end_value(struct json_reader *r)
{
    r->expect = r->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static enum json_token open_level(struct json_reader *r, bool object)
{
    if (r->depth == JSON_MAX_DEPTH)
        return fail_at(r, r->at, "nested too deeply");
    uint64_t bit = (uint64_t)1 << (r->depth % 64);
    uint64_t *word = &r->is_object[r->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    r->depth++;
    r->at++;
    r->expect = object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    return object ? JSON_OBJECT_BEGIN : JSON_ARRAY_BEGIN;
}

static enum json_token close_level(struct json_reader *r)
{
    enum json_token token = in_object(r) ? JSON_OBJECT_END : JSON_ARRAY_END;
    r->depth--;
    r->at++;
    end_value(r);
    return token;
}

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of the escape at p (which is a backslash), 0 when it is none. */
static size_t escape_length(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 2)
        return 0;
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 2;
    case 'u':
        return end - p >= 6 && is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? 6 : 0;
    default:
        return 0;
    }
}

/* How many of the eight bytes at p come before the first quote, backslash or control
 * character (the usual "has a byte less than n" tests: borrows can only mark bytes behind
 * a real hit, so the first hit is exact). */
static inline unsigned plain_of_eight(const uint8_t *p)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
    uint64_t hit = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((w - ones * 0x20) & ~w);
    hit &= highs;
    return hit ? (unsigned)__builtin_ctzll(hit) / 8 : 8;
}

/* The first byte from p on that ends a run of plain ones, or end. */
static const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 8) {
        unsigned n = plain_of_eight(p);
        p += n;
        if (n < 8)
            return p;
    }
    while (p < end && *p != '"' && *p != '\\' && *p >= 0x20)
        p++;
    return p;
}

/* r->at is at the opening quote. Leaves raw and steps behind the closing one. */
static bool take_text(struct json_reader *r)
{
    const uint8_t *start = r->at + 1, *p = start, *end = r->end;
    for (;;) {
        p = skip_plain(p, end);
        if (p == end)
            return fail_at(r, p, "the text ends inside a string");
        if (*p == '"')
            break;
        if (*p < 0x20)
            return fail_at(r, p, "control character in a string");
        size_t n = escape_length(p, end);
        if (n == 0)
            return fail_at(r, p, "bad escape in a string");
        p += n;
    }
    r->raw = tt_view_of(start, (size_t)(p - start));
    r->at = p + 1;
    return true;
}

static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static enum json_token take_number(struct json_reader *r)
{
    const uint8_t *start = r->at, *end = r->end;
    const uint8_t *p = *start == '-' ? start + 1 : start;
    const uint8_t *digits = p;
    p = p < end && *p == '0' ? p + 1 : skip_digits(p, end);
    if (p == digits)
        return fail_at(r, p, "a number without digits");
    if (p < end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits)
            return fail_at(r, p, "a fraction without digits");
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        digits = p;
        p = skip_digits(p, end);
        if (p == digits)
            return fail_at(r, p, "an exponent without digits");
    }
    r->raw = tt_view_of(start, (size_t)(p - start));
    r->at = p;
    end_value(r);
    return JSON_NUMBER;
}

static enum json_token take_word(struct json_reader *r, const char *word, enum json_token token)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return fail_at(r, r->at, "not a JSON value");
    r->raw = tt_view_of(r->at, n);
    r->at += n;
    end_value(r);
    return token;
}

static enum json_token take_value(struct json_reader *r)
{
    if (r->at == r->end)
        return fail_at(r, r->at, "the text ends where a value is due");
    switch (*r->at) {
    case '"':
        if (!take_text(r))
            return JSON_ERROR;
        end_value(r);
        return JSON_STRING;
    case '{':
        return open_level(r, true);
    case '[':
        return open_level(r, false);
    case 't':
        return take_word(r, "true", JSON_TRUE);
    case 'f':
        return take_word(r, "false", JSON_FALSE);
    case 'n':
        return take_word(r, "null", JSON_NULL);
    default:
        if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
            return take_number(r);
        return fail_at(r, r->at, "not a JSON value");
    }
}

static enum json_token take_key(struct json_reader *r)
{
    if (r->at == r->end || *r->at != '"')
        return fail_at(r, r->at, "a key is due");
    if (!take_text(r))
        return JSON_ERROR;
    const uint8_t *p = skip_space(r->at, r->end);
    if (p == r->end || *p != ':')
        return fail_at(r, p, "a colon is due");
    r->at = p + 1;
    r->expect = EXPECT_VALUE;
    return JSON_KEY;
}

static enum json_token take_next(struct json_reader *r)
{
    bool object = in_object(r);
    if (r->at == r->end)
        return fail_at(r, r->at, "the text ends inside an object or array");
    if (*r->at == (object ? '}' : ']'))
        return close_level(r);
    if (*r->at != ',')
        return fail_at(r, r->at, "a comma or the end of the object or array is due");
    r->at = skip_space(r->at + 1, r->end);
    return object ? take_key(r) : take_value(r);
}

enum json_token json_next(struct json_reader *r)
{
    if (r->expect == EXPECT_FAILED)
        return JSON_ERROR;
    r->at = skip_space(r->at, r->end);
    switch (r->expect) {
    case EXPECT_COMMA_OR_END:
        return take_next(r);
    case EXPECT_KEY_OR_END:
        return r->at < r->end && *r->at == '}' ? close_level(r) : take_key(r);
    case EXPECT_VALUE_OR_END:
        return r->at < r->end && *r->at == ']' ? close_level(r) : take_value(r);
    case EXPECT_NOTHING:
        return r->at == r->end ? JSON_END : fail_at(r, r->at, "something follows the value");
    default:
        return take_value(r);
    }
}

bool json_skip(struct json_reader *r, enum json_token token)
{
    switch (token) {
    case JSON_OBJECT_BEGIN:
    case JSON_ARRAY_BEGIN:
        for (unsigned outside = r->depth - 1; r->depth > outside;)
            if (json_next(r) == JSON_ERROR)
                return false;
        return true;
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        return true;
    default:
        return false;
    }
}
