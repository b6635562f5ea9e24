#include "overlap.h"

#include <stdlib.h>
#include <string.h>

#include "bigint.h"

struct span {
    uint64_t begin_ns, end_ns; /* half-open */
};

#define AREA_WORDS 4u /* sums of up to 65536 spans of up to 584 years need more than 64 bits */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_span(const void *a, const void *b)
{
    return compare_u64(&((const struct span *)a)->begin_ns, &((const struct span *)b)->begin_ns);
}

/* How many of the sorted values are <= limit. */
static size_t count_up_to(const uint64_t *sorted, size_t n, uint64_t limit)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct sweep {
    uint64_t *starts, *ends; /* sorted, of the started requests */
    size_t n;
};

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static void fill_sweep(const struct run *run, struct sweep *s)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        if (r->start_ns == TAPE_NONE)
            continue;
        s->starts[s->n] = r->start_ns;
        s->ends[s->n++] = request_end_of_call_ns(run, r);
    }
    qsort(s->starts, s->n, sizeof *s->starts, compare_u64);
    qsort(s->ends, s->n, sizeof *s->ends, compare_u64);
}

/* area += level * span_ns */
static void add_area(uint32_t area[AREA_WORDS], uint64_t level, uint64_t span_ns)
{
    uint32_t product[AREA_WORDS] = {(uint32_t)span_ns, (uint32_t)(span_ns >> 32)};
    bigint_scale(product, AREA_WORDS, (uint32_t)level);
    bigint_add(area, AREA_WORDS, product, AREA_WORDS, 0);
}

/* Ends come before starts of the same instant, so a slot that refills at once never counts twice. */
static void walk_sweep(const struct run *run, const struct sweep *s, struct overlap *out)
{
    uint64_t low = run->run_start_ns, high = run_finish_ns(run), at = low, level = 0, full_ns = 0;
    uint32_t area[AREA_WORDS] = {0};
    size_t started = 0, ended = 0;
    while (ended < s->n) {
        bool is_end = started == s->n || s->ends[ended] <= s->starts[started];
        uint64_t next = clamp(is_end ? s->ends[ended] : s->starts[started], at, high);
        add_area(area, level, next - at);
        full_ns += level >= run->options.concurrency ? next - at : 0;
        at = next;
        if (is_end && ended < started) {
            ended++;
            level--;
        } else {
            started++;
            level++;
        }
        if (level > out->max)
            out->max = level;
    }
    if (out->wall_ns == 0)
        return;
    out->mean = (struct opt_double){true, bigint_round(area, AREA_WORDS, false, 0) / (double)out->wall_ns};
    out->full_share = (struct opt_double){true, (double)full_ns / (double)out->wall_ns};
}

static void count_in_flight(const struct run *run, const struct sweep *s, struct overlap *out)
{
    for (size_t i = 0; i < run->count; i++) {
        uint64_t start = run->requests[i].start_ns;
        if (start == TAPE_NONE)
            continue;
        uint64_t level = count_up_to(s->starts, s->n, start) - count_up_to(s->ends, s->n, start);
        /* A call of no length still was one. */
        out->in_flight_at_start[i] = level + (request_end_of_call_ns(run, &run->requests[i]) <= start);
    }
}

/* Joined spans in which at least one request was in prefill, and how much lies before each. */
struct prefill {
    struct span *spans;
    uint64_t *before_ns;
    size_t n;
};

static void fill_prefill(const struct run *run, struct prefill *p)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        uint64_t output = request_first_output_ns(r);
        if (r->start_ns != TAPE_NONE)
            p->spans[p->n++] =
                (struct span){r->start_ns, output != TAPE_NONE ? output : request_end_of_call_ns(run, r)};
    }
    qsort(p->spans, p->n, sizeof *p->spans, compare_span);
    size_t joined = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct span *last = joined > 0 ? &p->spans[joined - 1] : NULL;
        if (last && p->spans[i].begin_ns <= last->end_ns)
            last->end_ns = p->spans[i].end_ns > last->end_ns ? p->spans[i].end_ns : last->end_ns;
        else
            p->spans[joined++] = p->spans[i];
    }
    p->n = joined;
    for (size_t i = 1; i < joined; i++)
        p->before_ns[i] = p->before_ns[i - 1] + (p->spans[i - 1].end_ns - p->spans[i - 1].begin_ns);
}

/* Nanoseconds of prefill before the instant t. */
static uint64_t prefill_before(const struct prefill *p, uint64_t t)
{
    size_t low = 0, high = p->n;
    while (low < high) { /* first span that begins at or after t */
        size_t middle = low + (high - low) / 2;
        if (p->spans[middle].begin_ns < t)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct span *last = &p->spans[low - 1];
    return p->before_ns[low - 1] + (t < last->end_ns ? t : last->end_ns) - last->begin_ns;
}

/* A request's own prefill ends where its generation begins, so all that is found is of others. */
static void share_prefill(const struct run *run, const struct prefill *p, struct overlap *out)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        uint64_t begin = request_first_output_ns(r), end = r->facts.end_ns;
        if (r->start_ns == TAPE_NONE || begin == TAPE_NONE || end == TAPE_NONE || end <= begin)
            continue;
        uint64_t shared = prefill_before(p, end) - prefill_before(p, begin);
        out->prefill_share[i] = (struct opt_double){true, (double)shared / (double)(end - begin)};
    }
}

enum tt_status overlap_compute(const struct run *run, struct overlap *out)
{
    size_t n = run->count ? run->count : 1;
    struct sweep s = {.starts = calloc(n, sizeof *s.starts), .ends = calloc(n, sizeof *s.ends)};
    struct prefill p = {.spans = calloc(n, sizeof *p.spans), .before_ns = calloc(n, sizeof *p.before_ns)};
    enum tt_status st = TT_NOMEM;
    *out = (struct overlap){.count = run->count};
    out->in_flight_at_start = calloc(n, sizeof *out->in_flight_at_start);
    out->prefill_share = calloc(n, sizeof *out->prefill_share);
    if (!s.starts || !s.ends || !p.spans || !p.before_ns || !out->in_flight_at_start || !out->prefill_share)
        goto out;
    out->wall_ns = run_finish_ns(run) - run->run_start_ns;
    fill_sweep(run, &s);
    walk_sweep(run, &s, out);
    count_in_flight(run, &s, out);
    fill_prefill(run, &p);
    share_prefill(run, &p, out);
    st = TT_OK;
out:
    free(s.starts);
    free(s.ends);
    free(p.spans);
    free(p.before_ns);
    return st;
}

void overlap_free(struct overlap *o)
{
    free(o->in_flight_at_start);
    free(o->prefill_share);
    *o = (struct overlap){0};
}
