#include "duplicates.h"

#include <stdlib.h>

/* By hash, then by number: requests are one array, so addresses order as numbers do. */
static int by_body(const void *a, const void *b)
{
    const struct planned *const *x = a, *const *y = b;
    int order = memcmp((*x)->sha256, (*y)->sha256, sizeof(*x)->sha256);
    return order ? order : (*x > *y) - (*x < *y);
}

enum tt_status duplicates_find(struct workload *w, struct tt_error *err)
{
    size_t count = (size_t)w->measured + w->warmup, n = 0;
    struct planned **sorted = calloc(count, sizeof(struct planned *));
    if (!sorted)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory to compare the prompts");
    for (size_t i = 0; i < count; i++)
        if (w->requests[i].buildable)
            sorted[n++] = &w->requests[i];
    qsort(sorted, n, sizeof *sorted, by_body);
    for (size_t i = 1; i < n; i++)
        if (memcmp(sorted[i]->sha256, sorted[i - 1]->sha256, sizeof sorted[i]->sha256) == 0)
            sorted[i]->same_body_as = sorted[i - 1]->same_body_as;
    free(sorted);
    return TT_OK;
}
