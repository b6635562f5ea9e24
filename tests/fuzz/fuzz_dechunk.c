/* Body framing: the same payload and verdict at every cut. */
#include "../../analyzer/dechunk.h"
#include "fuzz.h"

struct seen {
    uint64_t payload, hash, surplus;
    bool complete;
    const char *fault; /* static: the same words at every cut */
};

static struct seen run(const uint8_t *data, size_t n, size_t step, enum body_framing framing)
{
    struct seen seen = {.hash = 14695981039346656037u};
    struct dechunk d;
    dechunk_begin(&d, framing, 100);
    for (size_t at = 0; at < n && !d.fault; at += step) {
        size_t piece = n - at < step ? n - at : step;
        uint8_t *copy = fuzz_copy(data + at, piece);
        struct tt_view in = tt_view_of(copy, piece), payload;
        while (dechunk_next(&d, &in, &payload) == TT_OK && payload.n) {
            FUZZ_REQUIRE(payload.p >= copy && payload.p + payload.n <= copy + piece);
            seen.payload += payload.n;
            for (size_t i = 0; i < payload.n; i++)
                seen.hash = (seen.hash ^ payload.p[i]) * 1099511628211u;
        }
        free(copy);
    }
    FUZZ_REQUIRE(seen.payload == d.payload_bytes);
    seen.complete = d.complete;
    seen.fault = d.fault;
    seen.surplus = d.surplus_bytes;
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    enum body_framing framing = (enum body_framing)(data[0] % 3);
    size_t step = data[1] ? data[1] : 1;
    struct seen whole = run(data + 2, n - 2, n, framing), cut = run(data + 2, n - 2, step, framing),
                bytes = run(data + 2, n - 2, 1, framing);
    FUZZ_REQUIRE(whole.payload == cut.payload && whole.hash == cut.hash && whole.complete == cut.complete);
    FUZZ_REQUIRE(whole.payload == bytes.payload && whole.hash == bytes.hash && whole.complete == bytes.complete);
    FUZZ_REQUIRE(whole.fault == cut.fault && whole.fault == bytes.fault);
    FUZZ_REQUIRE(whole.surplus == cut.surplus && whole.surplus == bytes.surplus);
    return 0;
}
