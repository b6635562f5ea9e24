#include "ahead.h"

struct slot {
    uint32_t order;
    struct body *body;
};

struct ahead {
    const struct workload *workload;
    struct slot *slots;
    uint32_t most;
    /* what is aimed at; written by the consumer */
    atomic_uint next, end, count;
    atomic_size_t bytes;
    /* the queue: slots[made % most] and slots[taken % most] */
    atomic_uint made, taken;
    atomic_size_t held_bytes;
    atomic_uint aimed;     /* how often ahead_aim() was called ... */
    atomic_uint satisfied; /* ... and by which of them the producer found nothing more to do */
    uint32_t built_to;     /* producer: the first order not built yet */
};

struct ahead *ahead_create(const struct workload *workload, uint32_t most)
{
    struct ahead *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->workload = workload;
    a->most = most > 0 ? most : 1;
    a->slots = calloc(a->most, sizeof(*a->slots));
    if (!a->slots) {
        free(a);
        return NULL;
    }
    return a;
}

void ahead_free(struct ahead *a)
{
    if (!a)
        return;
    for (unsigned i = atomic_load(&a->taken); i != atomic_load(&a->made); i++)
        body_release(a->slots[i % a->most].body);
    free(a->slots);
    free(a);
}

uint32_t ahead_request(const struct workload *w, uint32_t order)
{
    return order < w->warmup ? w->measured + order : order - w->warmup;
}

void ahead_aim(struct ahead *a, uint32_t next, uint32_t end, uint32_t count, size_t bytes)
{
    atomic_store(&a->next, next);
    atomic_store(&a->end, end);
    atomic_store(&a->count, count < a->most ? count : a->most);
    atomic_store(&a->bytes, bytes);
    atomic_fetch_add(&a->aimed, 1);
}

bool ahead_is_ready(const struct ahead *a)
{
    return atomic_load(&a->satisfied) == atomic_load(&a->aimed);
}

static struct body *build(const struct ahead *a, uint32_t order)
{
    uint32_t request = ahead_request(a->workload, order);
    uint8_t *bytes;
    size_t n;
    struct tt_error err;
    if (workload_body(a->workload, request, &bytes, &n, &err) != TT_OK)
        return NULL;
    return body_take(bytes, n, a->workload->requests[request].sha256);
}

struct body *ahead_take(struct ahead *a, uint32_t order)
{
    atomic_store(&a->next, order + 1);
    for (unsigned i = atomic_load_explicit(&a->taken, memory_order_relaxed);
         i != atomic_load_explicit(&a->made, memory_order_acquire); i++) {
        struct slot slot = a->slots[i % a->most];
        if (slot.order > order)
            break;
        atomic_fetch_sub(&a->held_bytes, slot.body->n);
        atomic_store_explicit(&a->taken, i + 1, memory_order_release);
        if (slot.order == order)
            return slot.body;
        body_release(slot.body); /* built in both threads at once */
    }
    return build(a, order);
}

static bool is_wanted(const struct ahead *a, unsigned held)
{
    return a->built_to < atomic_load(&a->end) && held < atomic_load(&a->count) &&
           atomic_load(&a->held_bytes) < atomic_load(&a->bytes);
}

bool ahead_build_one(void *ahead)
{
    struct ahead *a = ahead;
    unsigned aimed = atomic_load(&a->aimed);
    unsigned next = atomic_load(&a->next), made = atomic_load_explicit(&a->made, memory_order_relaxed);
    unsigned held = made - atomic_load_explicit(&a->taken, memory_order_acquire);
    if (a->built_to < next)
        a->built_to = next;
    bool wanted = is_wanted(a, held);
    struct body *body = NULL;
    while (wanted && !body && a->built_to < atomic_load(&a->end)) {
        uint32_t order = a->built_to++;
        if (!a->workload->requests[ahead_request(a->workload, order)].buildable)
            continue;
        body = build(a, order);
        wanted = body != NULL;
        if (body)
            a->slots[made % a->most] = (struct slot){order, body};
    }
    if (!body) {
        atomic_store(&a->satisfied, aimed);
        return false;
    }
    atomic_fetch_add(&a->held_bytes, body->n);
    atomic_store_explicit(&a->made, made + 1, memory_order_release);
    return true;
}
