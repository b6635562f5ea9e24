#include "seed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "text.h"

static enum tt_status draw(char **out, struct tt_error *err)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "--seed random: the kernel gives no random bytes: give a number");
    if (asprintf(out, "%" PRIu64, bits >> 1) < 0) {
        *out = NULL;
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the seed");
    }
    return TT_OK;
}

enum tt_status seed_parse(const char *text, char **out, bool *was_random, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES];
    *was_random = text && strcmp(text, "random") == 0;
    if (*was_random)
        return draw(out, err);
    const char *digits = text ? text : "0";
    bool negative = *digits == '-';
    digits += negative || *digits == '+';
    size_t n = strlen(digits);
    if (n == 0 || strspn(digits, "0123456789") != n)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--seed %s is no integer: give digits with or without a sign, or random",
                       text[0] ? text_shown(text, shown) : "''");
    size_t zeros = strspn(digits, "0");
    digits += zeros < n ? zeros : n - 1;
    n = strlen(digits);
    if (n > SEED_MAX_DIGITS)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--seed has %zu digits: it stands in every prompt and marker: give at most %d", n,
                       SEED_MAX_DIGITS);
    negative = negative && digits[0] != '0';
    char *seed = malloc(n + 2);
    if (!seed)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the seed");
    seed[0] = '-';
    memcpy(seed + negative, digits, n + 1);
    *out = seed;
    return TT_OK;
}
