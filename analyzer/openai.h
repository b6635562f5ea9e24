/* What one event's payload says in the OpenAI dialects (chat chunks and
 * /v1/completions chunks), taken from the text without a tree and without
 * allocation. Keys may come in any order and with escapes; a key that comes twice
 * counts with its last value, as in Python. Strings stay raw: json_string_next().
 *
 * Dialects, beyond OpenAI's own form:
 * - reasoning: `reasoning_content` (vLLM, SGLang, DeepSeek), else `reasoning`
 *   (newer vLLM, OpenRouter), else a non-empty `text` or `summary` inside
 *   `reasoning_details` (OpenRouter). One delta is one chunk, however many parts.
 * - content: a string, or an array of parts whose non-empty `text` is content.
 * - tool calls: a non-empty `tool_calls` array, or the older `function_call` object.
 * - errors: a top-level `error` that is not null, or `"object": "error"` (older
 *   vLLM, LMDeploy). */
#ifndef ANALYZER_OPENAI_H
#define ANALYZER_OPENAI_H

#include "json.h"
#include "stream.h"

#define OPENAI_KIND_CHARS 64u

/* Text of one channel of one delta. p == NULL: none, or nothing but empty text. */
struct openai_text {
    struct tt_view raw; /* a raw string, or the JSON text of an array */
    bool parts;         /* it is the array */
};

struct openai_choice {
    struct openai_text reasoning, content;
    bool role, tool_call, refusal; /* a role string, a call, a non-empty refusal */
    struct tt_view finish;         /* p == NULL: null or absent */
    bool finish_is_string;         /* then raw, else JSON text */
};

struct openai_chunk {
    enum stream_endpoint endpoint;
    uint64_t choices;           /* elements of the choices array */
    struct openai_choice first; /* of them */
    struct tt_view array;       /* all of them */
    struct tt_view usage;       /* JSON text of a non-empty object, or p == NULL */
    struct tt_view error;       /* JSON text of what names the error, or p == NULL: no error */
    struct tt_view whole;       /* the payload */
};

/* False: not JSON, and nothing in `chunk` counts. Any JSON value gives true. */
bool openai_read(struct tt_view payload, enum stream_endpoint endpoint, struct openai_chunk *chunk);

/* Choices of a chunk in order. The chunk must outlive the walk. */
struct openai_walk {
    const struct openai_chunk *chunk;
    uint64_t index;
    struct json_reader reader;
};

void openai_walk_begin(struct openai_walk *w, const struct openai_chunk *chunk);
const struct openai_choice *openai_walk_next(struct openai_walk *w, struct openai_choice *room);

/* Gives each non-empty raw string of a text. */
void openai_text_each(const struct openai_text *text, void (*piece)(void *ctx, struct tt_view raw), void *ctx);

/* Counts of a usage object. */
void openai_read_usage(struct tt_view object, struct usage_facts *usage);

/* `type`, else `code`, of an error object when it is a plain word; else "". */
void openai_error_kind(struct tt_view error, char out[OPENAI_KIND_CHARS + 1]);

#endif
