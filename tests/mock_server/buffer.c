#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void mock_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "mock_server: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

void *mock_grow(void *p, size_t bytes)
{
    void *grown = realloc(p, bytes ? bytes : 1);
    if (!grown)
        mock_die("out of memory (%zu bytes)", bytes);
    return grown;
}

uint64_t mock_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void buffer_reserve(struct buffer *b, size_t more)
{
    if (b->cap - b->n >= more)
        return;
    size_t cap = b->cap ? b->cap : 512;
    while (cap - b->n < more)
        cap *= 2;
    b->p = mock_grow(b->p, cap);
    b->cap = cap;
}

void buffer_append(struct buffer *b, const void *p, size_t n)
{
    if (n == 0)
        return;
    buffer_reserve(b, n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void buffer_text(struct buffer *b, const char *text)
{
    buffer_append(b, text, strlen(text));
}

void buffer_format(struct buffer *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        mock_die("text too long for one line: %s", format);
    buffer_append(b, text, (size_t)n);
}

void buffer_json(struct buffer *b, const char *text)
{
    buffer_append(b, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            buffer_format(b, "\\%c", *c);
        else if (*c < 0x20 || *c >= 0x7f)
            buffer_format(b, "\\u%04x", *c);
        else
            buffer_append(b, c, 1);
    }
    buffer_append(b, "\"", 1);
}

void buffer_drop(struct buffer *b, size_t n)
{
    if (n < b->n)
        memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
}

void buffer_free(struct buffer *b)
{
    free(b->p);
    *b = (struct buffer){0};
}
