/* How late a client was: the time at which it had an event against the stamp that the
 * mock server put into that event just before its write(). Clients that are compared
 * are judged by this one piece of code. */
#ifndef BENCH_ERRORS_H
#define BENCH_ERRORS_H

#include <stddef.h>
#include <stdint.h>

/* One answer: looks for `"mock_ns":"<digits>"` and then the blank line that ends the
 * event, over any split of the bytes. Zero-initialized. */
struct errors_stream {
    uint64_t stamp_ns;
    unsigned matched; /* bytes of the key seen */
    unsigned digits;
    unsigned newlines; /* in a row, behind a stamp */
};

/* All errors of a run, in the order met. Zero-initialized. */
struct errors {
    int64_t *late_ns; /* owned */
    size_t count, room;
};

/* Bytes of one answer, had at now_ns (CLOCK_MONOTONIC). Returns -1 when out of memory. */
int errors_feed(struct errors *e, struct errors_stream *s, const uint8_t *p, size_t n, uint64_t now_ns);

/* Prints one JSON object: events, p50, p99, p99.9 and max in microseconds
 * (nearest rank: sorted[ceil(q*n) - 1]; null without events). Sorts. */
void errors_print(struct errors *e);
void errors_free(struct errors *e);

#endif
