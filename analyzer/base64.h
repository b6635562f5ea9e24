/* Base64 (RFC 4648 section 4, padded). */
#ifndef ANALYZER_BASE64_H
#define ANALYZER_BASE64_H

#include "../format/bytes.h"

/* Length of the text for n bytes. */
static inline size_t base64_length(size_t n)
{
    return (n + 2) / 3 * 4;
}

/* Writes base64_length(v.n) characters, no terminating zero. */
void base64_encode(struct tt_view v, char *out);

#endif
