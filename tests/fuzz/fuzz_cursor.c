/* Any msgpack: what is passed over as one value can be taken item by item, to the same end. */
#include "../../format/cursor.h"
#include "../../format/limits.h"
#include "fuzz.h"

/* Takes one value of containers and scalars, counting on its own; false where it cannot. */
static bool take_value(struct cursor *c)
{
    struct cursor_item item;
    for (uint64_t left = 1; left; left--) {
        size_t before = c->at;
        if (cursor_next(c, &item) != TT_OK) {
            FUZZ_REQUIRE(c->at == before);
            return false;
        }
        FUZZ_REQUIRE(c->at > before && c->at <= c->n);
        if (item.type == CURSOR_STR || item.type == CURSOR_BIN)
            FUZZ_REQUIRE(item.text.p >= c->p + before && item.text.p + item.text.n == c->p + c->at);
        if (item.type == CURSOR_ARRAY || item.type == CURSOR_MAP) {
            uint64_t elements = item.type == CURSOR_MAP ? 2 * (uint64_t)item.count : item.count;
            FUZZ_REQUIRE(elements <= c->n - c->at);
            left += elements;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *copy = fuzz_copy(data, n);
    struct cursor skipped = cursor_of(tt_view_of(copy, n)), taken = skipped;
    for (;;) {
        size_t before = skipped.at;
        enum tt_status st = cursor_skip(&skipped, TAPE_MAX_NESTING);
        bool whole = take_value(&taken);
        FUZZ_REQUIRE(st == TT_OK ? whole && skipped.at == taken.at : skipped.at == before);
        FUZZ_REQUIRE(!whole || st == TT_OK || st == TT_LIMIT);
        struct cursor flat = {copy, n, before};
        if (st == TT_OK && cursor_skip(&flat, 0) == TT_OK)
            FUZZ_REQUIRE(flat.at == skipped.at);
        if (st != TT_OK)
            break;
    }
    free(copy);
    return 0;
}
