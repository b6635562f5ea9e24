#include "timing_tally.h"

#include <string.h>

static const struct timing_counter never = {TAPE_NONE, TAPE_NONE};

void timing_tally_begin(struct timing_tally *t)
{
    memset(t, 0, sizeof *t);
    t->turn = t->greatest_gap_ns = t->ring_high_water_bytes = TAPE_NONE;
    t->steal = t->throttled = t->pressure = t->voluntary = t->involuntary = never;
}

void timing_tally_read(struct timing_tally *t, int64_t lag_ns, uint64_t turn)
{
    t->reads++;
    if (lag_ns != TAPE_LAG_NONE)
        lag_add(&t->lag, lag_ns);
    if (turn != t->turn || t->turns == 0) {
        t->turn = turn;
        t->turn_reads = 0;
        t->turns++;
    }
    if (++t->turn_reads > t->most_reads)
        t->most_reads = t->turn_reads;
}

static void take_turn(struct timing_tally *t, uint64_t before_ns, uint64_t after_ns)
{
    uint64_t late = after_ns > before_ns ? after_ns - before_ns : 0;
    t->late_turns++;
    t->late_greatest_ns = late > t->late_greatest_ns ? late : t->late_greatest_ns;
    t->late_total_ns = late > UINT64_MAX - t->late_total_ns ? UINT64_MAX : t->late_total_ns + late;
}

static void take_counter(struct timing_counter *c, uint64_t value)
{
    if (value == TAPE_NONE)
        return;
    c->first = c->first == TAPE_NONE ? value : c->first;
    c->last = value;
}

static void take_most(uint64_t *most, uint64_t value)
{
    if (value != TAPE_NONE && (*most == TAPE_NONE || value > *most))
        *most = value;
}

static void take_host(struct timing_tally *t, const struct tape_record *rec)
{
    t->hosts++;
    take_counter(&t->steal, rec->u.host.steal_ticks);
    take_counter(&t->throttled, rec->u.host.throttled_periods);
    take_counter(&t->pressure, rec->u.host.pressure_cpu_us);
    take_counter(&t->voluntary, rec->u.host.voluntary_switches);
    take_counter(&t->involuntary, rec->u.host.involuntary_switches);
    take_most(&t->greatest_gap_ns, rec->u.host.max_turn_gap_ns);
    take_most(&t->ring_high_water_bytes, rec->u.host.ring_high_water_bytes);
}

/* How much more one clock went than another; of a recorder's clocks it is far from overflow. */
static int64_t apart(uint64_t one_ns, uint64_t other_ns)
{
    return (int64_t)(one_ns - other_ns);
}

static double amount(int64_t v)
{
    return v < 0 ? -(double)v : (double)v;
}

/* By how much more than the monotonic clock another one went; 0 when the reading of both may account for it. */
static int64_t moved_between(const struct timing_moment *a, const struct timing_moment *b, uint64_t other_ns)
{
    int64_t moved = apart(other_ns, b->time_ns - a->time_ns);
    double error = (double)a->width_ns / 2 + (double)b->width_ns / 2; /* the middle of a bracket is told */
    return amount(moved) > TIMING_STEP_NS + error ? moved : 0;
}

static double rate_between(const struct timing_moment *a, const struct timing_moment *b)
{
    uint64_t raw = b->raw_ns - a->raw_ns;
    return raw ? (double)apart(b->time_ns - a->time_ns, raw) / (double)raw * 1e6 : 0;
}

static void note_rate(struct timing_clock *c)
{
    if (c->last.time_ns - c->before.time_ns < TIMING_RATE_NS)
        return;
    double ppm = rate_between(&c->before, &c->last);
    c->least_ppm = c->has_rate && c->least_ppm < ppm ? c->least_ppm : ppm;
    c->most_ppm = c->has_rate && c->most_ppm > ppm ? c->most_ppm : ppm;
    c->has_rate = true;
    c->before = c->last;
}

/* One that another thread took earlier may come later: it says nothing new. */
static void take_clock(struct timing_clock *c, const struct timing_moment *now)
{
    if (c->records > 0 && now->time_ns < c->last.time_ns)
        return;
    /* Linux slews the wall clock and the monotonic one alike: what moves one against the other is a step. */
    int64_t step = c->records > 0 ? moved_between(&c->last, now, now->realtime_ns - c->last.realtime_ns) : 0;
    c->steps += step != 0;
    c->stepped_ns = apart((uint64_t)c->stepped_ns + (uint64_t)step, 0);
    c->greatest_step_ns = amount(step) > amount(c->greatest_step_ns) ? step : c->greatest_step_ns;
    c->last = *now;
    if (c->records++ == 0)
        c->first = c->before = *now;
    note_rate(c);
}

void timing_tally_record(struct timing_tally *t, const struct tape_record *rec)
{
    if (rec->kind == TAPE_TURN)
        take_turn(t, rec->u.turn.before_ns, rec->u.turn.after_ns);
    else if (rec->kind == TAPE_HOST)
        take_host(t, rec);
    else if (rec->kind == TAPE_CLOCK)
        take_clock(&t->clock,
                   &(struct timing_moment){rec->u.clock.time_ns, rec->u.clock.monotonic_raw_ns,
                                           rec->u.clock.realtime_ns, rec->u.clock.boottime_ns, rec->u.clock.width_ns});
}

bool timing_counter_growth(const struct timing_counter *c, uint64_t *growth)
{
    *growth = c->last - c->first;
    return c->first != TAPE_NONE && c->last >= c->first;
}

int64_t timing_clock_slept_ns(const struct timing_clock *c)
{
    return moved_between(&c->first, &c->last, c->last.boottime_ns - c->first.boottime_ns);
}

bool timing_clock_rate(const struct timing_clock *c, double *ppm, double *uncertainty_ppm)
{
    uint64_t span = c->last.time_ns - c->first.time_ns;
    *ppm = rate_between(&c->first, &c->last);
    *uncertainty_ppm = span ? ((double)c->first.width_ns + (double)c->last.width_ns) / (double)span * 1e6 : 0;
    return c->records > 0 && span >= TIMING_RATE_NS;
}
