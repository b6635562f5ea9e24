/* One response head as it comes in, line by line: the status line, the headers of the
 * allow-list, and how the body is framed. No allocation. */
#ifndef RECORDER_HEAD_H
#define RECORDER_HEAD_H

#include "../format/pack.h"
#include "redact.h"

#define HEAD_STATUS_BYTES 128
#define HEAD_TEXT_BYTES 1792 /* names and values; headers beyond are dropped */
#define HEAD_MAX_HEADERS 40

struct head_field {
    uint16_t name_bytes, value_bytes;
};

struct head {
    unsigned status; /* 0: none yet */
    bool chunked, compressed, event_stream;
    uint16_t status_bytes, text_bytes, fields;
    uint8_t status_line[HEAD_STATUS_BYTES];
    uint8_t text[HEAD_TEXT_BYTES]; /* name, value, name, value ... without separators */
    struct head_field field[HEAD_MAX_HEADERS];
};

/* One line with its line end, as libcurl gives it. True when it ends the head. */
bool head_line(struct head *h, const uint8_t *line, size_t n);
/* Masks credentials in place; hits go to calls->hit with stream "head". */
void head_redact(struct head *h, const struct redact_rules *rules, const struct redact_calls *calls);
/* The flat array of names and values. `p` is emptied first. */
void head_pack(const struct head *h, struct pack *p);
/* May this header be recorded? */
bool head_allows(const uint8_t *name, size_t n);

#endif
