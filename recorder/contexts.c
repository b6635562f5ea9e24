#include "contexts.h"

#include "rng.h"

uint32_t contexts_sample(double u)
{
    static const struct {
        double bound;
        uint32_t tokens;
    } steps[] = {{0.218, 16000}, {0.602, 32768}, {0.906, 65536}, {0.995, 131072}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (u <= steps[i].bound)
            return steps[i].tokens;
    return 262144;
}

enum tt_status contexts_plan(const struct options *o, uint32_t cap, uint32_t *targets, size_t n, struct tt_error *err)
{
    struct rng rng;
    enum tt_status code = rng_seed(&rng, o->seed, err);
    if (code != TT_OK)
        return code;
    for (size_t i = 0; i < n; i++) {
        targets[i] = o->ctx_tokens ? o->ctx_tokens : contexts_sample(rng_random(&rng));
        if (cap && targets[i] > cap)
            targets[i] = cap;
    }
    return TT_OK;
}
