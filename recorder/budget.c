#include "budget.h"

enum tt_status budget_check(const struct options *o, uint32_t cap, struct tt_error *err)
{
    uint32_t widest = cap && cap < BUDGET_WIDEST_SAMPLE ? cap : BUDGET_WIDEST_SAMPLE;
    uint32_t context = o->ctx_tokens ? o->ctx_tokens : widest;
    uint64_t tokens = (uint64_t)o->requests * context;
    if ((uint64_t)o->warmup * context > BUDGET_MAX_TOKENS)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--warmup %u times %u context tokens is past the bound of %u: lower --warmup to %u", o->warmup,
                       context, BUDGET_MAX_TOKENS, BUDGET_MAX_TOKENS / context);
    if (tokens <= BUDGET_MAX_TOKENS)
        return TT_OK;
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--requests %u times %u context tokens is %llu, past the bound of %u: lower --requests to %u, or %s",
                   o->requests, context, (unsigned long long)tokens, BUDGET_MAX_TOKENS, BUDGET_MAX_TOKENS / context,
                   o->ctx_tokens ? "lower --ctx-tokens" : "give --ctx-tokens or a smaller --max-model-len");
}
