/* Private to openai*.c. */
#ifndef ANALYZER_OPENAI_PARTS_H
#define ANALYZER_OPENAI_PARTS_H

#include "openai.h"

/* A value that was passed over: its first token and its text. */
struct openai_value {
    enum json_token token;
    struct tt_view text; /* JSON_STRING: raw, between the quotes; else all of it */
};

/* Takes the next value. False: fault in the text. */
bool openai_take_value(struct json_reader *r, struct openai_value *value);

/* Index of the name that a raw key decodes to, or `count`. */
size_t openai_find_name(struct tt_view key, const char *const *names, size_t count);

/* Reads a choice whose first token was taken. False: fault in the text. */
bool openai_read_choice(struct json_reader *r, enum json_token token, enum stream_endpoint endpoint,
                        struct openai_choice *choice);

#endif
