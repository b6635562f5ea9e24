/* A growing text. After an allocation failure it is dead and takes nothing more. */
#ifndef ANALYZER_JSON_BUFFER_H
#define ANALYZER_JSON_BUFFER_H

#include "../format/bytes.h"

struct json_buffer { /* starts zeroed; free(bytes) afterwards */
    uint8_t *bytes;
    size_t n, cap;
    bool dead;
};

/* Makes it n bytes longer; returns where they begin, or NULL when it is dead. */
uint8_t *json_buffer_extend(struct json_buffer *b, size_t n);
void json_buffer_put(struct json_buffer *b, const void *p, size_t n);

#endif
