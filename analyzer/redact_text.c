#include "redact_text.h"

#include "json.h"
#include "observe.h"
#include "unicode.h"
#include "utf8.h"

#include <stdlib.h>

#define CELL_BYTES 6u /* of one ASCII character: itself, or \u0041 */
#define WORD_CHARS 4u
#define MARKER_CHARS OBSERVE_MAX_MARKER_BYTES
#define FIRST_MARKER_CHARS 16u

static const char prefix[] = "ANVIL_REQ_";
static const char code_word[WORD_CHARS + 1] = "code";
#define PREFIX_CHARS (sizeof prefix - 1)
#define INDEX_DIGITS 5u

/* A character that may yet turn out to be worth keeping. */
struct cell {
    uint8_t *at[CELL_BYTES];
    uint8_t bytes[CELL_BYTES];
    uint8_t n;
};

struct redact_keeper {
    bool markers, code_words;
    /* a marker that has begun: its characters, and how many digits of the index */
    struct cell *marker; /* from the first one on; NULL between markers: thousands of answers have a keeper each */
    size_t marker_chars, marker_room;
    size_t *held_chars; /* room of all markers of a tape that have begun */
    bool failed;
    bool has_seed, in_index;
    unsigned index_digits;
    /* the word in hand, while it begins `code` */
    bool in_word, word_fits;
    struct cell *word; /* WORD_CHARS of them */
    size_t word_chars;
};

struct redact_keeper *redact_keeper_create(bool markers, bool code_words, size_t *held_chars)
{
    struct redact_keeper *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->markers = markers;
    k->code_words = code_words;
    k->held_chars = held_chars;
    k->word = code_words ? calloc(WORD_CHARS, sizeof *k->word) : NULL;
    if (!code_words || k->word)
        return k;
    free(k);
    return NULL;
}

static void begin_marker(struct redact_keeper *k)
{
    *k->held_chars -= k->marker_room;
    free(k->marker);
    k->marker = NULL;
    k->marker_chars = k->marker_room = 0;
    k->has_seed = k->in_index = false;
    k->index_digits = 0;
}

void redact_keeper_free(struct redact_keeper *k)
{
    if (!k)
        return;
    begin_marker(k);
    free(k->word);
    free(k);
}

/* Room for one character more; false when markers that have begun hold too much already. */
static bool grow_marker(struct redact_keeper *k)
{
    size_t room = k->marker_room ? 2 * k->marker_room : FIRST_MARKER_CHARS;
    if (room - k->marker_room > REDACT_MAX_MARKER_CHARS - *k->held_chars)
        return false;
    struct cell *marker = realloc(k->marker, room * sizeof *marker);
    k->failed = k->failed || !marker;
    if (!marker)
        return false;
    *k->held_chars += room - k->marker_room;
    k->marker = marker;
    k->marker_room = room;
    return true;
}

static void restore(const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < cells[i].n; b++)
            if (cells[i].at[b])
                *cells[i].at[b] = cells[i].bytes[b];
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

/* ANVIL_REQ_-?[0-9]+_[0-9]{5}, as observe.c reads it, but for the word boundary behind
 * it: filler keeps that as it was. */
static bool marker_goes_on(struct redact_keeper *k, uint32_t c)
{
    if (k->marker_chars < PREFIX_CHARS)
        return c == (uint8_t)prefix[k->marker_chars];
    if (k->in_index) {
        k->index_digits++;
        return is_digit(c);
    }
    if (c == '-')
        return k->marker_chars == PREFIX_CHARS;
    if (c == '_' && k->has_seed) {
        k->in_index = true;
        return true;
    }
    k->has_seed = true;
    return is_digit(c);
}

static void look_for_marker(struct redact_keeper *k, uint32_t c, const struct cell *cell)
{
    if (k->marker_chars > 0 && (k->marker_chars == MARKER_CHARS || !marker_goes_on(k, c)))
        begin_marker(k);
    if (k->marker_chars == 0 && c != (uint8_t)prefix[0])
        return;
    if (k->marker_chars == k->marker_room && !grow_marker(k)) {
        begin_marker(k);
        return;
    }
    k->marker[k->marker_chars++] = *cell;
    if (k->index_digits < INDEX_DIGITS)
        return;
    restore(k->marker, k->marker_chars);
    begin_marker(k);
}

