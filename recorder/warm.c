#include "warm.h"

#include <stdlib.h>

#include "fetch.h"
#include "pace.h"

#define PATIENCE_NS 30000000000ull
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
    struct pace pace;
    pace_init(&pace, e->options->connect_rate);
    uint64_t now = stamp_now(&e->capture.base), until = now + PATIENCE_NS + count * pace.interval_ns;
    while (w.over < count && e->signals == 0 && now < until) {
        for (unsigned i = 0; i < PACE_AT_ONCE && started < count && pace_allows(&pace, now); i++, started++) {
            pace_note(&pace, now);
            if (!(fetches[started] = fetch_start(&o)))
                w.over++;
        }
        uint64_t next = pace_next(&pace);
        engine_turn(e, true, started < count && next < until ? next : until);
        now = stamp_now(&e->capture.base);
    }
    for (uint32_t i = 0; i < started; i++)
        fetch_free(fetches[i]);
    free(fetches);
    return w.answered;
}
