#include "calibrate.h"

#include <inttypes.h>
#include <stdio.h>

#include "calibration.h"
#include "capacity.h"
#include "ceiling.h"
#include "outputs.h"
#include "room.h"
#include "talk.h"

#define TRIAL_S 1.0
#define SEARCH_NS 45000000000ull
#define MOST_STREAMS 16384u
#define FLOOD_STREAMS 64u
#define FLOOD_PROBE_EVENTS 500u
#define FLOOD_S 1.5

/* One of the two ends of the search. */
struct mark {
    uint64_t p99_ns;
    const char *why; /* what a miss missed by: "error", "pace" or "loss" */
};

struct calibrate {
    const struct options *o;
    const struct stamp_base *base;
    struct talk talk;
    struct calibration planned, flood;
    bool has_ceiling, has_flood;
    struct ceiling ceiling;
    struct mark held, missed;
    unsigned made; /* tapes */
};

static void say_load(struct calibrate *c, const struct calibration_load *load)
{
    char text[CALIBRATION_LOAD_BYTES];
    calibration_load_text(load, text);
    if (!c->o->quiet)
        talk_line(&c->talk, "calibrating: %s", text);
}

/* One load, on a tape of its own. */
static enum tt_status measure(struct calibrate *c, const struct calibration_load *load, const char *keep,
                              struct calibration *out, struct tt_error *err)
{
    char path[CALIBRATION_PATH_BYTES];
    calibration_tape_path(c->o->calibration.dir, strlen(c->o->calibration.dir), c->made++, path);
    struct calibration_place place = {.tape_path = keep ? keep : path, .keep_tape = keep != NULL, .cpus = &c->o->cpus};
    say_load(c, load);
    enum tt_status code = calibration_run(load, &place, c->base, out, err);
    if (code == TT_OK && out->interrupted_by)
        return tt_fail(err, TT_END, TT_NO_OFFSET, "interrupted");
    return code;
}

/* NULL: the load was borne within the limit. */
static const char *missed_by(const struct calibrate *c, const struct calibration *m)
{
    if (!calibration_is_whole(m))
        return "loss";
    if (m->pace < CALIBRATION_PACE_HELD)
        return "pace";
    return (double)m->errors.ns[WITNESS_P99] > c->o->calibration.max_error_ms * 1e6 ? "error" : NULL;
}

static void note_trial(struct calibrate *c, const struct calibration *m)
{
    struct mark mark = {m->errors.ns[WITNESS_P99], missed_by(c, m)};
    ceiling_note(&c->ceiling, m->load.streams, !mark.why);
    if (!mark.why && c->ceiling.held == m->load.streams)
        c->held = mark;
    if (mark.why && c->ceiling.missed == m->load.streams)
        c->missed = mark;
}

static enum tt_status find_ceiling(struct calibrate *c, struct tt_error *err)
{
    uint32_t room = room_most_streams(""), streams;
    uint64_t until = stamp_now(c->base) + SEARCH_NS;
    ceiling_begin(&c->ceiling, c->planned.load.streams, room < MOST_STREAMS ? room : MOST_STREAMS);
    note_trial(c, &c->planned);
    while ((streams = ceiling_next(&c->ceiling)) > 0 && stamp_now(c->base) < until) {
        struct calibration_load load = c->planned.load;
        struct calibration trial;
        load.streams = streams;
        load.duration_s = load.duration_s < TRIAL_S ? load.duration_s : TRIAL_S;
        enum tt_status code = measure(c, &load, NULL, &trial, err);
        if (code != TT_OK)
            return code;
        note_trial(c, &trial);
    }
    c->has_ceiling = true;
    return TT_OK;
}

static double events_per_second(const struct calibration *c)
{
    return c->errors.span_ns ? (double)c->errors.events * 1e9 / (double)c->errors.span_ns : 0;
}

/* A short one tells how long the real one has to be. */
static enum tt_status find_flood(struct calibrate *c, struct tt_error *err)
{
    struct calibration_load load = {.streams = FLOOD_STREAMS, .events = FLOOD_PROBE_EVENTS};
    enum tt_status code = measure(c, &load, NULL, &c->flood, err);
    if (code != TT_OK)
        return code;
    double most = (double)WITNESS_MOST_EVENTS / FLOOD_STREAMS;
    double events = events_per_second(&c->flood) * FLOOD_S / FLOOD_STREAMS;
    load.events = (uint32_t)(events < FLOOD_PROBE_EVENTS ? FLOOD_PROBE_EVENTS : events < most ? events : most);
    code = measure(c, &load, NULL, &c->flood, err);
    c->has_flood = code == TT_OK;
    return code;
}

