/* Where the redacted bytes of a tape wait for what only later bytes decide: a nameless
 * file beside the copy, mapped, so that a tape may be larger than memory. */
#ifndef ANALYZER_REDACT_SPOOL_H
#define ANALYZER_REDACT_SPOOL_H

#include "../format/bytes.h"
#include "../format/status.h"

struct redact_spool {
    uint8_t *bytes; /* zeros at first */
    size_t n, used;
    size_t in_memory; /* of what was used, since it was last given back */
};

/* Room for n bytes, taken from the file system now, in the folder of `path`.
 * Errors: TT_IO, TT_NOSPC. */
enum tt_status redact_spool_open(struct redact_spool *s, const char *path, uint64_t n, struct tt_error *err);
/* n bytes more, behind those used before, were put or taken. Memory for them is given back now and then: the file has
 * them. */
void redact_spool_used(struct redact_spool *s, size_t n);
void redact_spool_rewind(struct redact_spool *s); /* to its beginning */
void redact_spool_close(struct redact_spool *s);

#endif
