#include "tape_image.h"

#include <string.h>

#include "../../format/chain.h"
#include "../../format/crc32c.h"
#include "../../format/frame.h"
#include "../../format/header.h"
#include "../../format/index.h"
#include "../../format/record.h"
#include "../../format/zframe.h"
#include "fuzz.h"

/* Offsets of FORMAT.md, chapters 3, 4 and 7: not the code's, which is what is tested. */
enum { AT_SALT = 28, BLOCK_SALT = 16, SEQUENCE = 20, PACKED = 28, RAW = 32, RECORDS = 36 };
enum { LEAST = 44, GREATEST = 52, PREVIOUS = 60, CONTENT_CRC = 92, HEADER_CRC = 96 };

static struct zframe_packer *packer;
static struct zframe_unpacker *unpacker;
static struct chain *hash;

/* Kept for the life of the process. */
static void make_tools(void)
{
    if (hash)
        return;
    FUZZ_REQUIRE(zframe_packer_create(&packer, NULL) == TT_OK && zframe_unpacker_create(&unpacker, NULL) == TT_OK);
    FUZZ_REQUIRE(chain_create(&hash, NULL) == TT_OK);
}

void tape_image_parse(struct tape_image *m)
{
    m->file_bytes = m->blocks = m->block_at[0] = 0;
    if (m->n < FILE_HEADER_BYTES || !frame_begins(m->p, m->n, FRAME_FILE))
        return;
    size_t file = (size_t)tt_get_u32(m->p + 4) + FRAME_HEAD_BYTES;
    m->file_bytes = file < FILE_HEADER_BYTES || file > m->n ? FILE_HEADER_BYTES : file;
    size_t at = m->file_bytes;
    while (m->blocks < TAPE_IMAGE_BLOCKS && m->n - at >= BLOCK_HEADER_BYTES &&
           frame_begins(m->p + at, m->n - at, FRAME_BLOCK)) {
        size_t packed = tt_get_u32(m->p + at + PACKED);
        if (packed > m->n - at - BLOCK_HEADER_BYTES)
            break;
        m->block_at[m->blocks++] = at;
        at += BLOCK_HEADER_BYTES + packed;
    }
    m->block_at[m->blocks] = at;
}

static void seal_crcs(struct tape_image *m, size_t block)
{
    uint8_t *p = m->p + m->block_at[block];
    size_t packed = m->block_at[block + 1] - m->block_at[block] - BLOCK_HEADER_BYTES;
    tt_put_u32(p + CONTENT_CRC, crc32c(p + BLOCK_HEADER_BYTES, packed));
    tt_put_u32(p + HEADER_CRC, crc32c(p, HEADER_CRC));
}

static void seal_counts(struct tape_image *m, size_t block)
{
    static uint8_t raw[TAPE_MAX_RAW_BLOCK_BYTES];
    uint8_t *p = m->p + m->block_at[block];
    size_t n = tape_image_unpack(m, block, raw), used;
    uint32_t records = 0;
    uint64_t least = TAPE_NONE, greatest = TAPE_NONE;
    struct tape_record rec;
    for (size_t at = 0; at < n; at += used, records++) {
        if (record_decode(tt_view_of(raw + at, n - at), &rec, &used, NULL) != TT_OK)
            break;
        uint64_t time_ns = record_time(&rec);
        if (time_ns == TAPE_NONE)
            continue;
        least = least == TAPE_NONE || time_ns < least ? time_ns : least;
        greatest = greatest == TAPE_NONE || time_ns > greatest ? time_ns : greatest;
    }
    tt_put_u32(p + RECORDS, records);
    tt_put_u64(p + LEAST, least);
    tt_put_u64(p + GREATEST, greatest);
}

static void seal_index_crc(struct tape_image *m, size_t at)
{
    size_t crc_at = m->n - INDEX_TAIL_BYTES;
    uint32_t crc = crc32c(m->p + at, crc_at - at);
    tt_put_u32(m->p + crc_at, crc32c_add(crc, m->p + crc_at + 4, INDEX_TRAILER_BYTES));
}

