#include "timeline_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "trace_parts.h"

void timeline_count_label(struct timeline_line *line, const char *label)
{
    size_t i = 0;
    while (i < line->labels && strcmp(line->label[i].name, label) != 0)
        i++;
    if (i == TIMELINE_MAX_LABELS)
        return;
    if (i == line->labels) {
        line->label[i].name = label;
        line->label[i].count = 0;
        line->labels++;
    }
    line->label[i].count++;
}

static enum tt_status put_json(struct timeline_writer *w)
{
    json_out_newline(w->json);
    struct tt_view bytes = json_out_bytes(w->json);
    enum tt_status st =
        bytes.p ? output_write(w->output, bytes, w->err) : tt_fail(w->err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    json_out_reset(w->json);
    return st;
}

static enum tt_status begin_json(struct timeline_writer *w, const struct run *run)
{
    const struct request *r = w->r;
    json_out_object(w->json);
    json_put_text(w->json, "error_type", request_succeeded(r) ? NULL : r->verdict.error_type);
    json_put_u64(w->json, "planned_context_tokens", r->context_tokens);
    json_put_u64(w->json, "request_index", r->number);
    json_put_opt_double(w->json, "start_offset_ms", trace_ms(r->start_ns, run->run_start_ns));
    json_out_key(w->json, "warmup");
    json_out_bool(w->json, r->warmup);
    json_put_text(w->json, "what", "request");
    json_out_object_end(w->json);
    return put_json(w);
}

static enum tt_status begin_text(struct timeline_writer *w)
{
    const struct request *r = w->r;
    char context[NUMBER_BYTES];
    bool good = request_succeeded(r);
    enum tt_status st =
        output_printf(w->output, w->err, "request %llu%s · planned %s tokens · %s%s%s\n", (unsigned long long)r->number,
                      r->warmup ? " (warm-up)" : "", number_u64(r->context_tokens, context),
                      good ? "eligible" : r->verdict.error_type, good ? "" : ": ", r->verdict.message);
    return st == TT_OK ? output_printf(w->output, w->err, "%12s %12s  %s\n", "ms", "since last", "what") : st;
}

enum tt_status timeline_begin(struct timeline_writer *w, const struct run *run, const struct request *r, bool json,
                              struct output *o, struct tt_error *err)
{
    *w = (struct timeline_writer){.r = r, .output = o, .err = err, .last_ns = r->start_ns};
    if (!json)
        return begin_text(w);
    w->json = json_out_create(0);
    return w->json ? begin_json(w, run) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
}

static int compare_labels(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_labels(struct json_out *json, const struct timeline_line *line)
{
    const char *names[TIMELINE_MAX_LABELS];
    for (size_t i = 0; i < line->labels; i++)
        names[i] = line->label[i].name;
    qsort(names, line->labels, sizeof names[0], compare_labels);
    json_out_key(json, "events");
    json_out_object(json);
    for (size_t i = 0; i < line->labels; i++)
        for (size_t k = 0; k < line->labels; k++)
            if (line->label[k].name == names[i])
                json_put_u64(json, names[i], line->label[k].count);
    json_out_object_end(json);
}

static enum tt_status write_json(struct timeline_writer *w, const struct timeline_line *line)
{
    json_out_object(w->json);
    json_put_opt_double(w->json, "at_ms", trace_ms(line->time_ns, w->r->start_ns));
    json_put_opt_u64(w->json, "bytes", line->bytes);
    put_labels(w->json, line);
    json_out_key(w->json, "lag_ns");
    if (line->has_lag)
        json_out_i64(w->json, line->lag_ns);
    else
        json_out_null(w->json);
    json_put_text(w->json, "reason", line->reason);
    json_put_opt_u64(w->json, "status", (struct opt_u64){line->status > 0, line->status});
    json_put_text(w->json, "what", line->what);
    json_out_object_end(w->json);
    return put_json(w);
}

static double apart_ms(uint64_t t, uint64_t since)
{
    return t >= since ? (double)(t - since) / 1e6 : -(double)(since - t) / 1e6;
}

static enum tt_status write_text(struct timeline_writer *w, const struct timeline_line *line)
{
    char at[NUMBER_BYTES], step[NUMBER_BYTES], bytes[NUMBER_BYTES], text[512];
    int n = snprintf(text, sizeof text, "%s", line->what);
    if (line->status > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " %u", line->status);
    if (line->bytes.has)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s B", number_u64(line->bytes.v, bytes));
    if (line->reason)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", line->reason);
    for (size_t i = 0; i < line->labels; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", i ? ", " : ": ", line->label[i].name);
        if (line->label[i].count > 1)
            n += snprintf(text + n, sizeof text - (size_t)n, " x%llu", (unsigned long long)line->label[i].count);
    }
    enum tt_status st = output_printf(w->output, w->err, "%12s %12s  %s\n",
                                      number_double(apart_ms(line->time_ns, w->r->start_ns), 3, at),
                                      number_double(apart_ms(line->time_ns, w->last_ns), 3, step), text);
    w->last_ns = line->time_ns;
    return st;
}

enum tt_status timeline_write_line(struct timeline_writer *w, const struct timeline_line *line)
{
    return w->json ? write_json(w, line) : write_text(w, line);
}

void timeline_end(struct timeline_writer *w)
{
    json_out_free(w->json);
    w->json = NULL;
}
