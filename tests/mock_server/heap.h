/* Connections by the time they want to go on. */
#ifndef MOCK_HEAP_H
#define MOCK_HEAP_H

#include "conn.h"

struct heap {
    struct conn **at; /* from 1 on: conn.heap_at == 0 means "not in it" */
    size_t n, cap;
};

void heap_set(struct heap *h, struct conn *c); /* puts it in, or moves it, by wake_ns */
void heap_remove(struct heap *h, struct conn *c);
struct conn *heap_first(const struct heap *h); /* NULL when empty */
void heap_free(struct heap *h);

#endif
