/* A strict JSON tokenizer (RFC 8259) over borrowed bytes: no allocation, no
 * recursion, numbers keep their text, strings keep their escapes until asked.
 * Trailing bytes after the value are an error. Control characters inside strings
 * are an error; invalid UTF-8 is not (it decodes to U+FFFD). */
#ifndef ANALYZER_JSON_H
#define ANALYZER_JSON_H

#include "../format/bytes.h"

#define JSON_MAX_DEPTH 512u

enum json_token {
    JSON_ERROR = 0, /* see fault and fault_offset; every further call gives it again */
    JSON_END,       /* the one value is complete and nothing but white space follows */
    JSON_OBJECT_BEGIN,
    JSON_OBJECT_END,
    JSON_ARRAY_BEGIN,
    JSON_ARRAY_END,
    JSON_KEY,    /* raw: between the quotes, escapes as written */
    JSON_STRING, /* raw: likewise */
    JSON_NUMBER, /* raw: the text of the number */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
};

struct json_reader {
    const uint8_t *start, *at, *end;
    struct tt_view raw;
    const char *fault;
    size_t fault_offset;
    unsigned depth;
    uint8_t expect; /* private: grammar state */
    uint64_t is_object[JSON_MAX_DEPTH / 64];
};

void json_begin(struct json_reader *r, struct tt_view text);
enum json_token json_next(struct json_reader *r);

/* Skips the value whose first token is `token` (already taken). False on error. */
bool json_skip(struct json_reader *r, enum json_token token);

/* Next code point of a raw string; advances *raw. JSON_STRING_DONE at its end.
 * Pairs of \u escapes join; a lone surrogate or invalid UTF-8 gives U+FFFD. */
#define JSON_STRING_DONE 0xffffffffu
uint32_t json_string_next(struct tt_view *raw);

/* Does the raw string decode to exactly this ASCII text? */
bool json_string_is(struct tt_view raw, const char *ascii);

/* An integer >= 0 written without fraction and exponent that fits 64 bits. */
bool json_number_u64(struct tt_view raw, uint64_t *value);
/* True when the text has neither fraction nor exponent (Python's int). */
bool json_number_is_integer(struct tt_view raw);
double json_number_double(struct tt_view raw);

#endif
