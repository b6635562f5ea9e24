#include "dump_value.h"

#include <math.h>
#include <stdlib.h>

static void write_scalar(struct json_out *o, const struct tape_scalar *v)
{
    switch (v->type) {
    case TAPE_BOOL:
        json_out_bool(o, v->boolean);
        return;
    case TAPE_UINT:
        json_out_u64(o, v->u);
        return;
    case TAPE_INT:
        json_out_i64(o, v->i);
        return;
    case TAPE_FLOAT:
        if (isfinite(v->f)) {
            json_out_double(o, v->f);
            return;
        }
        json_out_cstring(o, isnan(v->f) ? "NaN" : v->f > 0 ? "Infinity" : "-Infinity"); /* JSON has no number for it */
        return;
    case TAPE_STR:
    case TAPE_BIN:
        json_out_string(o, v->text);
        return;
    case TAPE_NIL:
        break;
    }
    json_out_null(o);
}

/* As many as a map of the format may hold. */
#define DUMP_MAX_PAIRS 1024u

struct pair {
    struct tt_view key;
    struct tape_scalar value;
};

static int compare_pairs(const void *a, const void *b)
{
    struct tt_view x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

static size_t collect_pairs(struct tt_view packed, struct pair *pairs)
{
    const struct tape_map map = {packed};
    size_t cursor = 0, n = 0;
    while (n < DUMP_MAX_PAIRS && tape_map_next(&map, &cursor, &pairs[n].key, &pairs[n].value, NULL) == TT_OK)
        n++;
    qsort(pairs, n, sizeof pairs[0], compare_pairs);
    return n;
}

/* Of equal keys, which no recorder writes, the object shows one. */
void dump_value_map(struct json_out *o, const struct dump_field *f)
{
    struct pair *pairs = f->view.p ? calloc(DUMP_MAX_PAIRS, sizeof *pairs) : NULL;
    if (!pairs) {
        f->owner->failed = f->view.p != NULL;
        json_out_null(o);
        return;
    }
    size_t n = collect_pairs(f->view, pairs);
    json_out_object(o);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && compare_pairs(&pairs[i - 1], &pairs[i]) == 0)
            continue;
        json_out_key_view(o, pairs[i].key);
        write_scalar(o, &pairs[i].value);
    }
    json_out_object_end(o);
    free(pairs);
}

void dump_value_array(struct json_out *o, const struct dump_field *f)
{
    struct tape_scalar value;
    size_t cursor = 0;
    json_out_array(o);
    while (f->view.p && tape_array_next(f->view, &cursor, &value, NULL) == TT_OK)
        write_scalar(o, &value);
    json_out_array_end(o);
}

void dump_value_pairs(struct json_out *o, const struct dump_field *f)
{
    struct tape_scalar name, value;
    size_t cursor = 0;
    json_out_array(o);
    while (f->view.p && tape_array_next(f->view, &cursor, &name, NULL) == TT_OK) {
        json_out_array(o);
        write_scalar(o, &name);
        if (tape_array_next(f->view, &cursor, &value, NULL) == TT_OK)
            write_scalar(o, &value);
        json_out_array_end(o);
    }
    json_out_array_end(o);
}

struct named_u64 {
    const char *key;
    uint64_t v;
};

static void write_named(struct json_out *o, const struct named_u64 *values, size_t n)
{
    json_out_object(o);
    for (size_t i = 0; i < n; i++) {
        json_out_key(o, values[i].key);
        if (values[i].v == TAPE_NONE)
            json_out_null(o);
        else
            json_out_u64(o, values[i].v);
    }
    json_out_object_end(o);
}

void dump_value_timers(struct json_out *o, const struct dump_field *f)
{
    const struct tape_timers *t = f->object;
    const struct named_u64 values[] = {{"appconnect_us", t->appconnect_us},       {"connect_us", t->connect_us},
                                       {"namelookup_us", t->namelookup_us},       {"pretransfer_us", t->pretransfer_us},
                                       {"starttransfer_us", t->starttransfer_us}, {"total_us", t->total_us}};
    write_named(o, values, sizeof values / sizeof values[0]);
}

void dump_value_tcp(struct json_out *o, const struct dump_field *f)
{
    const struct tape_tcp *t = f->object;
    if (!t->present) {
        json_out_null(o);
        return;
    }
    const struct named_u64 values[] = {{"delivery_rate_bytes_s", t->delivery_rate_bytes_s},
                                       {"rcv_mss", t->rcv_mss},
                                       {"retransmits", t->retransmits},
                                       {"rtt_us", t->rtt_us},
                                       {"rttvar_us", t->rttvar_us},
                                       {"snd_mss", t->snd_mss}};
    write_named(o, values, sizeof values / sizeof values[0]);
}
