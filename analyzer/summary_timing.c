/* What the client itself may have done to the numbers: its bound, its lag, its calibrations. */
#include <math.h>
#include <stdio.h>

#include "calibration.h"
#include "number.h"
#include "summary_parts.h"
#include "timing.h"

/* To the next tenth of a millisecond: a bound that is rounded down is none. */
static const char *bound_text(uint64_t ns, char out[NUMBER_BYTES])
{
    return number_double(ceil((double)ns / 1e5) / 10, 1, out);
}

void summary_print_client_error(struct summary *s)
{
    uint64_t most = 0, known = 0;
    char text[NUMBER_BYTES];
    for (size_t i = 0; i < s->run->count; i++)
        for (unsigned what = 0; what < TIMING_WHATS && request_succeeded(&s->run->requests[i]); what++) {
            struct opt_u64 error = timing_error_ns(&s->run->requests[i], (enum timing_what)what);
            known += error.has;
            most = error.has && error.v > most ? error.v : most;
        }
    if (known > 0)
        summary_print(s, " · client error <= %s ms", bound_text(most, text));
}

static const char *ms_text(uint64_t ns, char out[NUMBER_BYTES])
{
    return number_double((double)ns / 1e6, 3, out);
}

static void print_lag(struct summary *s)
{
    const struct lag_histogram *lag = &s->run->timing.lag;
    char p50[NUMBER_BYTES], p99[NUMBER_BYTES], most[NUMBER_BYTES];
    if (lag->samples == 0)
        summary_print(s, "read lag not known");
    else
        summary_print(s, "read lag p50 %s, p99 %s, max %s ms", ms_text(lag_quantile(lag, 500), p50),
                      ms_text(lag_quantile(lag, 990), p99), ms_text(lag->max_ns, most));
}

static void print_host(struct summary *s)
{
    const struct timing_tally *t = &s->run->timing;
    char count[NUMBER_BYTES], most[NUMBER_BYTES];
    uint64_t steal;
    summary_print(s, " · %s late turns", number_u64(t->late_turns, count));
    if (t->late_turns > 0)
        summary_print(s, ", max %s ms", number_double((double)t->late_greatest_ns / 1e6, 1, most));
    if (timing_counter_growth(&t->steal, &steal))
        summary_print(s, " · steal %s ticks", number_u64(steal, count));
    if (t->clock.steps > 0)
        summary_print(s, " · clock stepped");
    summary_print(s, "\n");
}

static void print_calibration(struct summary *s, enum calibration_when when)
{
    static const char *const names[CALIBRATION_WHENS] = {[CALIBRATION_AFTER] = "calibrated after",
                                                         [CALIBRATION_ALONE] = "calibration",
                                                         [CALIBRATION_BEFORE] = "calibrated before"};
    const struct calibration *c = &s->run->calibrations.at[when];
    char streams[NUMBER_BYTES], p50[NUMBER_BYTES], p99[NUMBER_BYTES], most[NUMBER_BYTES];
    if (!s->run->calibrations.has[when])
        return;
    summary_print(s, "%s: %s streams", names[when], number_u64(c->streams, streams));
    if (c->rate.has)
        summary_print(s, " x %g events/s", c->rate.v);
    summary_print(s, ", error p50 %s, p99 %s, max %s ms", ms_text(c->p50_ns, p50), ms_text(c->p99_ns, p99),
                  ms_text(c->max_ns, most));
    if (c->events < c->events_planned || c->lost_reads > 0 || c->failed_requests > 0)
        summary_print(s, ", not all of it came");
    summary_print(s, "\n");
}

void summary_print_timing(struct summary *s)
{
    uint64_t damaged = s->run->calibrations.damaged;
    print_lag(s);
    print_host(s);
    print_calibration(s, CALIBRATION_BEFORE);
    print_calibration(s, CALIBRATION_AFTER);
    print_calibration(s, CALIBRATION_ALONE);
    if (damaged > 0)
        summary_print(s, "calibration: %llu %s of it cannot be read, nothing of that is used\n",
                      (unsigned long long)damaged, damaged == 1 ? "record" : "records");
}
