/* Names that look like one that does not exist. */
#ifndef ANALYZER_NEAR_H
#define ANALYZER_NEAR_H

#include <stddef.h>

#define NEAR_BYTES 200u

/* Up to five of the n names, the nearest first: "a, b, c"; "" when none is near. Returns out. */
const char *near_names(const char *wanted, const char *(*name)(size_t i), size_t n, char out[NEAR_BYTES]);

#endif