static enum tt_status check_place(const struct options *o, struct tt_error *err)
{
    char path[CALIBRATION_PATH_BYTES];
    calibration_tape_path(o->calibration.dir, strlen(o->calibration.dir), 0, path);
    return o->tape_path ? outputs_check(o->tape_path, NULL, err) : outputs_check_file(path, "--dir", err);
}

static enum tt_status measure_all(struct calibrate *c, struct tt_error *err)
{
    const struct options *o = c->o;
    struct calibration_load load = {.streams = o->concurrency,
                                    .rate = o->calibration.rate,
                                    .duration_s = o->calibration.duration_s,
                                    .step = o->calibration.arrivals == ARRIVALS_STEP};
    enum tt_status code = check_place(o, err);
    if (code == TT_OK)
        code = measure(c, &load, o->tape_path, &c->planned, err);
    if (code == TT_OK && !o->calibration.no_ceiling)
        code = find_ceiling(c, err);
    if (code == TT_OK && c->has_ceiling)
        code = find_flood(c, err);
    return code;
}

static const char *reason(const char *why)
{
    return strcmp(why, "error") == 0  ? "its p99 was"
           : strcmp(why, "pace") == 0 ? "the null endpoint fell behind its pace; p99"
                                      : "events were lost; p99";
}

static void print_ceiling(const struct calibrate *c)
{
    const struct ceiling *e = &c->ceiling;
    double limit = c->o->calibration.max_error_ms, rate = c->o->calibration.rate;
    if (e->held)
        printf("ceiling: %" PRIu32 " streams x %g events/s with p99 %.3f ms, within %g ms\n", e->held, rate,
               (double)c->held.p99_ns / 1e6, limit);
    else
        printf("ceiling: none found that keeps p99 within %g ms\n", limit);
    if (e->missed)
        printf("  %" PRIu32 " streams missed it: %s %.3f ms\n", e->missed, reason(c->missed.why),
               (double)c->missed.p99_ns / 1e6);
    else
        printf("  no load that was tried missed it; %" PRIu32 " streams are the most that this process may have\n",
               e->most);
}

static void print_text(const struct calibrate *c)
{
    calibration_text(&c->planned, stdout);
    if (c->has_ceiling)
        print_ceiling(c);
    if (c->has_flood)
        printf("flood: %.0f events/s over %u streams, %.2f us of the recorder's CPU each, %" PRIu64 " reads lost\n",
               events_per_second(&c->flood), FLOOD_STREAMS,
               c->flood.errors.events ? (double)c->flood.errors.cpu_ns / 1e3 / (double)c->flood.errors.events : 0,
               c->flood.errors.lost_reads);
}

static void print_mark(const char *name, uint32_t streams, const struct mark *m)
{
    if (!streams)
        printf(",\"%s\":null", name);
    else if (m->why)
        printf(",\"%s\":{\"by\":\"%s\",\"p99_ns\":%" PRIu64 ",\"streams\":%" PRIu32 "}", name, m->why, m->p99_ns,
               streams);
    else
        printf(",\"%s\":{\"p99_ns\":%" PRIu64 ",\"streams\":%" PRIu32 "}", name, m->p99_ns, streams);
}

static void print_json(const struct calibrate *c)
{
    char text[CALIBRATION_JSON_BYTES];
    calibration_json(&c->planned, NULL, text);
    printf("{\"calibration\":%s", text);
    if (c->has_ceiling) {
        printf(",\"ceiling\":{\"max_error_ns\":%.0f", c->o->calibration.max_error_ms * 1e6);
        print_mark("held", c->ceiling.held, &c->held);
        print_mark("missed", c->ceiling.missed, &c->missed);
        printf(",\"most_streams\":%" PRIu32 ",\"trials\":%u}", c->ceiling.most, c->ceiling.trials);
    }
    if (c->has_flood) {
        calibration_json(&c->flood, NULL, text);
        printf(",\"flood\":%s", text);
    }
    printf(",\"recorder\":\"" TOKENTAPE_VERSION "\",\"schema\":\"tokentape.calibration/1\"}\n");
}

int calibrate_run(const struct options *options, const struct stamp_base *base)
{
    struct calibrate c = {.o = options, .base = base};
    struct tt_error err = {0};
    talk_open(&c.talk);
    enum tt_status code = measure_all(&c, &err);
    int status = capacity_exit_for(code);
    if (code != TT_OK)
        talk_line(&c.talk, "tokentape-record: %s", err.line);
    else if (options->calibration.json)
        print_json(&c);
    else
        print_text(&c);
    if (code == TT_OK && fflush(stdout) != 0)
        status = EXIT_NOT_WRITTEN;
    else if (code == TT_OK && !calibration_is_whole(&c.planned))
        status = EXIT_SOME_FAILED;
    talk_close(&c.talk);
    return status;
}
