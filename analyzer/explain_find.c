/* Evidence: the second reading of the tape, which looks for the records that the findings mean. */
#include <stdlib.h>

#include "explain.h"
#include "load.h"

struct search {
    struct explain *explain;
    size_t *first;        /* of a request: index of its first evidence; [requests]: of the run's */
    uint64_t *body_bytes; /* of a request: what came of its body so far */
    size_t requests;
};

/* Evidence is in the order of its subjects, which is that of requests, the run last. */
static void index_evidence(struct search *s)
{
    const struct explain *e = s->explain;
    size_t at = 0;
    for (size_t i = 0; i <= s->requests; i++) {
        s->first[i] = at;
        while (at < e->evidence_count && e->evidence[at].request == i)
            at++;
    }
    s->first[s->requests + 1] = e->evidence_count;
}

static void take(struct explain_evidence *v, const struct tape_record *rec, const struct reader_position *at,
                 uint64_t body_from, uint64_t body_to)
{
    uint64_t time = record_time(rec);
    const struct reason_place *p = &v->place;
    if (p->kind != rec->kind ||
        (p->from_ns != TAPE_NONE && (time == TAPE_NONE || time < p->from_ns || time > p->to_ns)))
        return;
    v->last = (struct explain_record){at->block, at->record, time};
    v->body_to = body_to;
    if (v->records++ > 0)
        return;
    v->first = v->last;
    v->body_from = body_from;
}

static void take_for(struct search *s, size_t group, const struct tape_record *rec, const struct reader_position *at,
                     uint64_t body_from, uint64_t body_to)
{
    for (size_t i = s->first[group]; i < s->first[group + 1]; i++)
        take(&s->explain->evidence[i], rec, at, body_from, body_to);
}

/* LOST names several. */
static void take_lost(struct search *s, const struct tape_record *rec, const struct reader_position *at)
{
    size_t cursor = 0;
    struct tape_scalar v;
    struct tt_error unused;
    while (tape_array_next(rec->u.lost.requests, &cursor, &v, &unused) == TT_OK)
        if (v.type == TAPE_UINT && v.u < s->requests)
            take_for(s, (size_t)v.u, rec, at, 0, 0);
}

/* RUN is the run's, and each request's that asks for it. */
static void take_run(struct search *s, const struct tape_record *rec, const struct reader_position *at)
{
    for (size_t i = 0; i < s->requests; i++)
        take_for(s, i, rec, at, 0, 0);
}

static void take_record(struct search *s, const struct tape_record *rec, const struct reader_position *at)
{
    bool of_request = rec->kind >= TAPE_PLAN && rec->kind <= TAPE_DONE;
    uint64_t request = of_request ? load_request_of(rec) : TAPE_NONE, from = 0, to = 0;
    take_for(s, s->requests, rec, at, 0, 0);
    if (rec->kind == TAPE_LOST)
        take_lost(s, rec, at);
    else if (rec->kind == TAPE_RUN)
        take_run(s, rec, at);
    if (request >= s->requests)
        return;
    if (rec->kind == TAPE_READ) {
        from = s->body_bytes[request];
        to = s->body_bytes[request] += rec->u.read.bytes.n;
    }
    take_for(s, (size_t)request, rec, at, from, to);
}

static enum tt_status read_all(struct search *s, const char *tape, const struct reader_options *options,
                               struct tt_error *err)
{
    struct reader *reader;
    struct tape_record rec;
    enum tt_status st = reader_open(&reader, tape, options, err);
    if (st != TT_OK)
        return st;
    while ((st = reader_next(reader, &rec, err)) == TT_OK) {
        struct reader_position at = reader_position(reader);
        take_record(s, &rec, &at);
    }
    reader_free(reader);
    return st == TT_END ? TT_OK : st;
}

enum tt_status explain_find(struct explain *e, const char *tape, const struct reader_options *options,
                            struct tt_error *err)
{
    struct search s = {.explain = e, .requests = e->run->count + e->run->warmup_count};
    enum tt_status st = TT_OK;
    s.first = calloc(s.requests + 2, sizeof *s.first);
    s.body_bytes = calloc(s.requests + 1, sizeof *s.body_bytes);
    if (!s.first || !s.body_bytes) {
        st = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory to look for evidence of %zu requests", s.requests);
    } else {
        index_evidence(&s);
        st = read_all(&s, tape, options, err);
    }
    free(s.first);
    free(s.body_bytes);
    return st;
}
