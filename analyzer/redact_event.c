#include "redact_event.h"

#include <stdlib.h>
#include <string.h>

#include "sse.h"

/* Data lines of an event, joined with LF as the grammar has it. One alone, the usual
 * case, is viewed where it stands. */
struct data {
    struct redact_place one;
    size_t lines;
    uint8_t *bytes; /* of several, owned */
    uint8_t **at;
    size_t n, room;
    bool failed; /* no memory to join them */
};

static bool begins(struct redact_place w, const char *word)
{
    size_t n = strlen(word);
    return w.n >= n && memcmp(w.bytes, word, n) == 0;
}

static bool equals(struct redact_place w, const char *word)
{
    return w.n == strlen(word) && begins(w, word);
}

static void join(struct data *d, struct redact_place line)
{
    static uint8_t *const nowhere = NULL;
    static const uint8_t line_end = '\n';
    size_t need = d->n + line.n + 1;
    if (need > d->room) {
        size_t room = 2 * need;
        uint8_t *bytes = realloc(d->bytes, room);
        if (bytes)
            d->bytes = bytes;
        uint8_t **at = realloc(d->at, room * sizeof *at);
        if (at)
            d->at = at;
        d->failed = !bytes || !at;
        if (d->failed)
            return;
        d->room = room;
    }
    if (d->n > 0) {
        d->bytes[d->n] = line_end;
        d->at[d->n++] = nowhere;
    }
    if (line.n > 0) {
        memcpy(d->bytes + d->n, line.bytes, line.n);
        memcpy(d->at + d->n, line.at, line.n * sizeof *line.at);
    }
    d->n += line.n;
}

static void take_data(struct data *d, struct redact_place value)
{
    if (++d->lines == 1) {
        d->one = value;
        return;
    }
    if (d->lines == 2)
        join(d, d->one);
    if (!d->failed)
        join(d, value);
}

/* Behind the colon, and a space if there is one. */
static size_t value_of(struct redact_place line, size_t colon)
{
    size_t at = colon + 1;
    return at < line.n && line.bytes[at] == ' ' ? at + 1 : at;
}

/* A field that the grammar does not know; errors are written so (see stream.h). */
static void take_unknown(struct redact_place line, const struct redact_json_rules *rules)
{
    static const char field[] = "error:";
    size_t n = sizeof field - 1;
    if (begins(line, field)) {
        redact_place_keep(line, 0, n);
        redact_json(redact_place_part(line, n, line.n - n), rules);
    } else if (line.bytes[0] == '{') {
        redact_json(line, rules);
    } else {
        redact_place_blur(line);
    }
}

/* Not empty, without its line end. */
static void take_line(struct redact_place line, struct data *data, const struct redact_json_rules *rules)
{
    const uint8_t *found = memchr(line.bytes, ':', line.n);
    size_t colon = found ? (size_t)(found - line.bytes) : line.n;
    struct redact_place name = redact_place_part(line, 0, colon);
    size_t from = found ? value_of(line, colon) : line.n;
    struct redact_place value = redact_place_part(line, from, line.n - from);
    bool is_data = equals(name, "data"), is_event = equals(name, "event");
    if (!is_data && !is_event && colon > 0 && !equals(name, "id") && !equals(name, "retry")) {
        take_unknown(line, rules);
        return;
    }
    redact_place_keep(line, 0, from);
    if (is_data)
        take_data(data, value);
    else if (equals(name, "retry") || (is_event && equals(value, "error")))
        redact_place_keep(value, 0, value.n);
    else
        redact_place_blur(value);
}

static void end_data(struct data *d, const struct redact_json_rules *rules)
{
    if (d->lines == 0)
        return;
    bool done = sse_value_is_done(tt_view_of(d->one.bytes, d->one.n));
    if (d->lines > 1 && !d->failed)
        redact_json((struct redact_place){d->bytes, d->at, d->n}, rules);
    else if (d->lines == 1 && !done)
        redact_json(d->one, rules);
    if (done) /* read at its line end, whatever follows */
        redact_place_keep(d->one, 0, d->one.n);
    free(d->bytes);
    free(d->at);
}

void redact_event(struct redact_place event, bool first, const struct redact_json_rules *rules)
{
    struct data data = {.lines = 0};
    size_t from = first && begins(event, "\xef\xbb\xbf") ? 3 : 0;
    redact_place_keep(event, 0, from);
    while (from < event.n) {
        size_t to = from;
        while (to < event.n && event.bytes[to] != '\n' && event.bytes[to] != '\r')
            to++;
        if (to > from)
            take_line(redact_place_part(event, from, to - from), &data, rules);
        redact_place_keep(event, to, to < event.n);
        from = to + 1;
    }
    end_data(&data, rules);
}
