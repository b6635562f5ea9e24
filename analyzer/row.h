/* A row of request_timings (result.md section 4): the formulas, once. */
#ifndef ANALYZER_ROW_H
#define ANALYZER_ROW_H

#include "stream.h"

struct opt_double {
    bool has;
    double v;
};

struct row_input {
    uint64_t ttfo_ns, ttft_ns, e2e_ns; /* durations since START */
    struct opt_u64 prompt_tokens;
    struct opt_u64 output_tokens; /* absent: source is content_chunks */
};

struct row {
    double time_to_first_output_ms, ttft_ms, e2e_ms, generation_ms, visible_generation_ms;
    struct opt_u64 prompt_tokens, output_tokens;
    struct opt_double effective_prefill_tok_s, decode_tok_s, time_per_output_token_ms;
    uint64_t reasoning_chunks, content_chunks;
    struct opt_u64 cached_tokens;
};

/* Fills the derived fields from the three stored milliseconds and the counts. */
void row_derive(struct row *row);

#endif
