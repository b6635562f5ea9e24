#include "discover.h"

#include <stdio.h>
#include <stdlib.h>

#include "fetch.h"
#include "workload.h"

#define PATIENCE_NS 30000000000ull
#define ANSWER_BYTES ((size_t)4 << 20)
#define SAMPLE_BYTES ((size_t)256 << 10)

static void answered(void *ctx, struct fetch *f)
{
    (void)f;
    *(bool *)ctx = true;
}

static void read_answer(struct engine *e, struct discovery *d, const struct fetch *f)
{
    d->status = f->status;
    if (f->curl_code != 0)
        snprintf(d->error, sizeof(d->error), "%s", f->error);
    else if (f->status != 200)
        snprintf(d->error, sizeof(d->error), "HTTP %u", f->status);
    else if (f->cut)
        snprintf(d->error, sizeof(d->error), "the answer is larger than 4 MiB");
    else if ((d->window = workload_window_from_models(tt_view_of(f->bytes, f->n), e->options->model)) == 0)
        snprintf(d->error, sizeof(d->error), "the answer names no window for this model");
    d->n = f->n < SAMPLE_BYTES ? f->n : SAMPLE_BYTES;
    d->bytes = malloc(d->n + 1);
    if (!d->bytes)
        d->n = 0;
    else
        memcpy(d->bytes, f->bytes, d->n);
}

static void count_hit(void *ctx, const char *stream, uint64_t offset, uint64_t length, const char *rule)
{
    (void)stream;
    (void)offset;
    (void)length;
    (void)rule;
    ++*(uint64_t *)ctx;
}

static void mask(struct engine *e, struct discovery *d)
{
    struct redact_calls calls = {.hit = count_hit, .ctx = &d->masked};
    if (redact_rules_empty(e->capture.rules))
        return;
    if (d->n > 0)
        redact_text(e->capture.rules, d->bytes, d->n, "sample", &calls);
    redact_text(e->capture.rules, (uint8_t *)d->error, strlen(d->error), "sample", &calls);
}

void discover_window(struct engine *e, struct discovery *d)
{
    bool over = false;
    struct fetch_options o = {.multi = e->multi,
                              .url = e->options->models_target,
                              .headers = e->get_headers,
                              .cap_bytes = ANSWER_BYTES,
                              .done = answered,
                              .ctx = &over};
    *d = (struct discovery){.asked = true, .asked_ns = stamp_now(&e->capture.base)};
    struct fetch *f = fetch_start(&o);
    uint64_t until = d->asked_ns + PATIENCE_NS;
    while (f && !over && e->signals == 0 && stamp_now(&e->capture.base) < until)
        engine_turn(e, true, until);
    d->answered_ns = stamp_now(&e->capture.base);
    if (over)
        read_answer(e, d, f);
    else
        snprintf(d->error, sizeof(d->error), "%s", f ? "no answer within 30 s" : "no memory");
    mask(e, d);
    fetch_free(f);
}

void discover_clear(struct discovery *d)
{
    free(d->bytes);
    *d = (struct discovery){0};
}

void discover_sample(const struct discovery *d, struct tape_record *rec)
{
    *rec = (struct tape_record){.kind = TAPE_SAMPLE};
    rec->u.sample.source = tt_view_str("models");
    rec->u.sample.asked_ns = d->asked_ns;
    rec->u.sample.answered_ns = d->answered_ns;
    rec->u.sample.status = d->status;
    rec->u.sample.bytes = tt_view_of(d->n ? d->bytes : NULL, d->n);
    rec->u.sample.error = tt_view_str(d->error[0] ? d->error : NULL);
}
