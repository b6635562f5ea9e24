/* A row of request_timings (result.md section 4): the formulas, once. */
#ifndef ANALYZER_ROW_H
#define ANALYZER_ROW_H

#include "model.h"

struct opt_double {
    bool has;
    double v;
};

struct row {
    /* stored: measured from START to the first output, the first content, the end */
    double time_to_first_output_ms, ttft_ms, e2e_ms;
    struct opt_u64 prompt_tokens;
    struct opt_u64 output_tokens; /* absent: the source is content_chunks, not usage */
    struct opt_u64 cached_tokens;
    uint64_t reasoning_chunks, content_chunks;
    bool has_canary, canary_passed;
    bool has_controlled;
    enum adherence adherence; /* of controlled output; ADHERENCE_NULL: not observable */
    /* derived */
    double generation_ms, visible_generation_ms;
    struct opt_double effective_prefill_tok_s, decode_tok_s, time_per_output_token_ms;
};

/* Fills the derived fields from the stored ones. */
void row_derive(struct row *row);

/* Makes the row of an answered request. False when none can be formed: no first
 * output, no content or no end was seen. */
bool row_of_request(struct row *row, const struct run *run, const struct request *r);

#endif
