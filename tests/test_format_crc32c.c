/* CRC32C: known vectors of RFC 3720, and both ways of computing it against a
 * third, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../format/crc32c.h"

static uint32_t bit_by_bit(const uint8_t *p, size_t n)
{
    uint32_t c = 0xffffffffu;
    while (n--) {
        c ^= *p++;
        for (int i = 0; i < 8; i++)
            c = c & 1 ? (c >> 1) ^ 0x82f63b78u : c >> 1;
    }
    return ~c;
}

static void known_vectors(void **state)
{
    (void)state;
    uint8_t bytes[32] = {0};
    assert_int_equal(crc32c(bytes, 0), 0);
    assert_int_equal(crc32c(bytes, 32), 0x8a9136aau);
    assert_int_equal(crc32c_add_software(0, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(crc32c(bytes, 32), 0x62a8ab43u);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(crc32c(bytes, 32), 0x46dd794eu);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    assert_int_equal(crc32c(bytes, 32), 0x113fdb5cu);
    assert_int_equal(crc32c("123456789", 9), 0xe3069283u);
}

/* Every way of computing it, from `p`. */
static void expect_all_ways(const uint8_t *p, size_t n)
{
    uint32_t want = bit_by_bit(p, n);
    assert_int_equal(crc32c(p, n), want);
    assert_int_equal(crc32c_add_software(0, p, n), want);
    if (crc32c_has_hardware())
        assert_int_equal(crc32c_add_hardware(0, p, n), want);
}

static void all_ways_agree(void **state)
{
    (void)state;
    static uint8_t bytes[(64 << 10) + 16];
    uint32_t seed = 12345;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
    for (size_t from = 0; from < 16; from++) {
        for (size_t n = 0; n <= 300; n++)
            expect_all_ways(bytes + from, n);
        expect_all_ways(bytes + from, sizeof(bytes) - 16);
    }
    print_message("# CRC32C %s\n", crc32c_has_hardware() ? "by the processor and by tables" : "by tables alone");
}

static void goes_on_from_any_cut(void **state)
{
    (void)state;
    const char text[] = "a tape is read in pieces, its CRC is not";
    uint32_t want = crc32c(text, sizeof(text));
    for (size_t cut = 0; cut <= sizeof(text); cut++) {
        assert_int_equal(crc32c_add(crc32c(text, cut), text + cut, sizeof(text) - cut), want);
        uint32_t first = crc32c_add_software(0, text, cut);
        assert_int_equal(crc32c_add_software(first, text + cut, sizeof(text) - cut), want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_vectors),
        cmocka_unit_test(all_ways_agree),
        cmocka_unit_test(goes_on_from_any_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
