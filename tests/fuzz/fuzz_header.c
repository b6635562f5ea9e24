/* FILE and BLOCK headers from any bytes, and from any bytes under a CRC that holds. */
#include "../../format/crc32c.h"
#include "../../format/header.h"
#include "fuzz.h"

static void read_file_header(const uint8_t *p, size_t n)
{
    struct file_header h;
    struct tt_error err;
    size_t used = 0;
    enum tt_status st = file_header_decode(tt_view_of(p, n), &h, &used, &err);
    if (st != TT_OK) {
        FUZZ_REQUIRE(used == 0 && err.code == st && err.line[0]);
        return;
    }
    uint8_t again[FILE_HEADER_BYTES];
    FUZZ_REQUIRE(used >= FILE_HEADER_BYTES && used <= n && h.major == TAPE_VERSION_MAJOR && !h.incompatible_flags);
    file_header_encode(&h, again);
    if (used == FILE_HEADER_BYTES)
        FUZZ_REQUIRE(memcmp(again, p, used) == 0);
}

static void read_block_header(const uint8_t *p)
{
    struct block_header h;
    struct tt_error err;
    uint8_t again[BLOCK_HEADER_BYTES];
    enum tt_status st = block_header_decode(p, 0, &h, &err);
    if (st != TT_OK) {
        FUZZ_REQUIRE(err.code == st && err.line[0]);
        return;
    }
    block_header_encode(&h, again);
    FUZZ_REQUIRE(memcmp(again, p, 14) == 0 && memcmp(again + 16, p + 16, 80) == 0); /* 14: reserved */
    for (size_t n = 0; n < 14; n++)
        FUZZ_REQUIRE(block_header_could_begin(p, n, &h));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *copy = fuzz_copy(data, n);
    read_file_header(copy, n);
    if (n >= FILE_HEADER_BYTES) {
        uint64_t frame = (uint64_t)tt_get_u32(copy + 4) + 8;
        if (frame >= 8 && frame <= n)
            tt_put_u32(copy + frame - 4, crc32c(copy, (size_t)frame - 4));
        read_file_header(copy, n);
    }
    if (n >= BLOCK_HEADER_BYTES) {
        read_block_header(copy);
        tt_put_u32(copy + 96, crc32c(copy, 96));
        read_block_header(copy);
    }
    free(copy);
    return 0;
}
