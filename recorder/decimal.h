/* Numbers as text, the same under every locale. */
#ifndef RECORDER_DECIMAL_H
#define RECORDER_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits only, no sign, no space; false on anything else. A value past UINT64_MAX reads as UINT64_MAX. */
bool decimal_parse_uint(const char *text, uint64_t *value);

/* [sign] digits [. digits] [e [sign] digits] with at least one digit before the exponent; false on anything else,
 * NaN and infinity by name included. A value too large reads as infinity, so that range checks refuse it. */
bool decimal_parse_real(const char *text, double *value);

/* A finite value as the shortest JSON number that reads back equal, ".0" on whole values. `out` holds 40 bytes. */
#define DECIMAL_REAL_BYTES 40
void decimal_format_real(double value, char out[DECIMAL_REAL_BYTES]);

#endif
