#include "warm.h"

#include <stdlib.h>

#include "fetch.h"

#define PATIENCE_NS 30000000000ull
#define MAX_STARTS_EACH_TURN 64
#define ANSWER_BYTES 1 /* nobody reads it */

struct warming {
    uint32_t over, answered;
};

static void answered(void *ctx, struct fetch *f)
{
    struct warming *w = ctx;
    w->over++;
    w->answered += f->status != 0;
}

uint32_t warm_connections(struct engine *e)
{
    uint32_t count = e->options->transport.http2 ? 1 : e->options->concurrency; /* one carries all streams */
    uint32_t started = 0;
    struct warming w = {0};
    struct fetch **fetches = calloc(count, sizeof(struct fetch *));
    if (!fetches)
        return 0;
    struct fetch_options o = {.multi = e->multi,
                              .url = e->options->models_target,
                              .headers = e->get_headers,
                              .cap_bytes = ANSWER_BYTES,
                              .own_connection = true,
                              .done = answered,
                              .ctx = &w};
    uint64_t until = stamp_now(&e->capture.base) + PATIENCE_NS;
    while (w.over < count && e->signals == 0 && stamp_now(&e->capture.base) < until) {
        for (int i = 0; i < MAX_STARTS_EACH_TURN && started < count; i++, started++)
            if (!(fetches[started] = fetch_start(&o)))
                w.over++;
        engine_turn(e, started == count, until);
    }
    for (uint32_t i = 0; i < started; i++)
        fetch_free(fetches[i]);
    free(fetches);
    return w.answered;
}
