#include "tally.h"

#include <stdlib.h>

#include "eligibility.h"
#include "stats.h"

/* The measured request of that number, or NULL. */
static struct request *measured(struct run *run, uint64_t number)
{
    return number < run->count ? &run->requests[number] : NULL;
}

static void count_plan(struct tally *t, const struct request *r)
{
    t->planned++;
    t->failed += r->plan_fault;
}

/* As the result has it: the rows of successes are what TTFO and TTFT are made of. */
static void count_done(struct tally *t, const struct run *run, struct request *r)
{
    struct row row;
    t->done++;
    eligibility_judge_request(run, r);
    if (!request_succeeded(r)) {
        t->failed++;
    } else if (row_of_request(&row, run, r)) {
        t->ttfo_ms[t->samples] = row.time_to_first_output_ms;
        t->ttft_ms[t->samples++] = row.ttft_ms;
    }
}

static void recount(struct tally *t, struct run *run)
{
    t->planned = t->started = t->done = t->failed = 0;
    t->samples = 0;
    for (size_t i = 0; i < run->count; i++) {
        struct request *r = &run->requests[i];
        if (r->planned)
            count_plan(t, r);
        t->started += r->start_ns != TAPE_NONE;
        if (r->done_ns != TAPE_NONE)
            count_done(t, run, r);
    }
    t->stale = false;
}

static void count_traffic(struct tally *t, const struct run *run, const struct tape_record *rec)
{
    struct traffic now = {.reads = run->reads, .bytes = run->read_bytes, .events = run->events};
    struct traffic more = {now.reads - t->seen.reads, now.bytes - t->seen.bytes, now.events - t->seen.events};
    if (more.reads > 0 || more.events > 0)
        rate_add(&t->rate, record_time(rec), &more);
    t->seen = now;
}

static enum tt_status make_room(struct tally *t, const struct run *run, struct tt_error *err)
{
    t->ttfo_ms = calloc(run->count, sizeof *t->ttfo_ms);
    t->ttft_ms = calloc(run->count, sizeof *t->ttft_ms);
    return t->ttfo_ms && t->ttft_ms ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
}

enum tt_status tally_take(struct tally *t, struct run *run, const struct tape_record *rec, struct tt_error *err)
{
    struct request *r;
    switch (rec->kind) {
    case TAPE_RUN:
        return make_room(t, run, err);
    case TAPE_PLAN:
        if ((r = measured(run, rec->u.plan.request)) != NULL)
            count_plan(t, r);
        return TT_OK;
    case TAPE_START:
        t->started += measured(run, rec->u.start.request) != NULL;
        return TT_OK;
    case TAPE_READ:
        count_traffic(t, run, rec);
        return TT_OK;
    case TAPE_DONE:
        count_traffic(t, run, rec);
        if ((r = measured(run, rec->u.done.request)) != NULL)
            count_done(t, run, r);
        else
            t->warmups_done++;
        return TT_OK;
    case TAPE_LOST:
        t->stale = true;
        return TT_OK;
    default:
        return TT_OK;
    }
}

static void put_percentiles(double *values, size_t n, struct opt_double *p50, struct opt_double *p95)
{
    if (n == 0)
        return;
    stats_sort(values, n);
    *p50 = (struct opt_double){true, stats_percentile(values, n, 50)};
    *p95 = (struct opt_double){true, stats_percentile(values, n, 95)};
}

static void put_rates(struct tally *t, const struct run *run, struct standing *out)
{
    struct traffic sum;
    uint64_t span_ns;
    if (!rate_sum(&t->rate, run->last_time_ns, &sum, &span_ns))
        return;
    double seconds = (double)span_ns / 1e9;
    out->reads_per_s = (struct opt_double){true, (double)sum.reads / seconds};
    out->events_per_s = (struct opt_double){true, (double)sum.events / seconds};
    out->bytes_per_s = (struct opt_double){true, (double)sum.bytes / seconds};
}

void tally_standing(struct tally *t, struct run *run, const struct reader_report *report, struct standing *out)
{
    *out = (struct standing){.tape_bytes = report ? report->accepted_bytes : 0};
    if (!run)
        return;
    if (t->stale)
        recount(t, run);
    out->planned = t->planned;
    out->started = t->started;
    out->in_flight = t->started - t->done;
    out->done = t->done;
    out->failed = t->failed;
    out->warmups = run->warmup_count;
    out->warmups_done = t->warmups_done;
    out->reads = run->reads;
    out->read_bytes = run->read_bytes;
    out->events = run->events;
    out->wall_clock_ns = run->has_run_start ? run_finish_ns(run) - run->run_start_ns : 0;
    out->samples = t->samples;
    put_percentiles(t->ttfo_ms, t->samples, &out->ttfo_p50_ms, &out->ttfo_p95_ms);
    put_percentiles(t->ttft_ms, t->samples, &out->ttft_p50_ms, &out->ttft_p95_ms);
    put_rates(t, run, out);
}

void tally_free(struct tally *t)
{
    free(t->ttfo_ms);
    free(t->ttft_ms);
}
