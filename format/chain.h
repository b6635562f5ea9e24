/* SHA-256: the hash chain over blocks (libcrypto stands behind this file alone).
 * H(n) = SHA-256(BLOCK frame n || zstd frame n), H(-1) = SHA-256(FILE frame). */
#ifndef TAPE_CHAIN_H
#define TAPE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#define CHAIN_HASH_BYTES 32
#define CHAIN_HEX_BYTES (2 * CHAIN_HASH_BYTES)

struct chain; /* one running hash; one thread */

enum tt_status chain_create(struct chain **out, struct tt_error *err);
void chain_free(struct chain *c); /* accepts NULL */

/* Starts a new hash, adds bytes, ends it. Errors: TT_NOMEM when libcrypto fails. */
enum tt_status chain_begin(struct chain *c, struct tt_error *err);
enum tt_status chain_add(struct chain *c, const void *bytes, size_t n, struct tt_error *err);
enum tt_status chain_end(struct chain *c, uint8_t hash[CHAIN_HASH_BYTES], struct tt_error *err);

/* The three at once over one piece. */
enum tt_status chain_hash(struct chain *c, const void *bytes, size_t n, uint8_t hash[CHAIN_HASH_BYTES],
                          struct tt_error *err);

/* 64 lower-case hex digits and a 0 byte. */
void chain_hex(const uint8_t hash[CHAIN_HASH_BYTES], char hex[CHAIN_HEX_BYTES + 1]);

/* Reads exactly 64 hex digits; 0 when they are not. */
int chain_from_hex(const char *hex, uint8_t hash[CHAIN_HASH_BYTES]);

#endif
