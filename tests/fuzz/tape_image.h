/* A tape in memory, taken apart by what its headers claim, changed in place, and sealed again by a
 * forger who knows the format. Whatever the bytes are, nothing leaves the buffer. */
#ifndef FUZZ_TAPE_IMAGE_H
#define FUZZ_TAPE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_IMAGE_BLOCKS 64u /* more are left as they are */

struct tape_image {
    uint8_t *p;
    size_t n, cap;
    size_t file_bytes;                      /* of the FILE frame; 0: there is none, nothing else is known */
    size_t blocks;                          /* whole ones */
    size_t block_at[TAPE_IMAGE_BLOCKS + 1]; /* the last one: where they end */
};

/* How much of the tape is made to agree with itself again; each includes those before. */
enum tape_seal {
    SEAL_NOTHING,
    SEAL_CRCS,   /* of FILE, of headers, of contents, of INDEX */
    SEAL_CHAIN,  /* salt, sequence, hash of what stands before */
    SEAL_COUNTS, /* records and times of each block from its content, INDEX from the blocks */
};

/* Finds the parts of p[0, n). */
void tape_image_parse(struct tape_image *m);
void tape_image_seal(struct tape_image *m, enum tape_seal level);

/* Puts `n` bytes in the place of m->p[from, to); false, and nothing done, when there is no room. The parts
 * are found again. */
bool tape_image_splice(struct tape_image *m, size_t from, size_t to, const void *bytes, size_t n);

/* The decompressed records of a block: at most 1 MiB into `raw`; 0 when it cannot be decompressed. */
size_t tape_image_unpack(const struct tape_image *m, size_t block, uint8_t *raw);
/* Compresses raw[0, n) into the block's place and sets its lengths; false when there is no room. */
bool tape_image_repack(struct tape_image *m, size_t block, const uint8_t *raw, size_t n);

#endif
