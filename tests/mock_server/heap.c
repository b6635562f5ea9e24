#include "heap.h"

#include <stdlib.h>

static void place(struct heap *h, size_t at, struct conn *c)
{
    h->at[at] = c;
    c->heap_at = at;
}

static void rise(struct heap *h, size_t at, struct conn *c)
{
    for (; at > 1 && h->at[at / 2]->wake_ns > c->wake_ns; at /= 2)
        place(h, at, h->at[at / 2]);
    place(h, at, c);
}

static void sink(struct heap *h, size_t at, struct conn *c)
{
    for (size_t child; (child = 2 * at) <= h->n; at = child) {
        if (child < h->n && h->at[child + 1]->wake_ns < h->at[child]->wake_ns)
            child++;
        if (h->at[child]->wake_ns >= c->wake_ns)
            break;
        place(h, at, h->at[child]);
    }
    rise(h, at, c);
}

void heap_set(struct heap *h, struct conn *c)
{
    if (c->heap_at) {
        sink(h, c->heap_at, c);
        return;
    }
    if (h->n + 2 > h->cap) {
        h->cap = h->cap ? 2 * h->cap : 64;
        h->at = mock_grow(h->at, h->cap * sizeof(struct conn *));
    }
    rise(h, ++h->n, c);
}

void heap_remove(struct heap *h, struct conn *c)
{
    size_t at = c->heap_at;
    if (!at)
        return;
    struct conn *last = h->at[h->n--];
    c->heap_at = 0;
    if (last != c)
        sink(h, at, last);
}

struct conn *heap_first(const struct heap *h)
{
    return h->n ? h->at[1] : NULL;
}

void heap_free(struct heap *h)
{
    free(h->at);
    *h = (struct heap){0};
}
