/* FILE, BLOCK and INDEX headers from any bytes. */
#include "../../format/crc32c.h"
#include "../../format/header.h"
#include "../../format/index.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *copy = fuzz_copy(data, n);
    struct tt_error err;
    struct file_header file;
    struct block_header block;
    size_t used = 0;
    uint64_t at;
    if (file_header_decode(tt_view_of(copy, n), &file, &used, &err) == TT_OK)
        FUZZ_REQUIRE(used >= FILE_HEADER_BYTES && used <= n);
    if (n >= BLOCK_HEADER_BYTES && block_header_decode(copy, 0, &block, &err) == TT_OK) {
        uint8_t again[BLOCK_HEADER_BYTES];
        block_header_encode(&block, again);
        FUZZ_REQUIRE(memcmp(again, copy, BLOCK_HEADER_BYTES) == 0);
        FUZZ_REQUIRE(block_header_could_begin(copy, BLOCK_HEADER_BYTES / 2, &block));
    }
    (void)index_could_begin(copy, n);
    if (n >= INDEX_TAIL_BYTES)
        (void)index_tail_holds(copy + n - INDEX_TAIL_BYTES, 0, &at);
    free(copy);
    return 0;
}
