#include "chain.h"

#include <stdlib.h>

#include <openssl/evp.h>

struct chain {
    EVP_MD_CTX *ctx;
};

static enum tt_status chain_fail(struct tt_error *err)
{
    return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "SHA-256: libcrypto failed");
}

enum tt_status chain_create(struct chain **out, struct tt_error *err)
{
    *out = NULL;
    struct chain *c = calloc(1, sizeof(*c));
    if (!c)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    c->ctx = EVP_MD_CTX_new();
    if (!c->ctx) {
        free(c);
        return chain_fail(err);
    }
    *out = c;
    return TT_OK;
}

void chain_free(struct chain *c)
{
    if (!c)
        return;
    EVP_MD_CTX_free(c->ctx);
    free(c);
}

enum tt_status chain_begin(struct chain *c, struct tt_error *err)
{
    return EVP_DigestInit_ex(c->ctx, EVP_sha256(), NULL) == 1 ? TT_OK : chain_fail(err);
}

enum tt_status chain_add(struct chain *c, const void *bytes, size_t n, struct tt_error *err)
{
    return EVP_DigestUpdate(c->ctx, bytes, n) == 1 ? TT_OK : chain_fail(err);
}

enum tt_status chain_end(struct chain *c, uint8_t hash[CHAIN_HASH_BYTES], struct tt_error *err)
{
    unsigned n = 0;
    return EVP_DigestFinal_ex(c->ctx, hash, &n) == 1 && n == CHAIN_HASH_BYTES ? TT_OK : chain_fail(err);
}

enum tt_status chain_hash(struct chain *c, const void *bytes, size_t n, uint8_t hash[CHAIN_HASH_BYTES],
                          struct tt_error *err)
{
    enum tt_status st = chain_begin(c, err);
    if (st == TT_OK)
        st = chain_add(c, bytes, n, err);
    if (st == TT_OK)
        st = chain_end(c, hash, err);
    return st;
}

void chain_hex(const uint8_t hash[CHAIN_HASH_BYTES], char hex[CHAIN_HEX_BYTES + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < CHAIN_HASH_BYTES; i++) {
        hex[2 * i] = digits[hash[i] >> 4];
        hex[2 * i + 1] = digits[hash[i] & 15];
    }
    hex[CHAIN_HEX_BYTES] = '\0';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int chain_from_hex(const char *hex, uint8_t hash[CHAIN_HASH_BYTES])
{
    for (int i = 0; i < CHAIN_HASH_BYTES; i++) {
        int hi = hex_digit(hex[2 * i]);
        int lo = hi < 0 ? -1 : hex_digit(hex[2 * i + 1]);
        if (lo < 0)
            return 0;
        hash[i] = (uint8_t)(hi << 4 | lo);
    }
    return 1;
}
