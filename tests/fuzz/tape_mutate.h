/* The mutator that knows the tape: records under CRCs and hashes that hold, header fields, whole blocks,
 * INDEX, ends of files. As LLVMFuzzerCustomMutator() of a target, libFuzzer's own changes are among it. */
#ifndef FUZZ_TAPE_MUTATE_H
#define FUZZ_TAPE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes p[0, n), which has room for `cap` bytes; gives the new length. */
size_t tape_mutate(uint8_t *p, size_t n, size_t cap, unsigned seed);

#endif
