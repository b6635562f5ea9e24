/* The ways a server may write a credential back. */
#ifndef RECORDER_REDACT_FORMS_H
#define RECORDER_REDACT_FORMS_H

#include "../format/bytes.h"

#define REDACT_MIN_SECRET_BYTES 8u

/* Called once for each form; forms may repeat. False: no memory, stop. */
typedef bool (*redact_form_taker)(void *ctx, struct tt_view form, const char *rule);

/* Too short, or one of the usual fillers: masking it would rewrite answers. */
bool redact_forms_is_filler(struct tt_view secret);

/* Plain; percent-encoded (every byte, or what the usual encoders leave over; upper and lower hex); as it stands inside
 * a JSON string (least escapes, with \/, with \u00xx for what the usual HTML-safe writers escape, for all punctuation,
 * for every byte); base64 in both alphabets at all three alignments, as far as its characters follow from the secret
 * alone, itself escaped or not. */
bool redact_forms_each(struct tt_view secret, redact_form_taker take, void *ctx);

#endif
