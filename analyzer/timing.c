#include "timing.h"

#include <string.h>

const char *timing_name(enum timing_what what)
{
    static const char *const names[TIMING_WHATS] = {
        [TIMING_E2E] = "e2e", [TIMING_TTFO] = "ttfo", [TIMING_TTFT] = "ttft"};
    return names[what];
}

/* Not when the recorder gave it up, nor when the tape ends first. */
static bool ended_by_server(const struct request *r)
{
    return r->facts.done_seen || r->facts.body_complete || strcmp(r->done_reason, "complete") == 0 ||
           strcmp(r->done_reason, "fault") == 0;
}

const struct stream_deciding *timing_deciding(const struct request *r, enum timing_what what)
{
    const struct stream_facts *f = &r->facts;
    if (f->first_output.time_ns == TAPE_NONE || (what == TIMING_E2E && !ended_by_server(r)))
        return NULL;
    const struct stream_deciding *d = what == TIMING_E2E    ? &f->end
                                      : what == TIMING_TTFO ? &f->first_output
                                                            : &f->first_content;
    return d->time_ns != TAPE_NONE && r->start_ns != TAPE_NONE && d->time_ns >= r->start_ns ? d : NULL;
}

struct opt_u64 timing_interval_ns(const struct request *r, enum timing_what what)
{
    const struct stream_deciding *d = timing_deciding(r, what);
    return (struct opt_u64){d != NULL, d ? d->time_ns - r->start_ns : 0};
}

struct opt_u64 timing_start_error_ns(const struct request *r)
{
    struct opt_u64 error = {r->start_ns != TAPE_NONE, TAPE_NONE};
    if (!error.has || r->send_last_ns == TAPE_NONE || r->send_last_ns < r->start_ns)
        return error;
    uint64_t took = r->send_last_ns - r->start_ns, waited_us = r->send_waited_us;
    error.v = waited_us == TAPE_NONE ? took : waited_us < took / 1000 ? took - waited_us * 1000 : took % 1000;
    return error;
}

/* How long the deciding byte may have waited in the socket; TAPE_NONE: not known. */
static uint64_t socket_bound_ns(const struct stream_facts *f, const struct stream_deciding *d)
{
    uint64_t lag = TAPE_NONE, blind = TAPE_NONE;
    if (d->arrival.lag_ns != TAPE_LAG_NONE)
        lag = (d->arrival.lag_ns > 0 ? (uint64_t)d->arrival.lag_ns : 0) + STREAM_STAMP_NS;
    if (d->arrival.blind_us < UINT64_MAX / 1000)
        blind = d->arrival.blind_us * 1000;
    if (lag != TAPE_NONE && d->is_last && !f->ends_apart)
        return lag;
    return blind != TAPE_NONE && lag != TAPE_NONE && lag > blind ? lag : blind;
}

/* How long it may have waited for the recorder, there or at the sender. */
static uint64_t wait_bound_ns(const struct request *r, const struct stream_deciding *d)
{
    uint64_t socket = socket_bound_ns(&r->facts, d), held_us = d->arrival.held.us[backlog_path(r->round_trip_us)];
    return socket >= TAPE_NONE / 2 || held_us == UINT32_MAX ? TAPE_NONE : socket + held_us * 1000;
}

struct opt_u64 timing_error_ns(const struct request *r, enum timing_what what)
{
    struct opt_u64 error = timing_interval_ns(r, what), start = timing_start_error_ns(r);
    if (!error.has)
        return error;
    uint64_t wait = wait_bound_ns(r, timing_deciding(r, what));
    if (start.v < error.v && wait < error.v - start.v)
        error.v = start.v + wait;
    return error;
}

bool timing_client_limited(const struct run *run, const struct request *r, enum timing_what *what)
{
    static const enum timing_what in_time[] = {TIMING_TTFO, TIMING_TTFT, TIMING_E2E};
    *what = TIMING_TTFO;
    for (size_t i = 0; i < TIMING_WHATS; i++) {
        struct opt_u64 value = timing_interval_ns(r, in_time[i]), error = timing_error_ns(r, in_time[i]);
        if (!error.has)
            continue;
        *what = in_time[i];
        if (error.v > client_limit_ns(&run->client_limit, value.v))
            return true;
    }
    return false;
}
