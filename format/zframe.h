/* One block's content as one zstd frame (zstd stands behind this file alone). */
#ifndef TAPE_ZFRAME_H
#define TAPE_ZFRAME_H

#include "bytes.h"
#include "status.h"

struct zframe_packer;
struct zframe_unpacker;

enum tt_status zframe_packer_create(struct zframe_packer **out, struct tt_error *err);
void zframe_packer_free(struct zframe_packer *z); /* accepts NULL */

/* Packs up to TAPE_MAX_RAW_BLOCK_BYTES; TAPE_MAX_PACKED_BLOCK_BYTES always suffice. */
enum tt_status zframe_pack(struct zframe_packer *z, struct tt_view raw, uint8_t *out, size_t cap, size_t *len,
                           struct tt_error *err);

enum tt_status zframe_unpacker_create(struct zframe_unpacker **out, struct tt_error *err);
void zframe_unpacker_free(struct zframe_unpacker *z); /* accepts NULL */

/* Unpacks into a buffer of fixed size: what the frame claims moves no memory.
 * `in` must be exactly one frame with checksum, and with a content size of
 * `raw_bytes`; the window must keep to limits.h. Errors: TT_MALFORMED, TT_LIMIT. */
enum tt_status zframe_unpack(struct zframe_unpacker *z, struct tt_view in, size_t raw_bytes, uint8_t *out, size_t cap,
                             struct tt_error *err);

/* "1.5.4" */
const char *zframe_version(void);

#endif
