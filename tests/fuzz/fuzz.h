/* A fuzz target: takes any bytes, must not crash, hang or grow. libFuzzer drives it,
 * or replay.c with the files of corpus/<target>/ under a plain compiler. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A target may have one: changes data[0, n), which has room for `cap` bytes; gives the new length. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed);

/* An exact-size copy: a read one byte past its end is seen by the sanitizer. */
static inline uint8_t *fuzz_copy(const uint8_t *data, size_t n)
{
    uint8_t *p = calloc(1, n ? n : 1);
    if (!p)
        abort();
    if (n)
        memcpy(p, data, n);
    return p;
}

/* What must hold for every input. */
#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