/* The INDEX a writer would put behind these blocks. */
static void make_index(struct tape_image *m, size_t at, const uint8_t head[CHAIN_HASH_BYTES])
{
    struct index_head h = {.blocks = m->blocks};
    size_t bytes = (size_t)index_frame_bytes(m->blocks);
    if (at + bytes > m->cap)
        return;
    memcpy(h.salt, m->p + AT_SALT, sizeof(h.salt));
    memcpy(h.head, head, sizeof(h.head));
    for (size_t i = 0; i < m->blocks; i++)
        h.records += tt_get_u32(m->p + m->block_at[i] + RECORDS);
    index_put_head(m->p + at, &h);
    for (size_t i = 0; i < m->blocks; i++) {
        struct block_header b = {0};
        (void)block_header_decode(m->p + m->block_at[i], 0, &b, NULL);
        index_put_entry(m->p + at + INDEX_HEAD_BYTES + i * INDEX_ENTRY_BYTES, m->block_at[i], &b);
    }
    m->n = at + bytes;
    index_put_tail(m->p + m->n - INDEX_TAIL_BYTES, crc32c(m->p + at, bytes - INDEX_TAIL_BYTES), at);
}

static void seal_index(struct tape_image *m, enum tape_seal level, const uint8_t head[CHAIN_HASH_BYTES])
{
    size_t at = m->block_at[m->blocks];
    if (!index_could_begin(m->p + at, m->n - at))
        return;
    if (level == SEAL_COUNTS)
        make_index(m, at, head);
    else if (m->n - at >= INDEX_FIXED_BYTES)
        seal_index_crc(m, at);
}

void tape_image_seal(struct tape_image *m, enum tape_seal level)
{
    uint8_t head[CHAIN_HASH_BYTES];
    make_tools();
    tape_image_parse(m);
    if (level == SEAL_NOTHING || !m->file_bytes)
        return;
    tt_put_u32(m->p + m->file_bytes - 4, crc32c(m->p, m->file_bytes - 4));
    FUZZ_REQUIRE(chain_hash(hash, m->p, m->file_bytes, head, NULL) == TT_OK);
    for (size_t i = 0; i < m->blocks; i++) {
        uint8_t *p = m->p + m->block_at[i];
        if (level >= SEAL_CHAIN) {
            memcpy(p + BLOCK_SALT, m->p + AT_SALT, HEADER_SALT_BYTES);
            tt_put_u64(p + SEQUENCE, i);
            memcpy(p + PREVIOUS, head, sizeof(head));
        }
        if (level >= SEAL_COUNTS)
            seal_counts(m, i);
        seal_crcs(m, i);
        FUZZ_REQUIRE(chain_hash(hash, p, m->block_at[i + 1] - m->block_at[i], head, NULL) == TT_OK);
    }
    seal_index(m, level, head);
}

bool tape_image_splice(struct tape_image *m, size_t from, size_t to, const void *bytes, size_t n)
{
    if (from > to || to > m->n || n > m->cap - (m->n - (to - from)))
        return false;
    memmove(m->p + from + n, m->p + to, m->n - to);
    if (n)
        memcpy(m->p + from, bytes, n);
    m->n = m->n - (to - from) + n;
    tape_image_parse(m);
    return true;
}

size_t tape_image_unpack(const struct tape_image *m, size_t block, uint8_t *raw)
{
    make_tools();
    const uint8_t *p = m->p + m->block_at[block];
    size_t packed = m->block_at[block + 1] - m->block_at[block] - BLOCK_HEADER_BYTES, n = tt_get_u32(p + RAW);
    struct tt_view content = tt_view_of(p + BLOCK_HEADER_BYTES, packed);
    if (n > TAPE_MAX_RAW_BLOCK_BYTES ||
        zframe_unpack(unpacker, content, n, raw, TAPE_MAX_RAW_BLOCK_BYTES, NULL) != TT_OK)
        return 0;
    return n;
}

bool tape_image_repack(struct tape_image *m, size_t block, const uint8_t *raw, size_t n)
{
    static uint8_t packed[TAPE_MAX_PACKED_BLOCK_BYTES];
    size_t len, at = m->block_at[block], from = at + BLOCK_HEADER_BYTES, to = m->block_at[block + 1];
    make_tools();
    FUZZ_REQUIRE(n <= TAPE_MAX_RAW_BLOCK_BYTES);
    FUZZ_REQUIRE(zframe_pack(packer, tt_view_of(raw, n), packed, sizeof(packed), &len, NULL) == TT_OK);
    uint8_t lengths[8];
    tt_put_u32(lengths, (uint32_t)len);
    tt_put_u32(lengths + 4, (uint32_t)n);
    if (to - from + (m->cap - m->n) < len)
        return false;
    memcpy(m->p + at + PACKED, lengths, sizeof(lengths));
    return tape_image_splice(m, from, to, packed, len);
}
