/* One record: what decodes, encodes again to a record that decodes to the same kind and
 * time, and its maps and arrays can be walked to their end. */
#include "../../format/cursor.h"
#include "../../format/limits.h"
#include "../../format/record.h"
#include "fuzz.h"

static void walk_map(const struct tape_map *map)
{
    size_t at = 0, pairs = 0;
    struct tt_view key;
    struct tape_scalar value;
    struct tt_error err;
    if (!map->packed.p)
        return;
    while (tape_map_next(map, &at, &key, &value, &err) == TT_OK)
        FUZZ_REQUIRE(++pairs <= TAPE_MAX_MAP_ENTRIES);
}

static void walk_array(struct tt_view packed)
{
    size_t at = 0, n = 0;
    struct tape_scalar value;
    struct tt_error err;
    while (packed.p && tape_array_next(packed, &at, &value, &err) == TT_OK)
        FUZZ_REQUIRE(++n <= packed.n);
}

static void encode_again(const struct tape_record *rec)
{
    struct tape_record again;
    struct tt_error err;
    size_t cap = record_bound(rec), len = 0, used = 0;
    uint8_t *out = malloc(cap);
    FUZZ_REQUIRE(out);
    if (record_encode(rec, out, cap, &len, &err) == TT_OK) {
        FUZZ_REQUIRE(len <= cap);
        FUZZ_REQUIRE(record_decode(tt_view_of(out, len), &again, &used, &err) == TT_OK);
        FUZZ_REQUIRE(used == len && again.kind == rec->kind && record_time(&again) == record_time(rec));
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *copy = fuzz_copy(data, n);
    struct tape_record rec;
    struct tt_error err;
    size_t used = 0;
    struct cursor c = cursor_of(tt_view_of(copy, n));
    (void)cursor_skip(&c, TAPE_MAX_NESTING);
    FUZZ_REQUIRE(c.at <= n);
    if (record_decode(tt_view_of(copy, n), &rec, &used, &err) == TT_OK) {
        FUZZ_REQUIRE(used > 0 && used <= n);
        if (rec.kind == TAPE_RUN) {
            walk_map(&rec.u.run.options);
            walk_map(&rec.u.run.features);
        } else if (rec.kind == TAPE_HEAD) {
            walk_array(rec.u.head.headers);
        } else if (rec.kind == TAPE_LOST) {
            walk_array(rec.u.lost.requests);
        }
        if (rec.kind < TAPE_SIGN)
            encode_again(&rec);
    }
    free(copy);
    return 0;
}
