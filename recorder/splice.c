#include "splice.h"

#include <stdlib.h>
#include <string.h>

/* Newlines are all that JSON escapes in a prompt. Returns the bytes written. */
static size_t escape(uint8_t *out, const uint8_t *text, size_t n)
{
    uint8_t *to = out;
    while (n > 0) {
        const uint8_t *newline = memchr(text, '\n', n);
        size_t plain = newline ? (size_t)(newline - text) : n;
        memcpy(to, text, plain);
        to += plain;
        text += plain;
        n -= plain;
        if (newline) {
            memcpy(to, "\\n", 2);
            to += 2;
            text++;
            n--;
        }
    }
    return (size_t)(to - out);
}

static size_t count_newlines(const uint8_t *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += text[i] == '\n';
    return count;
}

uint8_t *splice_prompt(const char *frame, size_t at, const uint8_t *prompt, size_t chars, size_t *n)
{
    size_t length = strlen(frame), escaped = chars + count_newlines(prompt, chars);
    uint8_t *body = malloc(length + escaped);
    if (!body)
        return NULL;
    memcpy(body, frame, at);
    size_t end = at + escape(body + at, prompt, chars);
    memcpy(body + end, frame + at, length - at);
    *n = length + escaped;
    return body;
}
