/* One block under CRCs that hold: input is a byte of flags, a BLOCK header and its content, compressed or
 * not. Behind a FILE header the reader takes it exactly when the rules of FORMAT.md, applied here one by
 * one, say so. */
#include "../../format/crc32c.h"
#include "../../format/chain.h"
#include "../../format/header.h"
#include "../../format/reader.h"
#include "../../format/zframe.h"
#include "tape_file.h"

enum {
    RAW = 1,    /* the content is still to be compressed */
    COUNTED = 2 /* and the header's counts and times are to be made from it */
};

static uint8_t raw[TAPE_MAX_RAW_BLOCK_BYTES];

static bool header_holds(const struct block_header *h)
{
    return h->packed_bytes <= TAPE_MAX_PACKED_BLOCK_BYTES && h->raw_bytes >= 1 &&
           h->raw_bytes <= TAPE_MAX_RAW_BLOCK_BYTES && h->records >= 1 && h->records <= h->raw_bytes;
}

static bool records_hold(const struct block_header *h)
{
    uint64_t records = 0, least = TAPE_NONE, greatest = 0;
    bool end = false, timed = false;
    size_t used;
    for (size_t at = 0; at < h->raw_bytes; at += used, records++) {
        struct tape_record rec;
        if (end || record_decode(tt_view_of(raw + at, h->raw_bytes - at), &rec, &used, NULL) != TT_OK)
            return false;
        end = rec.kind == TAPE_END;
        uint64_t time_ns = record_time(&rec);
        if (time_ns == TAPE_NONE)
            continue;
        timed = true;
        least = time_ns < least ? time_ns : least;
        greatest = time_ns > greatest ? time_ns : greatest;
    }
    return records == h->records && h->least_time_ns == least && h->greatest_time_ns == (timed ? greatest : TAPE_NONE);
}

static bool block_holds(const uint8_t *p, size_t n)
{
    static struct zframe_unpacker *unpacker;
    struct block_header h;
    if (!unpacker)
        FUZZ_REQUIRE(zframe_unpacker_create(&unpacker, NULL) == TT_OK);
    return block_header_decode(p, 0, &h, NULL) == TT_OK && header_holds(&h) &&
           zframe_unpack(unpacker, tt_view_of(p + BLOCK_HEADER_BYTES, n - BLOCK_HEADER_BYTES), h.raw_bytes, raw,
                         sizeof raw, NULL) == TT_OK &&
           records_hold(&h);
}

/* Lengths, CRCs, and what says which block of which tape it is. */
static void seal(uint8_t *tape, size_t n)
{
    struct file_header file = {.major = TAPE_VERSION_MAJOR};
    static struct chain *chain;
    uint8_t *block = tape + FILE_HEADER_BYTES;
    if (!chain)
        FUZZ_REQUIRE(chain_create(&chain, NULL) == TT_OK);
    memset(file.tape_id, 0xa5, sizeof file.tape_id);
    file_header_encode(&file, tape);
    memcpy(block, "\x51\x2a\x4d\x18\x5c\0\0\0TBLK", 12);
    memcpy(block + 16, file.tape_id, 4);
    tt_put_u64(block + 20, 0);
    tt_put_u32(block + 28, (uint32_t)(n - BLOCK_HEADER_BYTES));
    FUZZ_REQUIRE(chain_hash(chain, tape, FILE_HEADER_BYTES, block + 60, NULL) == TT_OK);
    tt_put_u32(block + 92, crc32c(block + BLOCK_HEADER_BYTES, n - BLOCK_HEADER_BYTES));
    tt_put_u32(block + 96, crc32c(block, 96));
}

/* Compresses the records in[0, n) behind the header; with `count` the header says what they are. */
static size_t pack(uint8_t *block, const uint8_t *in, size_t n, bool count)
{
    static struct zframe_packer *packer;
    size_t len, used;
    if (!packer)
        FUZZ_REQUIRE(zframe_packer_create(&packer, NULL) == TT_OK);
    n = n < TAPE_MAX_RAW_BLOCK_BYTES ? n : TAPE_MAX_RAW_BLOCK_BYTES;
    FUZZ_REQUIRE(zframe_pack(packer, tt_view_of(in, n), block + BLOCK_HEADER_BYTES, TAPE_MAX_PACKED_BLOCK_BYTES, &len,
                             NULL) == TT_OK);
    if (!count)
        return BLOCK_HEADER_BYTES + len;
    uint64_t least = TAPE_NONE, greatest = TAPE_NONE, time_ns;
    uint32_t records = 0;
    struct tape_record rec;
    for (size_t at = 0; at < n && record_decode(tt_view_of(in + at, n - at), &rec, &used, NULL) == TT_OK; at += used) {
        records++;
        if ((time_ns = record_time(&rec)) == TAPE_NONE)
            continue;
        least = time_ns < least ? time_ns : least;
        greatest = greatest == TAPE_NONE || time_ns > greatest ? time_ns : greatest;
    }
    tt_put_u32(block + 32, (uint32_t)n);
    tt_put_u32(block + 36, records);
    tt_put_u64(block + 44, least);
    tt_put_u64(block + 52, greatest);
    return BLOCK_HEADER_BYTES + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t tape[FILE_HEADER_BYTES + BLOCK_FRAME_BYTES];
    uint8_t *block = tape + FILE_HEADER_BYTES;
    if (n < 1 + BLOCK_HEADER_BYTES || n > BLOCK_FRAME_BYTES)
        return 0;
    uint8_t how = data[0];
    memcpy(block, data + 1, --n);
    if (how & RAW)
        n = pack(block, data + 1 + BLOCK_HEADER_BYTES, n - BLOCK_HEADER_BYTES, how & COUNTED);
    seal(tape, n);
    struct reader *r;
    struct tape_record rec;
    FUZZ_REQUIRE(reader_open(&r, tape_file(tape, FILE_HEADER_BYTES + n), NULL, NULL) == TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK)
        ;
    const struct reader_report *report = reader_report(r);
    FUZZ_REQUIRE(report->blocks == block_holds(block, n));
    FUZZ_REQUIRE(report->accepted_bytes == FILE_HEADER_BYTES + (report->blocks ? n : 0));
    reader_free(r);
    return 0;
}
