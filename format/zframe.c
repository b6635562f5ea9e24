#include "zframe.h"

#include <assert.h>
#include <stdlib.h>

#include <zstd.h>

#include "frame.h"
#include "limits.h"

_Static_assert(TAPE_MAX_PACKED_BLOCK_BYTES == ZSTD_COMPRESSBOUND(TAPE_MAX_RAW_BLOCK_BYTES),
               "the limit follows zstd's bound");

struct zframe_packer {
    ZSTD_CCtx *ctx;
};

struct zframe_unpacker {
    ZSTD_DCtx *ctx;
};

static enum tt_status set_parameters(ZSTD_CCtx *ctx)
{
    const struct {
        ZSTD_cParameter name;
        int value;
    } wanted[] = {{ZSTD_c_compressionLevel, TAPE_ZSTD_LEVEL},
                  {ZSTD_c_windowLog, TAPE_ZSTD_WINDOW_LOG},
                  {ZSTD_c_contentSizeFlag, 1},
                  {ZSTD_c_checksumFlag, 1}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (ZSTD_isError(ZSTD_CCtx_setParameter(ctx, wanted[i].name, wanted[i].value)))
            return TT_NOMEM;
    return TT_OK;
}

enum tt_status zframe_packer_create(struct zframe_packer **out, struct tt_error *err)
{
    *out = NULL;
    struct zframe_packer *z = calloc(1, sizeof(*z));
    if (z)
        z->ctx = ZSTD_createCCtx();
    if (!z || !z->ctx || set_parameters(z->ctx) != TT_OK) {
        zframe_packer_free(z);
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "zstd: no memory for a compressor");
    }
    *out = z;
    return TT_OK;
}

void zframe_packer_free(struct zframe_packer *z)
{
    if (!z)
        return;
    ZSTD_freeCCtx(z->ctx);
    free(z);
}

enum tt_status zframe_pack(struct zframe_packer *z, struct tt_view raw, uint8_t *out, size_t cap, size_t *len,
                           struct tt_error *err)
{
    assert(raw.n <= TAPE_MAX_RAW_BLOCK_BYTES && cap >= ZSTD_compressBound(raw.n));
    size_t n = ZSTD_compress2(z->ctx, out, cap, raw.p, raw.n);
    if (ZSTD_isError(n))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "zstd: %s", ZSTD_getErrorName(n));
    *len = n;
    return TT_OK;
}

enum tt_status zframe_unpacker_create(struct zframe_unpacker **out, struct tt_error *err)
{
    *out = NULL;
    struct zframe_unpacker *z = calloc(1, sizeof(*z));
    if (z)
        z->ctx = ZSTD_createDCtx();
    if (!z || !z->ctx || ZSTD_isError(ZSTD_DCtx_setParameter(z->ctx, ZSTD_d_windowLogMax, TAPE_ZSTD_WINDOW_LOG))) {
        zframe_unpacker_free(z);
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "zstd: no memory for a decompressor");
    }
    *out = z;
    return TT_OK;
}

void zframe_unpacker_free(struct zframe_unpacker *z)
{
    if (!z)
        return;
    ZSTD_freeDCtx(z->ctx);
    free(z);
}

/* Frame header of RFC 8878: descriptor (bit 2 checksum, bit 5 single segment,
 * bits 0-1 dictionary) and, unless single segment, a window descriptor. One-shot
 * decompression does not look at the window, but other readers will have to. */
static enum tt_status check_frame_header(struct tt_view in, struct tt_error *err)
{
    if (in.n < 6 || !frame_begins(in.p, in.n, FRAME_ZSTD))
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "not a zstd frame");
    unsigned descriptor = in.p[4];
    if (!(descriptor & 4))
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "zstd frame without checksum");
    if (descriptor & 3)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "zstd frame asks for a dictionary");
    unsigned exponent = in.p[5] >> 3, mantissa = in.p[5] & 7;
    if (!(descriptor & 32) && exponent * 8 + mantissa > (TAPE_ZSTD_WINDOW_LOG - 10) * 8)
        return tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "zstd frame asks for a window above 2^%d bytes",
                       TAPE_ZSTD_WINDOW_LOG);
    return TT_OK;
}

enum tt_status zframe_unpack(struct zframe_unpacker *z, struct tt_view in, size_t raw_bytes, uint8_t *out, size_t cap,
                             struct tt_error *err)
{
    enum tt_status st = check_frame_header(in, err);
    if (st != TT_OK)
        return st;
    if (ZSTD_findFrameCompressedSize(in.p, in.n) != in.n)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "not exactly one zstd frame");
    unsigned long long claimed = ZSTD_getFrameContentSize(in.p, in.n);
    if (claimed != raw_bytes)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "zstd frame does not claim the %zu bytes of its block header",
                       raw_bytes);
    size_t n = ZSTD_decompressDCtx(z->ctx, out, cap, in.p, in.n);
    if (ZSTD_isError(n))
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "zstd: %s", ZSTD_getErrorName(n));
    if (n != raw_bytes)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "zstd frame holds %zu bytes, its block header says %zu", n,
                       raw_bytes);
    return TT_OK;
}

const char *zframe_version(void)
{
    return ZSTD_versionString();
}
