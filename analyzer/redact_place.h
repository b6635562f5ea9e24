/* Bytes of an answer together with where each of them stands in the redacted copy.
 * Nothing stands there until it is put. */
#ifndef ANALYZER_REDACT_PLACE_H
#define ANALYZER_REDACT_PLACE_H

#include "../format/bytes.h"

struct redact_place {     /* a borrowed view */
    const uint8_t *bytes; /* as received */
    uint8_t *const *at;   /* n places; NULL: a byte that is not in the answer (a joined line end) */
    size_t n;
};

static inline struct redact_place redact_place_part(struct redact_place w, size_t from, size_t n)
{
    return (struct redact_place){w.bytes + from, w.at + from, n};
}

static inline void redact_place_put(struct redact_place w, size_t i, uint8_t byte)
{
    if (w.at[i])
        *w.at[i] = byte;
}

/* As received. */
static inline void redact_place_keep(struct redact_place w, size_t from, size_t n)
{
    for (size_t i = from; i < from + n; i++)
        redact_place_put(w, i, w.bytes[i]);
}

/* A byte of text of no known grammar: white space stays, letters, digits and bytes from
 * 0x80 on become 'x', the rest '!', which no name, number or JSON value begins with. */
uint8_t redact_blur_byte(uint8_t c);
void redact_place_blur(struct redact_place w);

#endif
