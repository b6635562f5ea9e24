/* What may stand behind the END of a good tape: input is put there, as it is and under a CRC that holds.
 * Only nothing and the one INDEX that says what the blocks say make the tape complete. */
#include "../../format/block.h"
#include "../../format/chain.h"
#include "../../format/crc32c.h"
#include "../../format/index.h"
#include "../../format/reader.h"
#include "tape_file.h"

#define BLOCKS 3u
#define TAPE_BYTES 2048u
#define INDEX_BYTES (INDEX_FIXED_BYTES + BLOCKS * INDEX_ENTRY_BYTES)

static uint8_t tape[TAPE_BYTES], genuine[INDEX_BYTES];
static size_t tape_bytes;

static void put_block(struct block *b, struct block_header *h, struct chain *chain, const struct tape_record *rec)
{
    struct tt_view frame;
    block_reset(b);
    FUZZ_REQUIRE(block_add(b, rec, NULL) == TT_OK && block_seal(b, h, &frame, NULL) == TT_OK);
    FUZZ_REQUIRE(frame.n <= TAPE_BYTES - tape_bytes);
    memcpy(tape + tape_bytes, frame.p, frame.n);
    index_put_entry(genuine + INDEX_HEAD_BYTES + h->sequence * INDEX_ENTRY_BYTES, tape_bytes, h);
    tape_bytes += frame.n;
    FUZZ_REQUIRE(chain_hash(chain, frame.p, frame.n, h->previous, NULL) == TT_OK);
}

/* FILE, two blocks of one START, END; and the INDEX that belongs to them. */
static void make_tape(void)
{
    struct file_header file = {.major = TAPE_VERSION_MAJOR};
    struct index_head head = {.blocks = BLOCKS, .records = BLOCKS};
    struct block b;
    struct block_header h = {0};
    struct chain *chain;
    FUZZ_REQUIRE(block_create(&b, NULL) == TT_OK && chain_create(&chain, NULL) == TT_OK);
    file_header_encode(&file, tape);
    FUZZ_REQUIRE(chain_hash(chain, tape, FILE_HEADER_BYTES, h.previous, NULL) == TT_OK);
    tape_bytes = FILE_HEADER_BYTES;
    for (h.sequence = 0; h.sequence < BLOCKS; h.sequence++) {
        struct tape_record start = {.kind = TAPE_START, .u.start = {h.sequence, 1000 * h.sequence}};
        struct tape_record end = {.kind = TAPE_END, .u.end = {.time_ns = 9000, .reason = tt_view_str("complete")}};
        put_block(&b, &h, chain, h.sequence + 1 < BLOCKS ? &start : &end);
    }
    memcpy(head.head, h.previous, sizeof head.head);
    index_put_head(genuine, &head);
    index_put_tail(genuine + INDEX_BYTES - INDEX_TAIL_BYTES, crc32c(genuine, INDEX_BYTES - INDEX_TAIL_BYTES),
                   tape_bytes);
    chain_free(chain);
    block_free(&b);
}

static void read_with(const uint8_t *index, size_t n)
{
    struct reader *r;
    struct tape_record rec;
    uint8_t *whole = malloc(tape_bytes + n);
    FUZZ_REQUIRE(whole);
    memcpy(whole, tape, tape_bytes);
    if (n)
        memcpy(whole + tape_bytes, index, n);
    FUZZ_REQUIRE(reader_open(&r, tape_file(whole, tape_bytes + n), NULL, NULL) == TT_OK);
    while (reader_next(r, &rec, NULL) == TT_OK)
        ;
    const struct reader_report *report = reader_report(r);
    bool same = n == 0 || (n == INDEX_BYTES && memcmp(index, genuine, n) == 0);
    FUZZ_REQUIRE(report->records == BLOCKS && report->has_end);
    FUZZ_REQUIRE((report->state == READER_COMPLETE) == same);
    bool part = n < INDEX_BYTES && memcmp(index, genuine, n) == 0;
    if (part && n > 0)
        FUZZ_REQUIRE(report->state == READER_TORN);
    reader_free(r);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!tape_bytes)
        make_tape();
    read_with(data, n);
    if (n < INDEX_FIXED_BYTES)
        return 0;
    uint8_t *copy = fuzz_copy(data, n);
    memcpy(copy, genuine, 8);
    tt_put_u32(copy + 4, (uint32_t)(n - 8));
    index_put_tail(copy + n - INDEX_TAIL_BYTES, crc32c(copy, n - INDEX_TAIL_BYTES), tape_bytes);
    read_with(copy, n);
    free(copy);
    return 0;
}
