#include "tape_mutate.h"

#include "../../format/bytes.h"
#include "../../format/limits.h"
#include "fuzz.h"
#include "mutate.h"
#include "record_mutate.h"
#include "tape_image.h"

#define RAW_ROOM_BYTES (64u << 10) /* a block may grow by so much */

/* libFuzzer's mutation, guided by what it has seen compared; NULL without it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t cap);

static void change_bytes(struct mutate_rng *rng, uint8_t *p, size_t *n, size_t cap)
{
    if (LLVMFuzzerMutate && mutate_draw(rng, 2))
        *n = LLVMFuzzerMutate(p, *n, cap);
    else
        mutate_bytes(rng, p, n, cap);
}

struct place {
    uint8_t at, width;
};

static void change_number(struct mutate_rng *rng, uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = width; i; i--)
        v = v << 8 | p[i - 1];
    switch (mutate_draw(rng, 4)) {
    case 0:
        v += mutate_draw(rng, 5) - 2;
        break;
    case 1:
        v ^= 1ull << mutate_draw(rng, 8 * width);
        break;
    default:
        v = (1ull << mutate_draw(rng, 8 * width)) - mutate_draw(rng, 2);
    }
    for (unsigned i = 0; i < width; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* A field of the frame at m->p[from, to), whose fields stand at `places`. */
static void change_header(struct tape_image *m, struct mutate_rng *rng, size_t from, size_t to,
                          const struct place *places, size_t count)
{
    const struct place *place = &places[mutate_draw(rng, (uint32_t)count)];
    if (to - from >= (size_t)place->at + place->width)
        change_number(rng, m->p + from + place->at, place->width);
}

#define CHANGE_HEADER(m, rng, from, to, places)                                                                        \
    change_header(m, rng, from, to, places, sizeof(places) / sizeof((places)[0]))

static void change_file_header(struct tape_image *m, struct mutate_rng *rng)
{
    static const struct place places[] = {{4, 4},  {16, 2}, {18, 2}, {20, 4}, {24, 4},
                                          {28, 8}, {36, 8}, {44, 8}, {60, 8}, {68, 8}};
    static const uint8_t more[4] = {0};
    if (mutate_draw(rng, 4)) {
        CHANGE_HEADER(m, rng, 0, m->file_bytes, places);
    } else if (tape_image_splice(m, m->file_bytes - 4, m->file_bytes - 4, more, sizeof(more))) {
        tt_put_u32(m->p + 4, (uint32_t)(m->file_bytes + sizeof(more) - 8)); /* a later version's */
    }
}

static void change_block_header(struct tape_image *m, struct mutate_rng *rng, size_t block)
{
    static const struct place places[] = {{4, 4},  {8, 4},  {12, 2}, {14, 2}, {16, 4}, {20, 8}, {28, 4},
                                          {32, 4}, {36, 4}, {40, 4}, {44, 8}, {52, 8}, {60, 8}};
    CHANGE_HEADER(m, rng, m->block_at[block], m->block_at[block + 1], places);
}

static void change_index(struct tape_image *m, struct mutate_rng *rng)
{
    static const struct place places[] = {{4, 4},  {8, 4},  {12, 2}, {14, 2}, {16, 4}, {20, 4},  {24, 8},  {32, 8},
                                          {40, 8}, {72, 8}, {80, 8}, {88, 8}, {96, 4}, {100, 4}, {104, 4}, {108, 4}};
    size_t at = m->block_at[m->blocks];
    if (mutate_draw(rng, 3))
        CHANGE_HEADER(m, rng, at, m->n, places);
    else if (m->n - at >= 20)
        change_number(rng, m->p + m->n - 16, 8);
}

static void change_records(struct tape_image *m, struct mutate_rng *rng, size_t block)
{
    static uint8_t raw[TAPE_MAX_RAW_BLOCK_BYTES];
    size_t n = tape_image_unpack(m, block, raw);
    size_t cap = n + RAW_ROOM_BYTES < sizeof(raw) ? n + RAW_ROOM_BYTES : sizeof(raw);
    if (n == 0)
        return;
    for (uint32_t i = mutate_draw(rng, 3) + 1; i; i--)
        record_mutate(rng, raw, &n, cap);
    if (n)
        tape_image_repack(m, block, raw, n);
}

