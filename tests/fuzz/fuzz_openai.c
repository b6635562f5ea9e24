/* Payloads of events: read as chat and as completion chunks; the tokenizer and the
 * chunk reader agree on what is JSON. */
#include "../../analyzer/openai.h"
#include "fuzz.h"

static void on_piece(void *ctx, struct tt_view raw)
{
    uint64_t *chars = ctx;
    while (json_string_next(&raw) != JSON_STRING_DONE)
        ++*chars;
}

static bool is_json(struct tt_view text)
{
    struct json_reader r;
    json_begin(&r, text);
    for (;;) {
        enum json_token t = json_next(&r);
        if (t == JSON_END || t == JSON_ERROR)
            return t == JSON_END;
    }
}

static void read_as(struct tt_view text, enum stream_endpoint endpoint)
{
    struct openai_chunk chunk;
    bool good = openai_read(text, endpoint, &chunk);
    FUZZ_REQUIRE(good == is_json(text));
    if (!good)
        return;
    struct openai_walk walk;
    struct openai_choice room;
    uint64_t chars = 0, choices = 0;
    openai_walk_begin(&walk, &chunk);
    for (const struct openai_choice *c; (c = openai_walk_next(&walk, &room)); choices++) {
        openai_text_each(&c->reasoning, on_piece, &chars);
        openai_text_each(&c->content, on_piece, &chars);
    }
    FUZZ_REQUIRE(choices <= chunk.choices);
    FUZZ_REQUIRE(chars <= text.n * (choices + 1));
    if (chunk.usage.p) {
        struct usage_facts usage = {0};
        openai_read_usage(chunk.usage, &usage);
    }
    if (chunk.error.p) {
        char kind[OPENAI_KIND_CHARS + 1];
        openai_error_kind(chunk.error, kind);
        FUZZ_REQUIRE(strlen(kind) <= OPENAI_KIND_CHARS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *copy = fuzz_copy(data, n);
    read_as(tt_view_of(copy, n), STREAM_CHAT);
    read_as(tt_view_of(copy, n), STREAM_COMPLETIONS);
    free(copy);
    return 0;
}
