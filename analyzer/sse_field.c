#include "sse_field.h"

#include <stdlib.h>

#define KEPT_BYTES ((size_t)256 << 10) /* a buffer larger than this does not outlive its event */

const uint8_t sse_empty[1] = {0};

enum tt_status sse_buffer_append(struct sse_buffer *b, struct tt_view v, size_t limit)
{
    if (v.n > limit || b->n > limit - v.n)
        return TT_LIMIT;
    if (b->size - b->n < v.n) {
        size_t size = b->size ? b->size * 2 : 1024;
        if (size < b->n + v.n)
            size = b->n + v.n;
        if (size > limit)
            size = limit;
        uint8_t *grown = realloc(b->p, size);
        if (!grown)
            return TT_NOMEM;
        b->p = grown;
        b->size = size;
    }
    if (v.n > 0)
        memcpy(b->p + b->n, v.p, v.n);
    b->n += v.n;
    return TT_OK;
}

void sse_buffer_empty(struct sse_buffer *b)
{
    b->n = 0;
    if (b->size > KEPT_BYTES) {
        free(b->p);
        *b = (struct sse_buffer){0};
    }
}

enum tt_status sse_field_own(struct sse_field *f)
{
    if (!f->v.p || f->v.p == f->own.p || f->v.p == sse_empty)
        return TT_OK;
    f->own.n = 0;
    enum tt_status status = sse_buffer_append(&f->own, f->v, f->v.n);
    if (status == TT_OK)
        f->v = tt_view_of(f->own.p, f->own.n);
    return status;
}

enum tt_status sse_field_set(struct sse_field *f, struct tt_view value, size_t limit)
{
    f->v = value.n ? value : tt_view_of(sse_empty, 0);
    f->own.n = 0;
    return value.n > limit ? TT_LIMIT : TT_OK;
}

enum tt_status sse_field_join(struct sse_field *f, struct tt_view value, size_t limit)
{
    enum tt_status status = sse_field_own(f);
    if (status == TT_OK)
        status = sse_buffer_append(&f->own, tt_view_of("\n", 1), limit);
    if (status == TT_OK)
        status = sse_buffer_append(&f->own, value, limit);
    if (status == TT_OK)
        f->v = tt_view_of(f->own.p, f->own.n);
    return status;
}

void sse_field_clear(struct sse_field *f)
{
    f->v = tt_view_of(NULL, 0);
    if (f->own.n > 0)
        sse_buffer_empty(&f->own);
}
