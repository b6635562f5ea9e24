#include "crc32c.h"

#include "bytes.h"

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t table[8][256];
static int hardware;

/* Runs before main, hence before any thread: no lock, no race. */
__attribute__((constructor)) static void crc32c_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = (c >> 1) ^ (POLYNOMIAL & (0u - (c & 1)));
        table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xff];
    hardware = crc32c_has_hardware();
}

/* Slicing by 8: eight table look-ups stand for eight bytes at once. */
uint32_t crc32c_add_software(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint32_t c = ~crc;
    for (; n >= 8; p += 8, n -= 8) {
        uint32_t lo = c ^ tt_get_u32(p), hi = tt_get_u32(p + 4);
        c = table[7][lo & 0xff] ^ table[6][lo >> 8 & 0xff] ^ table[5][lo >> 16 & 0xff] ^ table[4][lo >> 24] ^
            table[3][hi & 0xff] ^ table[2][hi >> 8 & 0xff] ^ table[1][hi >> 16 & 0xff] ^ table[0][hi >> 24];
    }
    while (n--)
        c = (c >> 8) ^ table[0][(c ^ *p++) & 0xff];
    return ~c;
}

#if defined(__x86_64__) && !defined(TAPE_CRC32C_BY_TABLES)
#include <nmmintrin.h>

int crc32c_has_hardware(void)
{
    __builtin_cpu_init(); /* we are called from a constructor */
    return __builtin_cpu_supports("sse4.2") ? 1 : 0;
}

__attribute__((target("sse4.2"))) uint32_t crc32c_add_hardware(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t c = (uint32_t)~crc;
    for (; n >= 8; p += 8, n -= 8)
        c = _mm_crc32_u64(c, tt_get_u64(p));
    uint32_t tail = (uint32_t)c;
    while (n--)
        tail = _mm_crc32_u8(tail, *p++);
    return ~tail;
}

#elif defined(__aarch64__) && !defined(TAPE_CRC32C_BY_TABLES)
#include <sys/auxv.h>

#define AARCH64_HWCAP_CRC32 (1ul << 7)

int crc32c_has_hardware(void)
{
    return getauxval(AT_HWCAP) & AARCH64_HWCAP_CRC32 ? 1 : 0;
}

/* By assembler, because gcc and clang spell the target attribute differently. */
uint32_t crc32c_add_hardware(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint32_t c = ~crc;
    for (; n >= 8; p += 8, n -= 8)
        __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(c) : "r"(tt_get_u64(p)));
    for (; n; p++, n--)
        __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(c) : "r"((uint32_t)*p));
    return ~c;
}

#else

int crc32c_has_hardware(void)
{
    return 0;
}

uint32_t crc32c_add_hardware(uint32_t crc, const void *bytes, size_t n)
{
    return crc32c_add_software(crc, bytes, n);
}

#endif

uint32_t crc32c_add(uint32_t crc, const void *bytes, size_t n)
{
    return hardware ? crc32c_add_hardware(crc, bytes, n) : crc32c_add_software(crc, bytes, n);
}
