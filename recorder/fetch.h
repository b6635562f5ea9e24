/* One GET, its answer kept up to a bound: /models, and the opening of connections
 * ahead of a run. It leaves no record by itself. I/O thread only. */
#ifndef RECORDER_FETCH_H
#define RECORDER_FETCH_H

#include "multi.h"

struct fetch;

struct fetch_options {
    struct multi *multi;
    const char *url;
    void *headers;       /* multi_headers_create() */
    size_t cap_bytes;    /* of the answer; what goes beyond is dropped and makes it `cut` */
    bool own_connection; /* a new one, which stays open; else it is closed */
    /* May come before fetch_start() has returned; frees nothing. */
    void (*done)(void *ctx, struct fetch *f);
    void *ctx;
};

struct fetch {
    struct multi_client client;
    struct fetch_options o;
    void *easy;
    bool over, cut;
    int curl_code;
    unsigned status; /* 0: no answer */
    uint8_t *bytes;
    size_t n;
    char error[MULTI_ERROR_BYTES]; /* "": none */
};

/* NULL: no memory. */
struct fetch *fetch_start(const struct fetch_options *options);
/* In mid-transfer too; accepts NULL. */
void fetch_free(struct fetch *f);

#endif
