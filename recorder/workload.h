/* What is sent: context plan, prompts, bodies (result.md section 1). Pure: the
 * same options and window give the same bytes on every machine. */
#ifndef RECORDER_WORKLOAD_H
#define RECORDER_WORKLOAD_H

#include "options.h"

#define WORKLOAD_GENERATOR "tokentape-prompt/1" /* id of generator and wording, kept in the tape */

struct planned {
    uint64_t context_tokens; /* clamped target */
    uint64_t body_bytes;
    uint8_t sha256[32];
    bool warmup;
    bool buildable;        /* false: fault says why; it is never sent */
    uint32_t same_body_as; /* lowest request number with the same body */
    char fault[128];
};

struct workload {
    const struct options *options; /* borrowed */
    uint32_t window, cap;          /* 0: unknown / no cap */
    uint32_t measured, warmup;     /* requests[0..measured) then requests[measured..measured+warmup) */
    struct planned *requests;
    uint64_t total_body_bytes;
};

/* Draws contexts, builds and hashes every body (keeping none). `window` 0: unknown.
 * Errors: TT_USAGE (cap <= 0, token budget), TT_NOMEM. */
enum tt_status workload_create(struct workload **out, const struct options *options, uint32_t window,
                               struct tt_error *err);
/* Marker of one request, "" without canaries. `out` holds at least OBSERVE-sized text (1280 bytes). */
void workload_marker(const struct workload *w, uint32_t request, char *out, size_t cap);
/* The body of one request: malloc'd, the caller frees. */
enum tt_status workload_body(const struct workload *w, uint32_t request, uint8_t **bytes, size_t *n,
                             struct tt_error *err);
/* First positive integer among max_model_len, max_context_length, context_length of the
 * /models entry of `model` (else the first object entry); 0 when there is none. */
uint32_t workload_window_from_models(struct tt_view json, const char *model);
void workload_free(struct workload *w);

#endif
