#include "donemark.h"

#include <string.h>

#define WORD "[DONE]"
#define WORD_BYTES 6
#define FIELD "data:"
#define FIELD_BYTES 5

void donemark_begin(struct donemark *m)
{
    m->tail[0] = '\n'; /* a body begins at a line's start */
    m->tail_bytes = 1;
}

static bool stands_alone(const uint8_t *text, const uint8_t *word)
{
    size_t before = (size_t)(word - text);
    if (before > 0 && word[-1] == ' ') {
        before--;
        word--;
    }
    if (before < FIELD_BYTES + 1 || memcmp(word - FIELD_BYTES, FIELD, FIELD_BYTES) != 0)
        return false;
    uint8_t line_end = word[-FIELD_BYTES - 1];
    return line_end == '\n' || line_end == '\r';
}

/* By its second byte: capitals are rare in such a body, and memchr() takes a twentieth of the
 * instructions of memmem(), which builds a table for each call. */
static bool search(const uint8_t *text, size_t n)
{
    const uint8_t *at = text, *end = text + n;
    while ((at = memchr(at, WORD[1], (size_t)(end - at))) != NULL) {
        bool whole = at > text && (size_t)(end - at) >= WORD_BYTES - 1 && memcmp(at - 1, WORD, WORD_BYTES) == 0;
        if (whole && stands_alone(text, at - 1))
            return true;
        at++;
    }
    return false;
}

static void keep_tail(struct donemark *m, const uint8_t *bytes, size_t n)
{
    if (n >= DONEMARK_TAIL) {
        memcpy(m->tail, bytes + n - DONEMARK_TAIL, DONEMARK_TAIL);
        m->tail_bytes = DONEMARK_TAIL;
        return;
    }
    size_t keep = m->tail_bytes < DONEMARK_TAIL - n ? m->tail_bytes : DONEMARK_TAIL - n;
    memmove(m->tail, m->tail + m->tail_bytes - keep, keep);
    memcpy(m->tail + keep, bytes, n);
    m->tail_bytes = keep + n;
}

bool donemark_feed(struct donemark *m, const uint8_t *bytes, size_t n)
{
    uint8_t seam[2 * DONEMARK_TAIL];
    size_t head = n < DONEMARK_TAIL ? n : DONEMARK_TAIL;
    if (n == 0)
        return false;
    memcpy(seam, m->tail, m->tail_bytes);
    memcpy(seam + m->tail_bytes, bytes, head);
    bool found = search(seam, m->tail_bytes + head) || search(bytes, n);
    keep_tail(m, bytes, n);
    return found;
}
