/* Builds packed msgpack pieces (msgpack-c stands behind this file alone). */
#ifndef TAPE_PACK_H
#define TAPE_PACK_H

#include "bytes.h"
#include "record.h"
#include "status.h"

/* A growing msgpack buffer. Starts zeroed ({0}); pack_free() afterwards.
 * After a failed call `failed` stays set and further calls do nothing. */
struct pack {
    uint8_t *bytes;
    size_t len, cap;
    bool failed;
};

void pack_array(struct pack *p, uint32_t n);
void pack_map(struct pack *p, uint32_t n);
void pack_uint(struct pack *p, uint64_t v); /* TAPE_NONE packs as nil */
void pack_int(struct pack *p, int64_t v);
void pack_double(struct pack *p, double v);
void pack_bool(struct pack *p, bool v);
void pack_nil(struct pack *p);
void pack_str(struct pack *p, struct tt_view v); /* p == NULL packs as nil */
void pack_bin(struct pack *p, struct tt_view v); /* p == NULL packs as nil */
void pack_reset(struct pack *p);                 /* empties, keeps the memory */
void pack_free(struct pack *p);

#endif
