/* The log: one JSON object a line for each request and each closed connection. */
#ifndef MOCK_LOG_H
#define MOCK_LOG_H

#include <stdio.h>

#include "conn.h"

struct log {
    FILE *file; /* NULL: no log */
    bool heads; /* the requests' heads too */
    struct buffer line;
};

void log_open(struct log *l, const char *path);
void log_request(struct log *l, const struct conn *c, const char *end);
void log_close(struct log *l, const struct conn *c, const char *by, uint64_t now_ns);
void log_free(struct log *l);

#endif
