#include "ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALIGN 8u

/* Before each entry. A gap fills the end of the ring when an entry does not fit there. */
struct entry_head {
    uint32_t size; /* with this head, a multiple of ALIGN */
    uint32_t length_or_gap;
};

#define GAP UINT32_MAX

struct ring {
    uint8_t *bytes;
    size_t capacity;
    /* The producer's line: `written` counts bytes ever committed. */
    _Alignas(64) _Atomic uint64_t written;
    _Atomic uint64_t high_water;
    uint64_t released_seen; /* the producer's last look at `released` */
    size_t write_at;
    uint32_t pending; /* size of the reserved entry, 0: none */
    uint32_t pending_gap;
    /* The consumer's line. */
    _Alignas(64) _Atomic uint64_t released;
    size_t read_at;
};

struct ring *ring_create(size_t bytes)
{
    size_t page = 4096;
    struct ring *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
    if (!r)
        return NULL;
    *r = (struct ring){.capacity = (bytes + page - 1) / page * page};
    void *map = mmap(NULL, r->capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        free(r);
        return NULL;
    }
    r->bytes = map;
    return r;
}

void ring_free(struct ring *r)
{
    if (!r)
        return;
    munmap(r->bytes, r->capacity);
    free(r);
}

static void put_head(struct ring *r, size_t at, uint32_t size, uint32_t length_or_gap)
{
    struct entry_head *head = (struct entry_head *)(void *)(r->bytes + at);
    head->size = size;
    head->length_or_gap = length_or_gap;
}

static bool fits(struct ring *r, size_t need)
{
    uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
    if (need <= r->capacity - (size_t)(written - r->released_seen))
        return true;
    r->released_seen = atomic_load_explicit(&r->released, memory_order_acquire);
    return need <= r->capacity - (size_t)(written - r->released_seen);
}

void *ring_reserve(struct ring *r, size_t n, size_t keep_free)
{
    assert(n > 0 && n < GAP - 64);
    size_t size = (sizeof(struct entry_head) + n + ALIGN - 1) / ALIGN * ALIGN;
    size_t to_end = r->capacity - r->write_at;
    size_t gap = size > to_end ? to_end : 0;
    if (!fits(r, gap + size + keep_free))
        return NULL;
    if (gap)
        put_head(r, r->write_at, (uint32_t)gap, GAP);
    size_t at = gap ? 0 : r->write_at;
    put_head(r, at, (uint32_t)size, (uint32_t)n);
    r->pending = (uint32_t)size;
    r->pending_gap = (uint32_t)gap;
    return r->bytes + at + sizeof(struct entry_head);
}

void ring_commit(struct ring *r)
{
    assert(r->pending);
    r->write_at = (r->pending_gap ? 0 : r->write_at) + r->pending;
    if (r->write_at == r->capacity)
        r->write_at = 0;
    uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed) + r->pending + r->pending_gap;
    atomic_store_explicit(&r->written, written, memory_order_release);
    r->pending = 0;
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

size_t ring_capacity(const struct ring *r)
{
    return r->capacity;
}

size_t ring_take_high_water(struct ring *r)
{
    return (size_t)atomic_exchange_explicit(&r->high_water, 0, memory_order_relaxed);
}

static struct entry_head *head_at_read(struct ring *r)
{
    return (struct entry_head *)(void *)(r->bytes + r->read_at);
}

static void pass_entry(struct ring *r)
{
    uint32_t size = head_at_read(r)->size;
    r->read_at += size;
    if (r->read_at == r->capacity)
        r->read_at = 0;
    uint64_t released = atomic_load_explicit(&r->released, memory_order_relaxed);
    atomic_store_explicit(&r->released, released + size, memory_order_release);
}

void *ring_peek(struct ring *r, size_t *n)
{
    for (;;) {
        uint64_t released = atomic_load_explicit(&r->released, memory_order_relaxed);
        if (atomic_load_explicit(&r->written, memory_order_acquire) == released)
            return NULL;
        struct entry_head *head = head_at_read(r);
        if (head->length_or_gap != GAP) {
            *n = head->length_or_gap;
            return (uint8_t *)head + sizeof(*head);
        }
        pass_entry(r);
    }
}

void ring_release(struct ring *r)
{
    pass_entry(r);
}
