#include "row.h"

#include <math.h>

/* A divisor of zero has no quotient, and what no double holds is none either. */
static struct opt_double quotient(bool has, double dividend, double divisor)
{
    struct opt_double q = {false, 0};
    if (!has || divisor == 0)
        return q;
    q.v = dividend / divisor;
    q.has = isfinite(q.v);
    return q;
}

/* The order of operations is that of the published artifacts: seconds first,
 * then the quotient. Another order gives other last bits. */
void row_derive(struct row *row)
{
    row->generation_ms = row->e2e_ms - row->time_to_first_output_ms;
    row->visible_generation_ms = row->e2e_ms - row->ttft_ms;
    row->effective_prefill_tok_s =
        quotient(row->prompt_tokens.has, (double)row->prompt_tokens.v, row->time_to_first_output_ms / 1000);
    bool later_tokens = row->output_tokens.has && row->output_tokens.v > 1;
    double after_first = later_tokens ? (double)(row->output_tokens.v - 1) : 0;
    row->decode_tok_s = quotient(later_tokens, after_first, row->generation_ms / 1000);
    row->time_per_output_token_ms = quotient(later_tokens, row->generation_ms, after_first);
}

static bool since(uint64_t start_ns, uint64_t at_ns, double *ms)
{
    if (start_ns == TAPE_NONE || at_ns == TAPE_NONE || at_ns < start_ns)
        return false;
    *ms = (double)(at_ns - start_ns) / 1e6;
    return true;
}

bool row_of_request(struct row *row, const struct run *run, const struct request *r)
{
    const struct stream_facts *f = &r->facts;
    uint64_t output_ns = request_first_output_ns(r);
    *row = (struct row){
        .prompt_tokens = f->usage.prompt_tokens,
        .output_tokens = f->usage.completion_tokens,
        .cached_tokens = f->usage.cached_tokens,
        .reasoning_chunks = f->reasoning_chunks,
        .content_chunks = f->content_chunks,
        .has_canary = r->marker != NULL,
        .canary_passed = f->canary.passed,
        .has_controlled = run->options.response_words > 0,
        .adherence = f->controlled.exact_adherence,
    };
    if (!r->has_facts || !since(r->start_ns, output_ns, &row->time_to_first_output_ms) ||
        !since(r->start_ns, f->first_content_ns, &row->ttft_ms) || !since(r->start_ns, f->end_ns, &row->e2e_ms))
        return false;
    row_derive(row);
    return true;
}
