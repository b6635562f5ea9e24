/* How much of a time the client itself may have made, before the time is called limited by the client. */
#ifndef ANALYZER_CLIENT_LIMIT_H
#define ANALYZER_CLIENT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct client_limit {
    uint64_t us, milli_percent; /* the larger of the two is the limit */
};

#define CLIENT_LIMIT_DEFAULT ((struct client_limit){.us = 5000, .milli_percent = 1000})
#define CLIENT_LIMIT_MOST_US 3600000000u
#define CLIENT_LIMIT_MOST_MILLI_PERCENT 100000u

/* "5", "5ms", "0.25ms,2%", "5,0": milliseconds, and a per cent of the value (1 without one), both with up to three
 * decimals. False: it is no such thing, or out of bounds (an hour, 100 %); `limit` is then as before. */
bool client_limit_parse(const char *text, struct client_limit *limit);
/* As a result tells them; false: they are not what client_limit_parse() could have given. */
bool client_limit_from_json(double ms, double percent, struct client_limit *limit);
double client_limit_ms(const struct client_limit *limit);
double client_limit_percent(const struct client_limit *limit);
/* What may be added to a time of that length. */
uint64_t client_limit_ns(const struct client_limit *limit, uint64_t value_ns);

#endif
