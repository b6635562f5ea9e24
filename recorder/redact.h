/* Masks credentials before anything reaches the ring (tape.md section 7). Runs
 * in the read callback: no allocation, no lock, no system call after creation. */
#ifndef RECORDER_REDACT_H
#define RECORDER_REDACT_H

#include "../format/bytes.h"
#include "../format/status.h"
#include "stamp.h"

/* All forms of all secrets, and working room: shared by the streams of one thread. Outlives them. */
struct redact_rules;

/* Secrets under 8 bytes and placeholders are left out; *left_out counts them. No secret at all gives rules that
 * pass everything through. Copies the secrets; redact_rules_free() wipes them. */
enum tt_status redact_rules_create(struct redact_rules **out, const struct tt_view *secrets, size_t n, size_t *left_out,
                                   struct tt_error *err);
void redact_rules_free(struct redact_rules *r);
bool redact_rules_empty(const struct redact_rules *r);

struct redact_calls {
    /* One piece to record. `at`: of the read that brought its first byte;
     * continued: the piece holds bytes that an earlier read brought and was held back. */
    void (*piece)(void *ctx, const struct stamp_read *at, bool continued, const uint8_t *bytes, size_t n);
    /* offset: of the first masked byte, in the body as received; length: masked bytes, without chunk heads between */
    void (*hit)(void *ctx, const char *stream, uint64_t offset, uint64_t length, const char *rule);
    void *ctx;
};

struct redact; /* one body stream */

struct redact *redact_create(const struct redact_rules *rules, const struct redact_calls *calls); /* NULL: no memory */
/* Before the first body byte: how the body is framed, and whether it is compressed (then all of it becomes filler). */
void redact_begin(struct redact *r, bool chunked, bool compressed);
/* One read. Calls piece() zero or more times; bytes that may begin a secret are held back. */
void redact_read(struct redact *r, const struct stamp_read *at_read, const uint8_t *bytes, size_t n);
/* The body ended: what is held back goes out, masked when it is most of a credential (rule "cut_off"). */
void redact_finish(struct redact *r);
void redact_free(struct redact *r);

/* Masks every form in a short text (header value, error text) in place. Returns the number of hits. */
size_t redact_text(const struct redact_rules *rules, uint8_t *text, size_t n, const char *stream,
                   const struct redact_calls *calls);

#endif