/* A block that decompresses to much from little, or to more than its header may say. */
static void put_bomb(struct tape_image *m, struct mutate_rng *rng, size_t block)
{
    static uint8_t raw[TAPE_MAX_RAW_BLOCK_BYTES];
    memset(raw, mutate_telling_byte(rng), sizeof(raw));
    if (tape_image_repack(m, block, raw, sizeof(raw)) && mutate_draw(rng, 2))
        tt_put_u32(m->p + m->block_at[block] + 32, (uint32_t)sizeof(raw) * (1 + mutate_draw(rng, 4)));
}

/* Blocks taken out, said twice, moved to the front of another. */
static void change_order(struct tape_image *m, struct mutate_rng *rng, size_t block)
{
    static uint8_t copy[TAPE_MAX_PACKED_BLOCK_BYTES + 100];
    size_t from = m->block_at[block], to = m->block_at[block + 1], n = to - from;
    size_t other = m->block_at[mutate_draw(rng, (uint32_t)m->blocks)];
    if (n > sizeof(copy))
        return;
    memcpy(copy, m->p + from, n);
    if (mutate_draw(rng, 2) && !tape_image_splice(m, from, to, NULL, 0))
        return;
    if (mutate_draw(rng, 3) && other <= m->n)
        tape_image_splice(m, other, other, copy, n);
}

/* Cut, zeros behind, INDEX taken away, another beginning of a tape behind it. */
static void change_end(struct tape_image *m, struct mutate_rng *rng)
{
    size_t from = mutate_draw(rng, (uint32_t)m->n), room = m->cap - m->n;
    size_t n = room < 4096 ? room : mutate_draw(rng, 4096);
    switch (mutate_draw(rng, 5)) {
    case 0:
        m->n = from;
        break;
    case 1:
        memset(m->p + from, 0, m->n - from);
        break;
    case 2:
        memset(m->p + m->n, 0, n);
        m->n += n;
        break;
    case 3:
        n = n < m->n ? n : m->n;
        memcpy(m->p + m->n, m->p, n);
        m->n += n;
        break;
    default:
        m->n = m->block_at[m->blocks];
    }
}

static void change_something(struct tape_image *m, struct mutate_rng *rng)
{
    uint32_t what = mutate_draw(rng, 20);
    if (!m->file_bytes || what == 0) {
        change_bytes(rng, m->p, &m->n, m->cap);
        return;
    }
    if (what == 1) {
        change_file_header(m, rng);
    } else if (what == 2) {
        change_index(m, rng);
    } else if (what == 3) {
        change_end(m, rng);
    } else if (m->blocks) {
        size_t block = mutate_draw(rng, (uint32_t)m->blocks);
        if (what < 6)
            change_block_header(m, rng, block);
        else if (what < 8)
            change_order(m, rng, block);
        else if (what == 8 && mutate_draw(rng, 8) == 0)
            put_bomb(m, rng, block);
        else
            change_records(m, rng, block);
    }
}

size_t tape_mutate(uint8_t *p, size_t n, size_t cap, unsigned seed)
{
    struct mutate_rng rng = mutate_rng_of(seed * 2654435761u); /* neighbouring seeds part at once */
    struct tape_image m = {.p = p, .n = n, .cap = cap};
    tape_image_parse(&m);
    change_something(&m, &rng);
    static const enum tape_seal levels[] = {SEAL_NOTHING, SEAL_CRCS,   SEAL_CHAIN,  SEAL_CHAIN,
                                            SEAL_COUNTS,  SEAL_COUNTS, SEAL_COUNTS, SEAL_COUNTS};
    tape_image_seal(&m, levels[mutate_draw(&rng, sizeof(levels) / sizeof(levels[0]))]);
    return m.n;
}
