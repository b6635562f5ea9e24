/* A calibration in words and as JSON. */
#include <stdio.h>

#include "calibration.h"

static const char *arrivals(const struct calibration_load *load)
{
    return load->rate <= 0 ? "flood" : load->step ? "step" : "spread";
}

#define REAL_BYTES 32

static void real_or_null(double value, char out[REAL_BYTES])
{
    if (value > 0)
        snprintf(out, REAL_BYTES, "%.6g", value);
    else
        snprintf(out, REAL_BYTES, "null");
}

void calibration_json(const struct calibration *c, const char *when, char out[CALIBRATION_JSON_BYTES])
{
    const struct witness_sum *e = &c->errors;
    char rate[REAL_BYTES], duration[REAL_BYTES], pace[REAL_BYTES];
    real_or_null(c->load.rate, rate);
    real_or_null(c->load.rate > 0 ? c->load.duration_s : 0, duration);
    real_or_null(c->pace, pace);
#define U(value) (unsigned long long)(value)
    snprintf(out, CALIBRATION_JSON_BYTES,
             "{\"arrivals\":\"%s\",\"cpus\":%u,\"duration_s\":%s,\"early\":%llu,\"endpoint_cpu_ns\":%llu,"
             "\"endpoint_pace\":%s,\"events\":%llu,\"events_planned\":%llu,\"failed_requests\":%llu,"
             "\"lost_reads\":%llu,\"masking\":%s,\"max_ns\":%llu,\"over_1ms\":%llu,\"over_5ms\":%llu,"
             "\"p50_ns\":%llu,\"p90_ns\":%llu,\"p99_9_ns\":%llu,\"p99_ns\":%llu,\"rate\":%s,\"reads\":%llu,"
             "\"recorder_cpu_ns\":%llu,\"span_ns\":%llu,\"streams\":%u%s%s%s}",
             arrivals(&c->load), c->cpus, duration, U(e->early), U(c->endpoint_cpu_ns), pace, U(e->events),
             U(e->expected), U(c->failed), U(e->lost_reads), c->masking ? "true" : "false", U(e->ns[WITNESS_MAX]),
             U(e->over_1ms), U(e->over_5ms), U(e->ns[WITNESS_P50]), U(e->ns[WITNESS_P90]), U(e->ns[WITNESS_P99_9]),
             U(e->ns[WITNESS_P99]), rate, U(e->reads), U(e->cpu_ns), U(e->span_ns), (unsigned)c->load.streams,
             when ? ",\"when\":\"" : "", when ? when : "", when ? "\"" : "");
#undef U
}

void calibration_load_text(const struct calibration_load *load, char out[CALIBRATION_LOAD_BYTES])
{
    if (load->rate > 0)
        snprintf(out, CALIBRATION_LOAD_BYTES, "%u streams x %g events/s for %g s%s", (unsigned)load->streams,
                 load->rate, load->duration_s, load->step ? ", all streams in step" : "");
    else
        snprintf(out, CALIBRATION_LOAD_BYTES, "%u streams x %u events as fast as they go", (unsigned)load->streams,
                 (unsigned)load->events);
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

void calibration_text(const struct calibration *c, FILE *to)
{
    const struct witness_sum *e = &c->errors;
    char load[CALIBRATION_LOAD_BYTES];
    calibration_load_text(&c->load, load);
    fprintf(to, "%s; %u CPU%s for recorder and null endpoint together\n", load, c->cpus, c->cpus == 1 ? "" : "s");
    fprintf(to, "  error       p50 %.3f  p90 %.3f  p99 %.3f  p99.9 %.3f  max %.3f ms (time of the read - its send)\n",
            ms(e->ns[WITNESS_P50]), ms(e->ns[WITNESS_P90]), ms(e->ns[WITNESS_P99]), ms(e->ns[WITNESS_P99_9]),
            ms(e->ns[WITNESS_MAX]));
    fprintf(to, "  late        %.3g %% of the events by over 1 ms, %.3g %% by over 5 ms\n",
            share(e->over_1ms, e->events), share(e->over_5ms, e->events));
    fprintf(to, "  events      %llu of %llu in %llu reads, %llu reads lost, %llu requests failed\n",
            (unsigned long long)e->events, (unsigned long long)e->expected, (unsigned long long)e->reads,
            (unsigned long long)e->lost_reads, (unsigned long long)c->failed);
    fprintf(to, "  CPU         recorder %.1f %% of one, %.2f us an event; null endpoint %.1f %%\n",
            share(e->cpu_ns, e->span_ns), e->events ? (double)e->cpu_ns / 1e3 / (double)e->events : 0,
            share(c->endpoint_cpu_ns, e->span_ns));
    if (c->pace < CALIBRATION_PACE_HELD)
        fprintf(to,
                "  the null endpoint kept %.0f %% of its pace: for this load the machine is too small, or too busy\n",
                100 * c->pace);
    if (e->early)
        fprintf(to, "  %llu events were recorded before they were sent: the clocks of these CPUs differ\n",
                (unsigned long long)e->early);
}
