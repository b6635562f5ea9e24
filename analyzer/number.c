#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Puts commas into the leading digits of `digits` and keeps what follows them. */
static const char *group(const char *digits, char out[NUMBER_BYTES])
{
    size_t sign = digits[0] == '-', n = strspn(digits + sign, "0123456789"), at = 0;
    for (size_t i = 0; i < sign + n; i++) {
        if (i > sign && (sign + n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    snprintf(out + at, NUMBER_BYTES - at, "%s", digits + sign + n);
    return out;
}

const char *number_u64(uint64_t v, char out[NUMBER_BYTES])
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, v);
    return group(digits, out);
}

const char *number_double(double v, unsigned decimals, char out[NUMBER_BYTES])
{
    char digits[32];
    if (!isfinite(v)) {
        snprintf(out, NUMBER_BYTES, "-");
        return out;
    }
    if (fabs(v) >= 1e15) {
        snprintf(out, NUMBER_BYTES, "%.3g", v);
        return out;
    }
    snprintf(digits, sizeof digits, "%.*f", (int)(decimals < 6 ? decimals : 6), v);
    return group(digits, out);
}
