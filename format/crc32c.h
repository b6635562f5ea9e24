/* CRC32C (Castagnoli, RFC 3720 appendix B.4), by the processor's own
 * instruction where there is one (x86-64 with SSE4.2, aarch64 with the CRC
 * extension), by tables elsewhere and where TAPE_CRC32C_BY_TABLES is defined. Any thread. */
#ifndef TAPE_CRC32C_H
#define TAPE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC of `n` bytes going on from `crc`, the CRC of what came before (0 at first). */
uint32_t crc32c_add(uint32_t crc, const void *bytes, size_t n);

static inline uint32_t crc32c(const void *bytes, size_t n)
{
    return crc32c_add(0, bytes, n);
}

/* The two ways separately, so that a test can compare them. The hardware one
 * must only be called when crc32c_has_hardware() says 1. */
uint32_t crc32c_add_software(uint32_t crc, const void *bytes, size_t n);
uint32_t crc32c_add_hardware(uint32_t crc, const void *bytes, size_t n);
int crc32c_has_hardware(void);

#endif
