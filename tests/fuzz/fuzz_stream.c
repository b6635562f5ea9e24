/* A whole answer, framing included: the same facts whole and one byte at a time. */
#include "../../analyzer/stream.h"
#include "../../format/pack.h"
#include "fuzz.h"

static struct stream *run(const uint8_t *data, size_t n, size_t step, bool chunked)
{
    struct stream_options o = {.observe = {.marker = tt_view_str("ANVIL_REQ_0_00000"), .response_words = 2}};
    struct stream *s = stream_create(&o);
    struct pack head = {0};
    FUZZ_REQUIRE(s);
    pack_array(&head, chunked ? 2 : 0);
    if (chunked) {
        pack_str(&head, tt_view_str("transfer-encoding"));
        pack_str(&head, tt_view_str("chunked"));
    }
    FUZZ_REQUIRE(stream_head(s, 0, tt_view_str("HTTP/1.1 200 OK"), tt_view_of(head.bytes, head.len)) == TT_OK);
    pack_free(&head);
    for (size_t at = 0; at < n; at += step) {
        size_t piece = n - at < step ? n - at : step;
        uint8_t *copy = fuzz_copy(data + at, piece);
        FUZZ_REQUIRE(stream_read(s, at + 1, tt_view_of(copy, piece)) == TT_OK);
        free(copy);
    }
    FUZZ_REQUIRE(stream_end(s, n + 1, true) == TT_OK);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1)
        return 0;
    bool chunked = data[0] & 1;
    struct stream *a = run(data + 1, n - 1, n, chunked), *b = run(data + 1, n - 1, 1, chunked);
    const struct stream_facts *x = stream_facts(a), *y = stream_facts(b);
    FUZZ_REQUIRE(x->events == y->events && x->comments == y->comments && x->payloads_not_json == y->payloads_not_json);
    FUZZ_REQUIRE(x->reasoning_chunks == y->reasoning_chunks && x->content_chunks == y->content_chunks);
    FUZZ_REQUIRE(x->content_chars == y->content_chars && x->finish_reason_count == y->finish_reason_count);
    FUZZ_REQUIRE(x->done_seen == y->done_seen && x->error_seen == y->error_seen &&
                 x->body_complete == y->body_complete);
    FUZZ_REQUIRE(x->canary.observed_marker_count == y->canary.observed_marker_count);
    FUZZ_REQUIRE(x->controlled.observed_code_words == y->controlled.observed_code_words);
    FUZZ_REQUIRE(x->body_bytes == n - 1 && y->body_bytes == n - 1);
    stream_free(a);
    stream_free(b);
    return 0;
}
