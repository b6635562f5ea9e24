/* Requests that stand elsewhere in another judgement of the same tape: a row here, a failure
 * there, or a failure of another kind. Shown in groups of one cause each. */
#ifndef ANALYZER_MOVE_H
#define ANALYZER_MOVE_H

#include "output.h"

enum move_place { MOVE_NOWHERE, MOVE_ROW, MOVE_FAILURE };

struct move_side {
    enum move_place place;
    char class[40], type[48]; /* of a failure; "" else */
    char reasons[160];        /* what speaks against it, a comma between two; "" for none */
};

struct move {
    uint64_t request;
    struct move_side was, is;
};

/* Groups of one cause together, by request within them. */
void moves_sort(struct move *moves, size_t n);
/* The sorted ones from `at` on that have one cause: how many. */
size_t moves_group(const struct move *moves, size_t n, size_t at);
/* "1 request: row -> canary_failed (request_canary_failed): 3", a line for each group, `indent` in front. */
void moves_say(const struct move *moves, size_t n, const char *indent, struct output *o);
/* A list of groups: count, was, is, requests. */
void moves_put(const struct move *moves, size_t n, struct json_out *json);

/* "0, 3-9, 12": ascending numbers, `next` gives the i-th. As a piece of a line, however long. */
void ranges_say(struct output *o, uint64_t (*next)(const void *user, size_t i), const void *user, size_t n);

#endif
