#include "entry.h"

#include <assert.h>
#include <stddef.h>

#define KIND_BODY UINT32_MAX
#define MAX_VIEWS 2

/* What of a record is to be copied: its used front part and its views. */
struct shape {
    size_t bytes;
    size_t views;
    size_t view_at[MAX_VIEWS]; /* offset in struct tape_record */
};

#define FRONT(member) (offsetof(struct tape_record, u) + sizeof(((struct tape_record *)0)->u.member))
#define AT(field) offsetof(struct tape_record, u.field)

static struct shape shape_of(uint32_t kind)
{
    switch (kind) {
    case TAPE_CLOCK:
        return (struct shape){FRONT(clock), 0, {0}};
    case TAPE_START:
        return (struct shape){FRONT(start), 0, {0}};
    case TAPE_CONN:
        return (struct shape){FRONT(conn), 2, {AT(conn.tls), AT(conn.http)}};
    case TAPE_SEND:
        return (struct shape){FRONT(send), 0, {0}};
    case TAPE_HEAD:
        return (struct shape){FRONT(head), 2, {AT(head.status_line), AT(head.headers)}};
    case TAPE_READ:
        return (struct shape){FRONT(read), 1, {AT(read.bytes)}};
    case TAPE_DONE:
        return (struct shape){FRONT(done), 2, {AT(done.reason), AT(done.error)}};
    case TAPE_REDACT:
        return (struct shape){FRONT(redact), 2, {AT(redact.stream), AT(redact.rule)}};
    case TAPE_LOST:
        return (struct shape){FRONT(lost), 2, {AT(lost.reason), AT(lost.requests)}};
    case TAPE_TURN:
        return (struct shape){FRONT(turn), 0, {0}};
    case TAPE_EVENT:
        return (struct shape){FRONT(event), 2, {AT(event.name), AT(event.detail)}};
    default:
        assert(kind == TAPE_START); /* a kind the I/O thread does not make */
        return (struct shape){FRONT(start), 0, {0}};
    }
}

static struct tt_view *view_in(void *rec, size_t at)
{
    return (struct tt_view *)(void *)((uint8_t *)rec + at);
}

static size_t bytes_of_views(const struct tape_record *rec, const struct shape *shape)
{
    size_t n = 0;
    for (size_t i = 0; i < shape->views; i++) {
        struct tt_view v;
        memcpy(&v, (const uint8_t *)rec + shape->view_at[i], sizeof(v));
        n += v.p ? v.n : 0;
    }
    return n;
}

bool entry_put(struct ring *ring, const struct tape_record *rec, size_t keep_free)
{
    struct shape shape = shape_of(rec->kind);
    uint8_t *entry = ring_reserve(ring, shape.bytes + bytes_of_views(rec, &shape), keep_free);
    if (!entry)
        return false;
    memcpy(entry, rec, shape.bytes);
    uint8_t *tail = entry + shape.bytes;
    for (size_t i = 0; i < shape.views; i++) {
        struct tt_view *v = view_in(entry, shape.view_at[i]);
        if (!v->p)
            continue;
        if (v->n)
            memcpy(tail, v->p, v->n);
        v->p = tail;
        tail += v->n;
    }
    ring_commit(ring);
    return true;
}

bool entry_put_body(struct ring *ring, struct body *take_body, bool with_bytes)
{
    struct entry_body *e = ring_reserve(ring, sizeof(*e), 0);
    if (!e)
        return false;
    *e = (struct entry_body){KIND_BODY, with_bytes, take_body};
    ring_commit(ring);
    return true;
}

const struct entry_body *entry_as_body(const void *entry)
{
    const struct entry_body *e = entry;
    return e->kind == KIND_BODY ? e : NULL;
}
