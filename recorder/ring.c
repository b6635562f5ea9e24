#include "ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALIGN 8u
#define SEGMENTS_LEAST 16u
#define SEGMENT_MOST_BYTES ((size_t)256 << 10)
#define SEGMENT_LEAST_BYTES ((size_t)512)

/* Before each entry. With no length it says that the rest of the segment is empty. */
struct entry_head {
    uint32_t size; /* with this head, a multiple of ALIGN */
    uint32_t length;
};

#define REST 0u

struct ring {
    uint8_t *bytes;
    size_t segment_bytes;
    uint32_t segments;
    uint32_t *order; /* the k-th segment ever filled is order[k % segments] */
    /* The producer's line: `written` counts bytes ever committed, lost ends of segments among them. */
    _Alignas(64) _Atomic uint64_t written;
    _Atomic uint64_t high_water;
    uint64_t released_seen; /* the producer's last look at `released` */
    uint64_t begun;         /* segments ever begun; the last of them is being filled */
    uint64_t reclaimed;     /* of those read to their end, how many are on the stack again */
    uint32_t *stack;        /* free segments, the one used last on top */
    uint32_t stacked;
    size_t write_at;       /* in the segment */
    uint32_t pending;      /* size of the reserved entry, 0: none */
    uint32_t pending_lost; /* bytes of the segment left behind for it */
    /* The consumer's line. */
    _Alignas(64) _Atomic uint64_t released;
    _Atomic uint64_t emptied; /* segments read to their end */
    size_t read_at;
};

static void stack_all(struct ring *r)
{
    for (uint32_t i = 0; i < r->segments; i++)
        r->stack[i] = r->segments - 1 - i;
    r->stacked = r->segments;
}

static void begin_segment(struct ring *r)
{
    r->order[r->begun++ % r->segments] = r->stack[--r->stacked];
    r->write_at = 0;
}

struct ring *ring_create(size_t bytes)
{
    struct ring *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
    if (!r)
        return NULL;
    size_t segment = bytes / SEGMENTS_LEAST / ALIGN * ALIGN;
    segment = segment > SEGMENT_MOST_BYTES ? SEGMENT_MOST_BYTES : segment;
    segment = segment < SEGMENT_LEAST_BYTES ? SEGMENT_LEAST_BYTES : segment;
    *r = (struct ring){.segment_bytes = segment, .segments = (uint32_t)((bytes + segment - 1) / segment) + 1};
    r->order = calloc(r->segments, sizeof(*r->order));
    r->stack = calloc(r->segments, sizeof(*r->stack));
    void *map =
        mmap(NULL, r->segments * segment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    r->bytes = map == MAP_FAILED ? NULL : map;
    if (!r->bytes || !r->order || !r->stack) {
        ring_free(r);
        return NULL;
    }
    stack_all(r);
    begin_segment(r);
    return r;
}

void ring_free(struct ring *r)
{
    if (!r)
        return;
    if (r->bytes)
        munmap(r->bytes, ring_capacity(r));
    free(r->order);
    free(r->stack);
    free(r);
}

size_t ring_capacity(const struct ring *r)
{
    return r->segments * r->segment_bytes;
}

size_t ring_largest_entry(const struct ring *r)
{
    return r->segment_bytes - sizeof(struct entry_head);
}

static struct entry_head *head_at(struct ring *r, uint64_t segment, size_t at)
{
    return (struct entry_head *)(void *)(r->bytes + r->order[segment % r->segments] * r->segment_bytes + at);
}

static size_t known_room(const struct ring *r)
{
    return r->segment_bytes - r->write_at + r->stacked * r->segment_bytes;
}

size_t ring_room(struct ring *r)
{
    uint64_t emptied = atomic_load_explicit(&r->emptied, memory_order_acquire);
    for (; r->reclaimed < emptied; r->reclaimed++)
        r->stack[r->stacked++] = r->order[r->reclaimed % r->segments];
    return known_room(r);
}

void *ring_reserve(struct ring *r, size_t n, size_t keep_free)
{
    assert(n > 0);
    if (n > ring_largest_entry(r))
        return NULL;
    size_t size = (sizeof(struct entry_head) + n + ALIGN - 1) / ALIGN * ALIGN;
    size_t to_end = r->segment_bytes - r->write_at;
    bool next = size > to_end;
    size_t need = (next ? to_end : 0) + size + keep_free;
    /* Looking before a segment is begun, not only when there is none left, is what keeps memory small. */
    size_t room = next || need > known_room(r) ? ring_room(r) : known_room(r);
    if (need > room)
        return NULL;
    if (next && to_end > 0)
        *head_at(r, r->begun - 1, r->write_at) = (struct entry_head){(uint32_t)to_end, REST};
    if (next) { /* `need` fits, so there is a free segment */
        begin_segment(r);
        r->pending_lost += (uint32_t)to_end;
    }
    struct entry_head *head = head_at(r, r->begun - 1, r->write_at);
    *head = (struct entry_head){(uint32_t)size, (uint32_t)n};
    r->pending = (uint32_t)size;
    return head + 1;
}

void ring_commit(struct ring *r)
{
    assert(r->pending);
    r->write_at += r->pending;
    uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed) + r->pending + r->pending_lost;
    atomic_store_explicit(&r->written, written, memory_order_release);
    r->pending = r->pending_lost = 0;
    /* released_seen may be old, so this may be too high a mark, never too low. */
    uint64_t used = written - r->released_seen;
    if (used > atomic_load_explicit(&r->high_water, memory_order_relaxed)) {
        r->released_seen = atomic_load_explicit(&r->released, memory_order_acquire);
        used = written - r->released_seen;
        if (used > atomic_load_explicit(&r->high_water, memory_order_relaxed))
            atomic_store_explicit(&r->high_water, used, memory_order_relaxed);
    }
}

size_t ring_used(const struct ring *r)
{
    uint64_t released = atomic_load_explicit(&r->released, memory_order_acquire);
    uint64_t written = atomic_load_explicit(&r->written, memory_order_acquire);
    return (size_t)(written - released);
}

size_t ring_take_high_water(struct ring *r)
{
    return (size_t)atomic_exchange_explicit(&r->high_water, 0, memory_order_relaxed);
}

static void release(struct ring *r, size_t bytes)
{
    uint64_t released = atomic_load_explicit(&r->released, memory_order_relaxed);
    r->read_at += bytes;
    atomic_store_explicit(&r->released, released + bytes, memory_order_release);
}

void *ring_peek(struct ring *r, size_t *n)
{
    for (;;) {
        uint64_t released = atomic_load_explicit(&r->released, memory_order_relaxed);
        if (atomic_load_explicit(&r->written, memory_order_acquire) == released)
            return NULL;
        uint64_t emptied = atomic_load_explicit(&r->emptied, memory_order_relaxed);
        struct entry_head *head = head_at(r, emptied, r->read_at);
        if (r->read_at < r->segment_bytes && head->length != REST) {
            *n = head->length;
            return head + 1;
        }
        if (r->read_at < r->segment_bytes)
            release(r, head->size);
        r->read_at = 0;
        atomic_store_explicit(&r->emptied, emptied + 1, memory_order_release);
    }
}

void ring_release(struct ring *r)
{
    release(r, head_at(r, atomic_load_explicit(&r->emptied, memory_order_relaxed), r->read_at)->size);
}
