/* Numbers for people: 25,279 and 26,858.8. The point is a point in every locale. */
#ifndef ANALYZER_NUMBER_H
#define ANALYZER_NUMBER_H

#include <stdint.h>

#define NUMBER_BYTES 40u

/* Both return `out`. */
const char *number_u64(uint64_t v, char out[NUMBER_BYTES]);
/* Rounded to `decimals` (0..6) places; "-" when not finite, "1.23e+20" style past 15 digits. */
const char *number_double(double v, unsigned decimals, char out[NUMBER_BYTES]);

#endif
