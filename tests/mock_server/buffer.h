/* A growing byte buffer. Running out of memory ends the program: it is a test tool. */
#ifndef MOCK_BUFFER_H
#define MOCK_BUFFER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    char *p;
    size_t n, cap;
};

void buffer_append(struct buffer *b, const void *p, size_t n);
void buffer_text(struct buffer *b, const char *text);
__attribute__((format(printf, 2, 3))) void buffer_format(struct buffer *b, const char *format, ...);
void buffer_json(struct buffer *b, const char *text); /* as a quoted JSON string */
void buffer_drop(struct buffer *b, size_t n);         /* the first n bytes */
void buffer_free(struct buffer *b);

/* Prints one line and exits 2. */
__attribute__((format(printf, 1, 2), noreturn)) void mock_die(const char *format, ...);
void *mock_grow(void *p, size_t bytes);
uint64_t mock_now_ns(void); /* CLOCK_MONOTONIC */

#endif
