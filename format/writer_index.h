/* Gathers the entries of the INDEX frame while blocks are written. Internal to
 * format/. */
#ifndef TAPE_WRITER_INDEX_H
#define TAPE_WRITER_INDEX_H

#include "index.h"

struct writer_index {
    uint8_t *bytes; /* room for the head, the entries so far, and the tail */
    size_t len, cap;
    bool given_up; /* no memory, or too many blocks: the tape will have no INDEX */
};

void writer_index_add(struct writer_index *x, uint64_t offset, const struct block_header *h);

/* The finished frame, to stand at offset `at`; p == NULL when there is none. */
struct tt_view writer_index_frame(struct writer_index *x, const struct index_head *h, uint64_t at);

void writer_index_free(struct writer_index *x);

#endif
