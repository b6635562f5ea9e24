/* One HTTP/1.1 request, read from any cut of its bytes. Of the body only the
 * tail is kept, so that thousands of large prompts cost nothing. */
#ifndef MOCK_REQUEST_H
#define MOCK_REQUEST_H

#include <stdbool.h>

#include "buffer.h"

#define REQUEST_MAX_HEAD 65536u
#define REQUEST_TAIL 8192u /* the marker and the wanted words stand in the last bytes of the body */

enum request_state { REQUEST_HEAD, REQUEST_BODY, REQUEST_COMPLETE, REQUEST_BAD };

struct request {
    enum request_state state;
    uint64_t first_byte_ns, head_ns, body_ns; /* 0: not yet */
    char method[16], path[256], query[256], marker[1280], index[16];
    char *auth; /* owned; NULL when none came */
    bool close, expect_continue;
    uint64_t content_length, body_bytes;
    int64_t index_number; /* -1 without a marker */
    uint64_t words;       /* 0: the prompt asks for none */
    struct buffer head, tail;
};

/* Takes bytes until the request is complete; returns how many it used. */
size_t request_feed(struct request *r, const char *p, size_t n, uint64_t now_ns);
void request_reset(struct request *r); /* keeps the buffers */
void request_free(struct request *r);

#endif
