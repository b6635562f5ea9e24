#include "around.h"

#include <stdio.h>

#include "calibration.h"

static void say(struct session *s, const char *when, const struct calibration *c)
{
    char load[CALIBRATION_LOAD_BYTES];
    calibration_load_text(&c->load, load);
    if (!s->options->quiet)
        talk_line(&s->talk, "calibration %s the run, %s: error p50 %.3f, p99 %.3f, max %.3f ms", when, load,
                  (double)c->errors.ns[WITNESS_P50] / 1e6, (double)c->errors.ns[WITNESS_P99] / 1e6,
                  (double)c->errors.ns[WITNESS_MAX] / 1e6);
}

static void note_failure(struct session *s, const char *when, const struct tt_error *err)
{
    char text[sizeof(err->line) + 64];
    snprintf(text, sizeof(text), "no calibration %s the run: %s", when, err->line);
    sink_put_event(s->sink, "note", false, text);
    talk_line(&s->talk, "%s", text);
}

void around_calibrate(struct session *s, const char *when)
{
    const struct options *o = s->options;
    const char *slash = strrchr(o->tape_path, '/');
    char path[CALIBRATION_PATH_BYTES], detail[CALIBRATION_JSON_BYTES];
    calibration_tape_path(slash ? o->tape_path : ".", slash ? (size_t)(slash - o->tape_path) : 1, 0, path);
    struct calibration_load load = {
        .streams = o->concurrency, .rate = o->calibration.rate, .duration_s = CALIBRATION_AROUND_S};
    struct calibration_place place = {
        .tape_path = path, .cpus = &o->cpus, .unpinned = &s->unpinned, .masking = !redact_rules_empty(s->rules)};
    struct calibration c;
    struct tt_error err;
    if (calibration_run(&load, &place, &s->base, &c, &err) != TT_OK) {
        note_failure(s, when, &err);
        return;
    }
    if (c.interrupted_by) {
        s->engine.signals++;
        s->engine.last_signal = c.interrupted_by;
        return;
    }
    calibration_json(&c, when, detail);
    sink_put_event(s->sink, "calibration", false, detail);
    say(s, when, &c);
}
