#include "lag.h"

/* Below 64 each value has its bucket; from there on 64 buckets to each doubling. */
static unsigned bucket_of(uint64_t v)
{
    unsigned shift = 0;
    while (v >> shift >= 2 * LAG_SUB_BUCKETS)
        shift++;
    uint64_t bucket = (v >> shift) + (uint64_t)shift * LAG_SUB_BUCKETS;
    return bucket < LAG_BUCKETS ? (unsigned)bucket : LAG_BUCKETS - 1;
}

static uint64_t upper_edge(unsigned bucket)
{
    if (bucket < 2 * LAG_SUB_BUCKETS)
        return bucket;
    unsigned shift = bucket / LAG_SUB_BUCKETS - 1;
    return ((uint64_t)(bucket - shift * LAG_SUB_BUCKETS + 1) << shift) - 1;
}

void lag_add(struct lag_histogram *h, int64_t lag_ns)
{
    uint64_t v = lag_ns > 0 ? (uint64_t)lag_ns : 0;
    h->samples++;
    h->buckets[bucket_of(v)]++;
    if (v > h->max_ns)
        h->max_ns = v;
}

uint64_t lag_quantile(const struct lag_histogram *h, unsigned per_mille)
{
    uint64_t rank = (h->samples / 1000) * per_mille + (h->samples % 1000 * per_mille + 999) / 1000;
    uint64_t seen = 0;
    for (unsigned i = 0; i < LAG_BUCKETS; i++) {
        seen += h->buckets[i];
        if (seen > 0 && seen >= rank)
            return upper_edge(i) < h->max_ns ? upper_edge(i) : h->max_ns;
    }
    return h->max_ns;
}
