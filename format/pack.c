#include "pack.h"

#include <stdlib.h>

#include <msgpack/pack.h>

#include "limits.h"

#define PACK_FIRST_BYTES 256u

static int pack_reserve(struct pack *p, size_t n)
{
    if (n <= p->cap - p->len)
        return 1;
    size_t cap = p->cap ? p->cap : PACK_FIRST_BYTES;
    while (cap - p->len < n) {
        if (cap > SIZE_MAX / 2)
            return 0;
        cap *= 2;
    }
    uint8_t *bytes = realloc(p->bytes, cap);
    if (!bytes)
        return 0;
    p->bytes = bytes;
    p->cap = cap;
    return 1;
}

static int pack_write(void *data, const char *bytes, size_t n)
{
    struct pack *p = data;
    if (p->failed || !pack_reserve(p, n)) {
        p->failed = true;
        return -1;
    }
    memcpy(p->bytes + p->len, bytes, n);
    p->len += n;
    return 0;
}

static msgpack_packer packer_of(struct pack *p)
{
    return (msgpack_packer){p, pack_write};
}

/* Lengths in msgpack are 32 bits; far below that a field is refused anyway. */
static int pack_length_ok(struct pack *p, size_t n)
{
    if (n > TAPE_MAX_RAW_BLOCK_BYTES)
        p->failed = true;
    return !p->failed;
}

void pack_array(struct pack *p, uint32_t n)
{
    msgpack_packer k = packer_of(p);
    msgpack_pack_array(&k, n);
}

void pack_map(struct pack *p, uint32_t n)
{
    msgpack_packer k = packer_of(p);
    msgpack_pack_map(&k, n);
}

void pack_uint(struct pack *p, uint64_t v)
{
    msgpack_packer k = packer_of(p);
    if (v == TAPE_NONE)
        msgpack_pack_nil(&k);
    else
        msgpack_pack_uint64(&k, v);
}

void pack_int(struct pack *p, int64_t v)
{
    msgpack_packer k = packer_of(p);
    msgpack_pack_int64(&k, v);
}

void pack_double(struct pack *p, double v)
{
    msgpack_packer k = packer_of(p);
    msgpack_pack_double(&k, v);
}

void pack_bool(struct pack *p, bool v)
{
    msgpack_packer k = packer_of(p);
    if (v)
        msgpack_pack_true(&k);
    else
        msgpack_pack_false(&k);
}

void pack_nil(struct pack *p)
{
    msgpack_packer k = packer_of(p);
    msgpack_pack_nil(&k);
}

void pack_str(struct pack *p, struct tt_view v)
{
    msgpack_packer k = packer_of(p);
    if (!v.p) {
        msgpack_pack_nil(&k);
    } else if (pack_length_ok(p, v.n)) {
        msgpack_pack_str(&k, v.n);
        if (v.n)
            msgpack_pack_str_body(&k, v.p, v.n);
    }
}

void pack_bin(struct pack *p, struct tt_view v)
{
    msgpack_packer k = packer_of(p);
    if (!v.p) {
        msgpack_pack_nil(&k);
    } else if (pack_length_ok(p, v.n)) {
        msgpack_pack_bin(&k, v.n);
        if (v.n)
            msgpack_pack_bin_body(&k, v.p, v.n);
    }
}

void pack_reset(struct pack *p)
{
    p->len = 0;
    p->failed = false;
}

void pack_free(struct pack *p)
{
    free(p->bytes);
    *p = (struct pack){0};
}
