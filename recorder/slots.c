#include "slots.h"

#include <stdlib.h>

/* Bodies whose requests are over but which are not written yet must not pile up. */
#define MOST_UNWRITTEN_BYTES ((size_t)64 << 20)
#define MOST_UNWRITTEN_BURST_BYTES ((size_t)512 << 20)

enum tt_status slots_init(struct slots *s, struct engine *engine, const struct workload *workload, struct ahead *ahead,
                          struct tt_error *err)
{
    *s = (struct slots){.engine = engine, .workload = workload, .ahead = ahead, .most = workload->options->concurrency};
    s->made = calloc(s->most, sizeof(struct request *));
    s->idle = calloc(s->most, sizeof(struct request *));
    s->kept = calloc((size_t)workload->measured + workload->warmup + 1, 1);
    return s->made && s->idle && s->kept ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the streams");
}

void slots_clear(struct slots *s)
{
    for (uint32_t i = 0; i < s->made_count; i++)
        request_free(s->made[i]);
    free(s->made);
    free(s->idle);
    free(s->kept);
    *s = (struct slots){0};
}

uint32_t slots_in_flight(const struct slots *s)
{
    return s->made_count - s->idle_count;
}

bool slots_all_busy(const struct slots *s)
{
    return slots_in_flight(s) == s->most;
}

bool slots_next_connects(const struct slots *s)
{
    const struct options *o = s->workload->options;
    if (o->connections == CONNECTIONS_FRESH)
        return true;
    return o->connections == CONNECTIONS_REUSE && !o->transport.http2 && s->idle_count == 0;
}

static struct request *take(struct slots *s)
{
    if (s->idle_count > 0)
        return s->idle[--s->idle_count];
    struct request *r = NULL;
    if (request_create(&r, &s->engine->request, NULL) == TT_OK)
        s->made[s->made_count++] = r;
    return r;
}

void slots_give_back(struct slots *s, struct request *r)
{
    s->idle[s->idle_count++] = r;
}

static bool claim_room(struct slots *s)
{
    struct sink *sink = s->engine->capture.sink;
    bool burst = s->workload->options->burst > 0;
    return sink_unwritten_body_bytes(sink) < (burst ? MOST_UNWRITTEN_BURST_BYTES : MOST_UNWRITTEN_BYTES) &&
           sink_claim_room(sink);
}

static void keep_body(struct slots *s, uint32_t number, struct body *body)
{
    uint32_t first = s->workload->requests[number].same_body_as;
    if (!s->kept[first])
        s->kept[first] = sink_put_body(s->engine->capture.sink, body, s->workload->options->keep_bodies);
}

enum slots_result slots_start(struct slots *s, uint32_t order, const char **why)
{
    uint32_t number = ahead_request(s->workload, order);
    const struct planned *plan = &s->workload->requests[number];
    *why = plan->fault;
    if (!plan->buildable)
        return SLOTS_UNSENT;
    if (!claim_room(s))
        return SLOTS_NO_ROOM;
    struct request *r = take(s);
    struct body *body = r ? ahead_take(s->ahead, order) : NULL;
    if (!body) {
        sink_release_room(s->engine->capture.sink);
        if (r)
            slots_give_back(s, r);
        *why = "out of memory";
        return SLOTS_UNSENT;
    }
    keep_body(s, number, body);
    request_start(r, number, body);
    body_release(body);
    return SLOTS_STARTED;
}
