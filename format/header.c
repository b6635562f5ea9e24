#include "header.h"

#include "crc32c.h"
#include "frame.h"
#include "limits.h"

static const uint8_t file_magic[8] = {0x89, 'T', 'A', 'P', 'E', 0x0d, 0x0a, 0x1a};
static const uint8_t block_tag[4] = {'T', 'B', 'L', 'K'};

enum { /* offsets in the FILE frame */
       FILE_MAGIC = 8,
       FILE_MAJOR = 16,
       FILE_MINOR = 18,
       FILE_COMPATIBLE = 20,
       FILE_INCOMPATIBLE = 24,
       FILE_TAPE_ID = 28,
       FILE_BOOT_HASH = 44,
       FILE_BASE_MONOTONIC = 60,
       FILE_BASE_REALTIME = 68,
       FILE_CRC = 76 /* in 1.0; always the last four bytes of the frame */
};

enum { /* offsets in the BLOCK frame */
       BLOCK_TAG = 8,
       BLOCK_VERSION_AT = 12,
       BLOCK_RESERVED = 14,
       BLOCK_SALT = 16,
       BLOCK_SEQUENCE = 20,
       BLOCK_PACKED_BYTES = 28,
       BLOCK_RAW_BYTES = 32,
       BLOCK_RECORDS = 36,
       BLOCK_FLAGS = 40,
       BLOCK_LEAST_TIME = 44,
       BLOCK_GREATEST_TIME = 52,
       BLOCK_PREVIOUS = 60,
       BLOCK_PACKED_CRC = 92,
       BLOCK_CRC = 96
};

void file_header_encode(const struct file_header *h, uint8_t out[FILE_HEADER_BYTES])
{
    frame_put_head(out, FRAME_FILE, FILE_HEADER_BYTES - FRAME_HEAD_BYTES);
    memcpy(out + FILE_MAGIC, file_magic, sizeof(file_magic));
    tt_put_u16(out + FILE_MAJOR, h->major);
    tt_put_u16(out + FILE_MINOR, h->minor);
    tt_put_u32(out + FILE_COMPATIBLE, h->compatible_flags);
    tt_put_u32(out + FILE_INCOMPATIBLE, h->incompatible_flags);
    memcpy(out + FILE_TAPE_ID, h->tape_id, sizeof(h->tape_id));
    memcpy(out + FILE_BOOT_HASH, h->boot_hash, sizeof(h->boot_hash));
    tt_put_u64(out + FILE_BASE_MONOTONIC, h->base_monotonic_ns);
    tt_put_u64(out + FILE_BASE_REALTIME, h->base_realtime_ns);
    tt_put_u32(out + FILE_CRC, crc32c(out, FILE_CRC));
}

static void file_header_get(const uint8_t *p, struct file_header *h)
{
    h->major = tt_get_u16(p + FILE_MAJOR);
    h->minor = tt_get_u16(p + FILE_MINOR);
    h->compatible_flags = tt_get_u32(p + FILE_COMPATIBLE);
    h->incompatible_flags = tt_get_u32(p + FILE_INCOMPATIBLE);
    memcpy(h->tape_id, p + FILE_TAPE_ID, sizeof(h->tape_id));
    memcpy(h->boot_hash, p + FILE_BOOT_HASH, sizeof(h->boot_hash));
    h->base_monotonic_ns = tt_get_u64(p + FILE_BASE_MONOTONIC);
    h->base_realtime_ns = tt_get_u64(p + FILE_BASE_REALTIME);
}

/* Is it a FILE frame at all? The length between the two magics is left aside. */
static enum tt_status file_magic_check(struct tt_view in, struct tt_error *err)
{
    if (in.n == 0)
        return tt_fail(err, TT_FOREIGN, 0, "not a tape: the file is empty");
    if (!frame_begins(in.p, in.n, FRAME_FILE))
        return tt_fail(err, TT_FOREIGN, 0, "not a tape: it does not begin with a FILE header");
    size_t n = in.n <= FILE_MAGIC ? 0 : in.n - FILE_MAGIC;
    if (n && memcmp(in.p + FILE_MAGIC, file_magic, n < sizeof(file_magic) ? n : sizeof(file_magic)) != 0)
        return tt_fail(err, TT_FOREIGN, FILE_MAGIC, "not a tape: a skippable zstd frame without the tape's magic");
    return TT_OK;
}

static enum tt_status file_version_check(const struct file_header *h, struct tt_error *err)
{
    if (h->major != TAPE_VERSION_MAJOR)
        return tt_fail(err, TT_VERSION, FILE_MAJOR, "written as tape version %u.%u, this program reads version %u",
                       h->major, h->minor, TAPE_VERSION_MAJOR);
    if (h->incompatible_flags)
        return tt_fail(err, TT_VERSION, FILE_INCOMPATIBLE,
                       "written as tape version %u.%u with incompatible flags 0x%08x, unknown to this program (%u.%u)",
                       h->major, h->minor, (unsigned)h->incompatible_flags, TAPE_VERSION_MAJOR, TAPE_VERSION_MINOR);
    return TT_OK;
}

