/* Event-stream framing: the same events whole, and cut where the first byte says. */
#include "../../analyzer/sse.h"
#include "fuzz.h"

struct seen {
    uint64_t events, comments, done, data_bytes, hash;
};

static void mix(struct seen *s, struct tt_view v)
{
    for (size_t i = 0; i < v.n; i++)
        s->hash = (s->hash ^ v.p[i]) * 1099511628211u;
    s->hash = (s->hash ^ 0x100) * 1099511628211u;
}

static void on_event(void *ctx, const struct sse_event *e)
{
    struct seen *s = ctx;
    s->events++;
    s->data_bytes += e->data.n;
    mix(s, e->data);
    mix(s, e->type);
    mix(s, e->id);
}

static void on_comment(void *ctx, struct tt_view text)
{
    struct seen *s = ctx;
    s->comments++;
    mix(s, text);
}

static void on_done(void *ctx)
{
    ((struct seen *)ctx)->done++;
}

static struct seen run(const uint8_t *data, size_t n, size_t step)
{
    struct seen seen = {.hash = 14695981039346656037u};
    struct sse_calls calls = {.event = on_event, .comment = on_comment, .done_line = on_done, .ctx = &seen};
    struct sse *s = sse_create(&calls, NULL);
    FUZZ_REQUIRE(s);
    for (size_t at = 0; at < n; at += step) {
        size_t piece = n - at < step ? n - at : step;
        uint8_t *copy = fuzz_copy(data + at, piece);
        FUZZ_REQUIRE(sse_feed(s, tt_view_of(copy, piece)) == TT_OK);
        free(copy);
    }
    sse_finish(s, true);
    sse_free(s);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1)
        return 0;
    size_t step = data[0] ? data[0] : 1;
    struct seen whole = run(data + 1, n - 1, n), cut = run(data + 1, n - 1, step), bytes = run(data + 1, n - 1, 1);
    FUZZ_REQUIRE(memcmp(&whole, &cut, sizeof whole) == 0);
    FUZZ_REQUIRE(memcmp(&whole, &bytes, sizeof whole) == 0);
    return 0;
}
