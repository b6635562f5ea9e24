#include "dump_field.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base64.h"
#include "dump_value.h"

static struct dump_field *add(struct dump_fields *d, const char *key,
                              void (*write)(struct json_out *o, const struct dump_field *f))
{
    assert(d->n < DUMP_MAX_FIELDS);
    struct dump_field *f = &d->fields[d->n++];
    *f = (struct dump_field){.key = key, .write = write, .owner = d};
    return f;
}

static void write_u64(struct json_out *o, const struct dump_field *f)
{
    if (f->u == TAPE_NONE)
        json_out_null(o);
    else
        json_out_u64(o, f->u);
}

static void write_lag(struct json_out *o, const struct dump_field *f)
{
    if (f->i == TAPE_LAG_NONE)
        json_out_null(o);
    else
        json_out_i64(o, f->i);
}

static void write_bool(struct json_out *o, const struct dump_field *f)
{
    json_out_bool(o, f->u != 0);
}

static void write_text(struct json_out *o, const struct dump_field *f)
{
    json_out_string(o, f->view);
}

static void write_hex(struct json_out *o, const struct dump_field *f)
{
    char text[129];
    if (!f->view.p) {
        json_out_null(o);
        return;
    }
    size_t n = f->view.n < 64 ? f->view.n : 64;
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", f->view.p[i]);
    json_out_string(o, tt_view_of(text, 2 * n));
}

static void write_base64(struct json_out *o, const struct dump_field *f)
{
    if (!f->view.p) {
        json_out_null(o);
        return;
    }
    size_t n = base64_length(f->view.n);
    char *text = malloc(n + 1);
    if (!text) {
        f->owner->failed = true;
        json_out_null(o);
        return;
    }
    base64_encode(f->view, text);
    json_out_string(o, tt_view_of(text, n));
    free(text);
}

void dump_add_u64(struct dump_fields *d, const char *key, uint64_t v)
{
    add(d, key, write_u64)->u = v;
}

void dump_add_lag(struct dump_fields *d, const char *key, int64_t v)
{
    add(d, key, write_lag)->i = v;
}

void dump_add_bool(struct dump_fields *d, const char *key, bool v)
{
    add(d, key, write_bool)->u = v;
}

void dump_add_text(struct dump_fields *d, const char *key, struct tt_view v)
{
    add(d, key, write_text)->view = v;
}

void dump_add_hex(struct dump_fields *d, const char *key, struct tt_view v)
{
    add(d, key, write_hex)->view = v;
}

void dump_add_bytes(struct dump_fields *d, struct tt_view v)
{
    struct dump_field *f = d->text ? add(d, "text", write_text) : add(d, "bytes", write_base64);
    f->view = v;
}

void dump_add_map(struct dump_fields *d, const char *key, const struct tape_map *map)
{
    add(d, key, dump_value_map)->view = map->packed;
}

void dump_add_array(struct dump_fields *d, const char *key, struct tt_view packed)
{
    add(d, key, dump_value_array)->view = packed;
}

void dump_add_pairs(struct dump_fields *d, const char *key, struct tt_view packed)
{
    add(d, key, dump_value_pairs)->view = packed;
}

void dump_add_timers(struct dump_fields *d, const char *key, const struct tape_timers *timers)
{
    add(d, key, dump_value_timers)->object = timers;
}

void dump_add_tcp(struct dump_fields *d, const char *key, const struct tape_tcp *tcp)
{
    add(d, key, dump_value_tcp)->object = tcp;
}

static int compare_fields(const void *a, const void *b)
{
    return strcmp(((const struct dump_field *)a)->key, ((const struct dump_field *)b)->key);
}

void dump_write_fields(struct json_out *o, struct dump_fields *d)
{
    qsort(d->fields, d->n, sizeof d->fields[0], compare_fields);
    json_out_object(o);
    for (size_t i = 0; i < d->n; i++) {
        json_out_key(o, d->fields[i].key);
        d->fields[i].write(o, &d->fields[i]);
    }
    json_out_object_end(o);
}
