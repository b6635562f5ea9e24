/* One payload of an event stream: what is text in it becomes filler, what the analyzer
 * reads stays. Kept are the syntax, known keys, `usage`, finish reasons, roles, `object`,
 * types and codes, truth values; with structure also every key, and the strings that
 * name the server's side (`id`, `model`, `system_fingerprint`, `service_tier`, `created`). Numbers outside of
 * `usage` become ones: lists of tokens or of bytes are text too. What is not JSON is
 * blurred, and is still not JSON. */
#ifndef ANALYZER_REDACT_JSON_H
#define ANALYZER_REDACT_JSON_H

#include "redact_text.h"

/* The channels whose text is observed, each by itself. */
enum redact_channel { REDACT_CONTENT, REDACT_REASONING_CONTENT, REDACT_REASONING, REDACT_DETAILS, REDACT_CHANNELS };

struct redact_json_rules {
    bool structure;
    struct redact_keeper *keepers[REDACT_CHANNELS]; /* NULL: nothing is looked for */
};

void redact_json(struct redact_place text, const struct redact_json_rules *rules);

#endif
