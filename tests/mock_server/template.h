/* Payload text with ${...} parts, compiled once and rendered at each send. */
#ifndef MOCK_TEMPLATE_H
#define MOCK_TEMPLATE_H

#include "buffer.h"

#define STAMP_DIGITS 19 /* CLOCK_MONOTONIC ns, zero padded, so that a length never depends on it */

enum part_kind {
    PART_TEXT,
    PART_I,
    PART_N,
    PART_INDEX,
    PART_MARKER,
    PART_WORDS,
    PART_STAMP,
    PART_AUTH,
    PART_PROMPT_TOKENS,
    PART_OUTPUTS,
    PART_TOTAL_TOKENS
};

struct part {
    enum part_kind kind;
    struct buffer text; /* PART_TEXT */
    unsigned piece,
        of; /* PART_MARKER: the piece-th of `of` equal pieces, piece 0: by the loop counter; of 0: all of it */
};

struct template
{
    struct part *parts;
    size_t n;
};

/* What the parts are filled with. */
struct values {
    uint64_t i, n, words, prompt_tokens, outputs;
    const char *marker, *index, *auth;
};

/* Where rendered stamps lie in the output, to be patched just before write(). */
struct stamps {
    size_t *at;
    size_t n, cap;
};

/* Compiles `n` bytes of text; with `escapes`, \r \n \t \0 \" \\ \xNN are read. Returns NULL or what is wrong. */
const char *template_compile(struct template *t, const char *text, size_t n, int escapes);
void template_text(struct template *t, const char *text, size_t n); /* appended as it stands */
void template_render(const struct template *t, const struct values *v, struct buffer *out, struct stamps *stamps);
void template_free(struct template *t);

void stamps_patch(struct stamps *s, char *bytes, uint64_t now_ns); /* and forgets them */

#endif