static void end_word(struct redact_keeper *k)
{
    if (k->in_word && k->word_fits && k->word_chars == WORD_CHARS)
        restore(k->word, k->word_chars);
    k->in_word = false;
}

static void look_at_word(struct redact_keeper *k, uint32_t c, const struct cell *cell)
{
    if (unicode_is_space(c)) {
        end_word(k);
        return;
    }
    if (!k->in_word) {
        k->in_word = k->word_fits = true;
        k->word_chars = 0;
    }
    k->word_fits = k->word_fits && k->word_chars < WORD_CHARS && c == (uint8_t)code_word[k->word_chars];
    if (k->word_fits)
        k->word[k->word_chars++] = *cell;
}

/* Only ASCII is ever restored, so a longer character needs no cell. */
static void look(struct redact_keeper *k, uint32_t c, struct redact_place raw)
{
    struct cell cell = {.n = (uint8_t)(raw.n <= CELL_BYTES ? raw.n : 0)};
    for (size_t i = 0; i < cell.n; i++) {
        cell.at[i] = raw.at[i];
        cell.bytes[i] = raw.bytes[i];
    }
    if (k->markers)
        look_for_marker(k, c, &cell);
    if (k->code_words)
        look_at_word(k, c, &cell);
}

void redact_keeper_end(struct redact_keeper *k)
{
    if (k->code_words)
        end_word(k);
}

bool redact_keeper_failed(const struct redact_keeper *k)
{
    return k->failed;
}

static void put_all(struct redact_place raw, const char *filler)
{
    for (size_t i = 0; i < raw.n; i++)
        redact_place_put(raw, i, (uint8_t)filler[i]);
}

static bool is_low_surrogate(const uint8_t *hex)
{
    return (hex[0] == 'd' || hex[0] == 'D') && ((hex[1] >= 'c' && hex[1] <= 'f') || (hex[1] >= 'C' && hex[1] <= 'F'));
}

static bool is_surrogate(const uint8_t *hex)
{
    return (hex[0] == 'd' || hex[0] == 'D') && hex[1] >= '8';
}

/* Of each length in UTF-8, the same as put_literal() has. */
static void put_escape(struct redact_place raw, uint32_t c)
{
    static const char *const words[] = {"\\u0078", "\\u00e0", "\\u4820"};
    static const char *const others[] = {"\\u0021", "\\u00a1", "\\u2026"};
    bool word = unicode_is_word(c);
    if (raw.n == 2) /* a quote, a slash, a control character */
        redact_place_keep(raw, 0, raw.n);
    else if (raw.n == 12)
        put_all(raw, word ? "\\ud842\\udc20" : "\\ud83d\\ude00");
    else if (is_surrogate(raw.bytes + 2)) /* without its other half: U+FFFD, and stays so */
        put_all(raw, is_low_surrogate(raw.bytes + 2) ? "\\udc00" : "\\ud800");
    else
        put_all(raw, word ? words[utf8_length(c) - 1] : others[utf8_length(c) - 1]);
}

/* Of each length one word character and one other. */
static void put_literal(struct redact_place raw, uint32_t c)
{
    static const char *const words[] = {"x", "\xc3\xa0", "\xe4\xa0\xa0", "\xf0\xa0\xa0\xa0"};
    static const char *const others[] = {"!", "\xc2\xa1", "\xe2\x80\xa6", "\xf0\x9f\x98\x80"};
    if (raw.n > 4 || utf8_length(c) != raw.n || (c == UTF8_REPLACEMENT && raw.bytes[0] != 0xef))
        redact_place_keep(raw, 0, raw.n); /* no character at all: it says nothing */
    else
        put_all(raw, unicode_is_word(c) ? words[raw.n - 1] : others[raw.n - 1]);
}

void redact_text(struct redact_place raw, struct redact_keeper *keeper)
{
    struct tt_view rest = tt_view_of(raw.bytes, raw.n);
    for (size_t from = 0; rest.n > 0;) {
        uint32_t c = json_string_next(&rest);
        struct redact_place one = redact_place_part(raw, from, (size_t)(rest.p - raw.bytes) - from);
        if (unicode_is_space(c))
            redact_place_keep(one, 0, one.n);
        else if (one.bytes[0] == '\\')
            put_escape(one, c);
        else
            put_literal(one, c);
        if (keeper)
            look(keeper, c, one);
        from += one.n;
    }
}
