#include "writer_index.h"

#include <stdlib.h>

#include "crc32c.h"

#define FIRST_CAP_BYTES 4096u

static bool make_room(struct writer_index *x, size_t n)
{
    if (x->cap - x->len >= n)
        return true;
    size_t cap = x->cap ? 2 * x->cap : FIRST_CAP_BYTES;
    uint8_t *bytes = realloc(x->bytes, cap);
    if (!bytes)
        return false;
    x->bytes = bytes;
    x->cap = cap;
    if (x->len == 0)
        x->len = INDEX_HEAD_BYTES;
    return true;
}

void writer_index_add(struct writer_index *x, uint64_t offset, const struct block_header *h)
{
    uint64_t blocks = x->len / INDEX_ENTRY_BYTES + 1; /* an upper bound, the head counted in */
    if (x->given_up || !index_frame_bytes(blocks) || !make_room(x, INDEX_ENTRY_BYTES + INDEX_TAIL_BYTES)) {
        x->given_up = true;
        return;
    }
    index_put_entry(x->bytes + x->len, offset, h);
    x->len += INDEX_ENTRY_BYTES;
}

struct tt_view writer_index_frame(struct writer_index *x, const struct index_head *h, uint64_t at)
{
    if (x->given_up || !x->bytes)
        return tt_view_of(NULL, 0);
    index_put_head(x->bytes, h);
    index_put_tail(x->bytes + x->len, crc32c(x->bytes, x->len), at);
    return tt_view_of(x->bytes, x->len + INDEX_TAIL_BYTES);
}

void writer_index_free(struct writer_index *x)
{
    free(x->bytes);
    *x = (struct writer_index){0};
}
