/* The `timing` object of the trace: how late the recorder was, and what may have made it so. */
#include <stdlib.h>

#include "timing.h"
#include "timing_marks.h"
#include "trace_parts.h"

static struct opt_double ms_of(bool has, double ns)
{
    return (struct opt_double){has, has ? ns / 1e6 : 0};
}

static struct opt_double share_of(uint64_t part, uint64_t whole)
{
    return (struct opt_double){whole > 0, whole > 0 ? (double)part / (double)whole : 0};
}

static void put_marks(struct json_out *o, const char *key, const struct timing_marks *m)
{
    json_out_key(o, key);
    json_out_object(o);
    json_put_opt_double(o, "max", ms_of(m->n > 0, (double)m->ns[TIMING_MAX]));
    json_put_u64(o, "n", m->n);
    for (unsigned i = TIMING_P50; i <= TIMING_P99_9; i++)
        json_put_opt_double(o, timing_mark_name(i), ms_of(m->n > 0, (double)m->ns[i]));
    json_out_object_end(o);
}

static void put_calibrations(struct json_out *o, const struct calibrations *all)
{
    json_out_key(o, "calibration");
    json_out_object(o);
    for (unsigned when = 0; when < CALIBRATION_WHENS; when++) {
        json_out_key(o, calibration_when_name((enum calibration_when)when));
        if (all->has[when])
            calibration_write(&all->at[when], o);
        else
            json_out_null(o);
    }
    json_put_u64(o, "damaged", all->damaged);
    json_out_object_end(o);
}

static void put_errors(struct json_out *o, const struct run *run, uint64_t *room)
{
    struct timing_marks m;
    json_out_key(o, "client_error_ms");
    json_out_object(o);
    for (unsigned what = 0; what < TIMING_WHATS; what++) {
        size_t n = 0;
        for (size_t i = 0; i < run->count; i++) {
            struct opt_u64 error = timing_error_ns(&run->requests[i], (enum timing_what)what);
            if (error.has)
                room[n++] = error.v;
        }
        timing_marks_of(room, n, &m);
        put_marks(o, timing_name((enum timing_what)what), &m);
    }
    json_out_object_end(o);
}

static void put_limit(struct json_out *o, const struct run *run)
{
    uint64_t requests = 0;
    enum timing_what what;
    for (size_t i = 0; i < run->count; i++)
        requests += timing_client_limited(run, &run->requests[i], &what);
    json_out_key(o, "client_limited");
    json_out_object(o);
    json_put_double(o, "limit_ms", client_limit_ms(&run->client_limit));
    json_put_double(o, "limit_percent", client_limit_percent(&run->client_limit));
    json_put_u64(o, "requests", requests);
    json_put_bool(o, "strict", policy_effect(&run->policy, REASON_CLIENT_LIMITED) == REASON_EXCLUDES);
    json_out_object_end(o);
}

static void put_clock(struct json_out *o, const struct timing_clock *c)
{
    double ppm, uncertainty;
    bool rated = timing_clock_rate(c, &ppm, &uncertainty), two = c->records > 1;
    json_out_key(o, "clock");
    json_out_object(o);
    json_put_opt_double(o, "greatest_step_ms", ms_of(two, (double)c->greatest_step_ns));
    json_put_u64(o, "records", c->records);
    json_put_opt_double(o, "slept_ms", ms_of(two, (double)timing_clock_slept_ns(c)));
    json_put_opt_double(o, "slew_least_ppm", (struct opt_double){c->has_rate, c->least_ppm});
    json_put_opt_double(o, "slew_most_ppm", (struct opt_double){c->has_rate, c->most_ppm});
    json_put_opt_double(o, "slew_ppm", (struct opt_double){rated, ppm});
    json_put_opt_double(o, "slew_uncertainty_ppm", (struct opt_double){rated, uncertainty});
    json_put_opt_double(o, "stepped_ms", ms_of(two, (double)c->stepped_ns));
    json_put_u64(o, "steps", c->steps);
    json_out_object_end(o);
}

