#include "witness.h"

#include <stdlib.h>
#include <string.h>

#include "null_event.h"

struct seen_stream {
    uint32_t events;
    uint32_t at; /* bytes of the event in hand */
    char stamp[NULL_STAMP_DIGITS];
};

struct witness {
    uint64_t base_monotonic_ns, *errors;
    uint32_t stream_count, events_each;
    struct seen_stream *streams;
    struct witness_sum sum;
    uint64_t first_ns, last_ns, first_cpu_ns;
};

struct witness *witness_create(uint32_t streams, uint32_t events, const struct stamp_base *base)
{
    struct witness *w = calloc(1, sizeof(*w));
    if (!w)
        return NULL;
    w->base_monotonic_ns = base->monotonic_ns;
    w->stream_count = streams;
    w->events_each = events;
    w->sum.expected = (uint64_t)streams * events;
    w->streams = calloc(streams, sizeof(*w->streams));
    w->errors = malloc(w->sum.expected * sizeof(*w->errors));
    if (w->streams && w->errors)
        return w;
    witness_free(w);
    return NULL;
}

void witness_free(struct witness *w)
{
    if (!w)
        return;
    free(w->streams);
    free(w->errors);
    free(w);
}

static void add(struct witness *w, uint64_t time_ns, uint64_t sent_ns)
{
    struct witness_sum *sum = &w->sum;
    uint64_t recorded = w->base_monotonic_ns + time_ns, error = recorded > sent_ns ? recorded - sent_ns : 0;
    if (sum->events == 0) {
        w->first_ns = time_ns;
        w->first_cpu_ns = stamp_process_cpu();
    }
    w->errors[sum->events++] = error;
    if (time_ns > w->last_ns)
        w->last_ns = time_ns;
    if (sum->events == sum->expected)
        sum->cpu_ns = stamp_process_cpu() - w->first_cpu_ns;
    sum->early += recorded < sent_ns;
    sum->over_1ms += error > 1000000;
    sum->over_5ms += error > 5000000;
}

/* The part of [at, at + n) that holds the stamp. */
static void take_stamp(struct seen_stream *s, const uint8_t *bytes, size_t n)
{
    size_t from = s->at > NULL_STAMP_AT ? s->at : NULL_STAMP_AT, to = s->at + n;
    if (to > NULL_STAMP_AT + NULL_STAMP_DIGITS)
        to = NULL_STAMP_AT + NULL_STAMP_DIGITS;
    if (from < to)
        memcpy(s->stamp + (from - NULL_STAMP_AT), bytes + (from - s->at), to - from);
}

static void take_read(struct witness *w, const struct tape_record *rec)
{
    struct seen_stream *s = &w->streams[rec->u.read.request];
    const uint8_t *bytes = rec->u.read.bytes.p;
    size_t left = rec->u.read.bytes.n;
    w->sum.reads++;
    while (left > 0 && s->events < w->events_each) { /* behind the events there is the end of the answer */
        size_t n = NULL_EVENT_BYTES - s->at < left ? NULL_EVENT_BYTES - s->at : left;
        take_stamp(s, bytes, n);
        s->at += (uint32_t)n;
        bytes += n;
        left -= n;
        if (s->at < NULL_EVENT_BYTES)
            continue;
        add(w, rec->u.read.time_ns, null_stamp_read(s->stamp));
        s->events++;
        s->at = 0;
    }
}

void witness_see(void *witness, const struct tape_record *rec)
{
    struct witness *w = witness;
    if (rec->kind == TAPE_READ && rec->u.read.request < w->stream_count)
        take_read(w, rec);
    else if (rec->kind == TAPE_LOST)
        w->sum.lost_reads += rec->u.lost.count;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void witness_sum(struct witness *w, struct witness_sum *out)
{
    static const unsigned per_mille[WITNESS_MARKS] = {500, 900, 990, 999, 1000};
    uint64_t n = w->sum.events;
    *out = w->sum;
    if (n == 0)
        return;
    qsort(w->errors, n, sizeof(*w->errors), by_value);
    for (size_t i = 0; i < WITNESS_MARKS; i++)
        out->ns[i] = w->errors[(n * per_mille[i] + 999) / 1000 - 1];
    out->span_ns = w->last_ns - w->first_ns;
    if (n < out->expected)
        out->cpu_ns = stamp_process_cpu() - w->first_cpu_ns;
}
