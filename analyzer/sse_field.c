#include "sse_field.h"

#include <stdlib.h>

#define FIRST_BYTES 128u /* thousands of streams may hold the beginning of a line at once */

const uint8_t sse_empty[1] = {0};

static enum tt_status grow(struct sse_buffer *b, size_t least, size_t limit)
{
    size_t size = b->size ? b->size * 2 : FIRST_BYTES;
    size = size < least ? least : size > limit ? limit : size;
    enum tt_status status = pool_take(b->account, size - b->size);
    if (status != TT_OK)
        return status;
    uint8_t *grown = realloc(b->p, size);
    if (!grown) {
        pool_return(b->account, size - b->size);
        return TT_NOMEM;
    }
    b->p = grown;
    b->size = size;
    return TT_OK;
}

enum tt_status sse_buffer_append(struct sse_buffer *b, struct tt_view v, size_t limit)
{
    if (v.n > limit || b->n > limit - v.n)
        return TT_LIMIT;
    if (v.n == 0)
        return TT_OK;
    enum tt_status status = b->size - b->n < v.n ? grow(b, b->n + v.n, limit) : TT_OK;
    if (status != TT_OK)
        return status;
    memcpy(b->p + b->n, v.p, v.n);
    b->n += v.n;
    return TT_OK;
}

void sse_buffer_free(struct sse_buffer *b)
{
    pool_return(b->account, b->size);
    free(b->p);
    *b = (struct sse_buffer){.account = b->account};
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
    if (f->own.p)
        sse_buffer_free(&f->own);
}