static void put_growth(struct json_out *o, const char *key, const struct timing_counter *c)
{
    struct opt_u64 growth = {false, 0};
    growth.has = timing_counter_growth(c, &growth.v);
    json_put_opt_u64(o, key, growth);
}

static void put_host(struct json_out *o, const struct timing_tally *t)
{
    json_out_key(o, "host");
    json_out_object(o);
    put_growth(o, "cpu_pressure_us", &t->pressure);
    put_growth(o, "involuntary_switches", &t->involuntary);
    json_put_u64(o, "records", t->hosts);
    put_growth(o, "steal_ticks", &t->steal);
    put_growth(o, "throttled_periods", &t->throttled);
    put_growth(o, "voluntary_switches", &t->voluntary);
    json_out_object_end(o);
}

static void put_loop(struct json_out *o, const struct timing_tally *t)
{
    json_out_key(o, "loop");
    json_out_object(o);
    json_put_opt_double(o, "greatest_gap_ms", ms_of(t->greatest_gap_ns != TAPE_NONE, (double)t->greatest_gap_ns));
    json_put_opt_double(o, "late_greatest_ms", ms_of(t->late_turns > 0, (double)t->late_greatest_ns));
    json_put_opt_double(o, "late_total_ms", ms_of(t->late_turns > 0, (double)t->late_total_ns));
    json_put_u64(o, "late_turns", t->late_turns);
    json_put_opt_u64(o, "ring_high_water_bytes",
                     (struct opt_u64){t->ring_high_water_bytes != TAPE_NONE, t->ring_high_water_bytes});
    json_out_object_end(o);
}

/* Lags of the reads that decided a time, of those that have one. */
static void put_lags(struct json_out *o, const struct run *run, uint64_t *room)
{
    struct timing_marks m;
    json_out_key(o, "read_lag_ms");
    json_out_object(o);
    timing_marks_of_lags(&run->timing.lag, &m);
    put_marks(o, "all", &m);
    for (unsigned what = 0; what < TIMING_WHATS; what++) {
        size_t n = 0;
        for (size_t i = 0; i < run->count; i++) {
            const struct stream_deciding *d = timing_deciding(&run->requests[i], (enum timing_what)what);
            if (d && d->arrival.lag_ns != TAPE_LAG_NONE)
                room[n++] = d->arrival.lag_ns > 0 ? (uint64_t)d->arrival.lag_ns : 0;
        }
        timing_marks_of(room, n, &m);
        put_marks(o, timing_name((enum timing_what)what), &m);
    }
    json_out_object_end(o);
}

static void put_reads(struct json_out *o, const struct timing_tally *t)
{
    json_out_key(o, "reads");
    json_out_object(o);
    json_put_u64(o, "count", t->reads);
    json_put_u64(o, "most_per_turn", t->most_reads);
    json_put_opt_double(o, "per_turn", share_of(t->reads, t->turns));
    json_put_u64(o, "turns", t->turns);
    json_put_u64(o, "with_kernel_time", t->lag.samples);
    json_put_opt_double(o, "with_kernel_time_share", share_of(t->lag.samples, t->reads));
    json_out_object_end(o);
}

enum tt_status trace_write_timing(struct json_out *o, const struct run *run)
{
    uint64_t *room = calloc(run->count ? run->count : 1, sizeof *room);
    if (!room)
        return TT_NOMEM;
    json_out_key(o, "timing");
    json_out_object(o);
    put_calibrations(o, &run->calibrations);
    put_errors(o, run, room);
    put_limit(o, run);
    put_clock(o, &run->timing.clock);
    json_put_opt_double(o, "events_sharing_a_read_share", share_of(run->events_sharing_a_read, run->events));
    put_host(o, &run->timing);
    put_loop(o, &run->timing);
    put_lags(o, run, room);
    put_reads(o, &run->timing);
    json_out_object_end(o);
    free(room);
    return TT_OK;
}
