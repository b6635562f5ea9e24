/* The body of one answer, read by read: finds in it what redact_json.h takes apart, and
 * leaves the framing (chunk sizes, field names, line ends) as it is. Chunk extensions,
 * trailers, comments, ids, unknown fields and bodies that are no event stream are
 * blurred, compressed ones filled. */
#ifndef ANALYZER_REDACT_BODY_H
#define ANALYZER_REDACT_BODY_H

#include "dechunk.h"
#include "redact_json.h"

#define REDACT_MAX_EVENT_BYTES (1u << 20) /* of one event; a longer one is blurred */
#define REDACT_MAX_HELD_BYTES (4u << 20)  /* of all unfinished events together; each takes nine times as much */

struct redact_body_rules {
    bool structure, markers, code_words;
    size_t *held_bytes; /* room for unfinished events, shared by all bodies of a tape */
    size_t *held_marker_chars;
};

struct redact_body;

/* framing: as the head tells it. events: the payload is an event stream. opaque: not even
 * white space may be told apart (a compressed body). NULL: no memory. */
struct redact_body *redact_body_create(const struct redact_body_rules *rules, struct dechunk framing, bool events,
                                       bool opaque);
/* Bytes of one READ, and where their redaction goes: n bytes, which the call sees to,
 * some of them only with later reads. TT_NOMEM. */
enum tt_status redact_body_read(struct redact_body *b, struct tt_view bytes, uint8_t *out);
/* The answer ends; an unfinished event is redacted as far as it got. */
void redact_body_end(struct redact_body *b);
void redact_body_free(struct redact_body *b); /* accepts NULL */

#endif