enum tt_status file_header_decode(struct tt_view in, struct file_header *h, size_t *used, struct tt_error *err)
{
    *used = 0;
    enum tt_status st = file_magic_check(in, err);
    if (st != TT_OK)
        return st;
    if (in.n < FRAME_HEAD_BYTES)
        return tt_fail(err, TT_TRUNCATED, in.n, "the file ends inside its FILE header, at byte %zu", in.n);
    uint64_t n = (uint64_t)tt_get_u32(in.p + 4) + FRAME_HEAD_BYTES;
    if (n < FILE_HEADER_BYTES || n > TAPE_MAX_HEADER_FRAME_BYTES)
        return tt_fail(err, TT_CRC, 4, "FILE header is damaged: it claims %llu bytes", (unsigned long long)n);
    if (in.n < n)
        return tt_fail(err, TT_TRUNCATED, in.n, "the file ends inside its FILE header, at byte %zu", in.n);
    uint32_t stored = tt_get_u32(in.p + n - 4), computed = crc32c(in.p, (size_t)n - 4);
    if (stored != computed)
        return tt_fail(err, TT_CRC, n - 4, "CRC32C of the FILE header differs (stored 0x%08x, computed 0x%08x)",
                       (unsigned)stored, (unsigned)computed);
    file_header_get(in.p, h);
    st = file_version_check(h, err);
    if (st == TT_OK)
        *used = (size_t)n;
    return st;
}

void block_header_encode(const struct block_header *h, uint8_t out[BLOCK_HEADER_BYTES])
{
    frame_put_head(out, FRAME_BLOCK, BLOCK_HEADER_BYTES - FRAME_HEAD_BYTES);
    memcpy(out + BLOCK_TAG, block_tag, sizeof(block_tag));
    tt_put_u16(out + BLOCK_VERSION_AT, BLOCK_VERSION);
    tt_put_u16(out + BLOCK_RESERVED, 0);
    memcpy(out + BLOCK_SALT, h->salt, HEADER_SALT_BYTES);
    tt_put_u64(out + BLOCK_SEQUENCE, h->sequence);
    tt_put_u32(out + BLOCK_PACKED_BYTES, h->packed_bytes);
    tt_put_u32(out + BLOCK_RAW_BYTES, h->raw_bytes);
    tt_put_u32(out + BLOCK_RECORDS, h->records);
    tt_put_u32(out + BLOCK_FLAGS, h->flags);
    tt_put_u64(out + BLOCK_LEAST_TIME, h->least_time_ns);
    tt_put_u64(out + BLOCK_GREATEST_TIME, h->greatest_time_ns);
    memcpy(out + BLOCK_PREVIOUS, h->previous, CHAIN_HASH_BYTES);
    tt_put_u32(out + BLOCK_PACKED_CRC, h->packed_crc);
    tt_put_u32(out + BLOCK_CRC, crc32c(out, BLOCK_CRC));
}

static void block_header_get(const uint8_t *p, struct block_header *h)
{
    memcpy(h->salt, p + BLOCK_SALT, HEADER_SALT_BYTES);
    h->sequence = tt_get_u64(p + BLOCK_SEQUENCE);
    h->packed_bytes = tt_get_u32(p + BLOCK_PACKED_BYTES);
    h->raw_bytes = tt_get_u32(p + BLOCK_RAW_BYTES);
    h->records = tt_get_u32(p + BLOCK_RECORDS);
    h->flags = tt_get_u32(p + BLOCK_FLAGS);
    h->least_time_ns = tt_get_u64(p + BLOCK_LEAST_TIME);
    h->greatest_time_ns = tt_get_u64(p + BLOCK_GREATEST_TIME);
    memcpy(h->previous, p + BLOCK_PREVIOUS, CHAIN_HASH_BYTES);
    h->packed_crc = tt_get_u32(p + BLOCK_PACKED_CRC);
}

enum tt_status block_header_decode(const uint8_t in[BLOCK_HEADER_BYTES], uint64_t at, struct block_header *h,
                                   struct tt_error *err)
{
    if (!frame_begins(in, 4, FRAME_BLOCK) || memcmp(in + BLOCK_TAG, block_tag, sizeof(block_tag)) != 0 ||
        tt_get_u32(in + 4) != BLOCK_HEADER_BYTES - FRAME_HEAD_BYTES)
        return tt_fail(err, TT_MALFORMED, at, "no BLOCK header here");
    uint32_t stored = tt_get_u32(in + BLOCK_CRC), computed = crc32c(in, BLOCK_CRC);
    if (stored != computed)
        return tt_fail(err, TT_CRC, at, "CRC32C of its header differs (stored 0x%08x, computed 0x%08x)",
                       (unsigned)stored, (unsigned)computed);
    unsigned version = tt_get_u16(in + BLOCK_VERSION_AT);
    if (version != BLOCK_VERSION)
        return tt_fail(err, TT_VERSION, at, "block version %u is not known here", version);
    block_header_get(in, h);
    if (h->flags & BLOCK_INCOMPATIBLE_FLAGS)
        return tt_fail(err, TT_VERSION, at, "block flags 0x%08x are not known here", (unsigned)h->flags);
    return TT_OK;
}

/* Compares in[from, to) with want, as far as `n` bytes go. */
static bool range_matches(const uint8_t *in, size_t n, const uint8_t *want, size_t from, size_t to)
{
    if (n <= from)
        return true;
    return memcmp(in + from, want + from, (n < to ? n : to) - from) == 0;
}

bool block_header_could_begin(const uint8_t *in, size_t n, const struct block_header *expected)
{
    uint8_t want[BLOCK_HEADER_BYTES];
    block_header_encode(expected, want);
    return range_matches(in, n, want, 0, BLOCK_PACKED_BYTES) &&
           range_matches(in, n, want, BLOCK_PREVIOUS, BLOCK_PREVIOUS + CHAIN_HASH_BYTES);
}
