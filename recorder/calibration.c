#include "calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "session.h"

#define ARGUMENT_BYTES 32
#define CONNECT_RATE "4000"
#define SETTLE_NS 10000000000ull /* for the writer to take what is in the ring */
#define LOOK_NS 2000000u

/* What is made for one calibration, in that order. */
struct making {
    const struct calibration_place *place;
    const struct stamp_base *base;
    struct null_plan plan;
    struct null_endpoint *endpoint;
    struct witness *witness;
    char url[64], streams[ARGUMENT_BYTES];
    struct options options;
    struct session session;
};

static double events_of(const struct calibration_load *load)
{
    double events = load->rate > 0 ? load->rate * load->duration_s + 0.5 : load->events;
    return events < 1 ? 1 : events;
}

enum tt_status calibration_check(const struct calibration_load *load, struct tt_error *err)
{
    double events = events_of(load) * load->streams;
    if (events > (double)WITNESS_MOST_EVENTS)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "%.0f events are more than a calibration keeps (%llu): a lower --duration, --rate or "
                       "--concurrency",
                       events, (unsigned long long)WITNESS_MOST_EVENTS);
    return TT_OK;
}

void calibration_tape_path(const char *folder, size_t n, unsigned number, char out[CALIBRATION_PATH_BYTES])
{
    snprintf(out, CALIBRATION_PATH_BYTES, "%.*s/.tokentape-calibration-%d-%u.tape", (int)n, folder, (int)getpid(),
             number);
}

/* A secret that nobody has: looking for it costs what looking for a key costs. */
static enum tt_status add_decoy(struct options *o, struct tt_error *err)
{
    uint8_t bytes[24];
    char text[2 * sizeof(bytes) + 1];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "no random bytes for the calibration");
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    if (!secret_list_add(&o->transport.secrets, text, sizeof(text) - 1))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the calibration");
    return TT_OK;
}

/* The same options as a person would give, so that all defaults are those of a run. */
static enum tt_status make_options(struct making *m, struct tt_error *err)
{
    snprintf(m->url, sizeof(m->url), "http://127.0.0.1:%u/v1", null_endpoint_port(m->endpoint));
    snprintf(m->streams, sizeof(m->streams), "%u", (unsigned)m->plan.streams);
    /* clang-format off */
    const char *argv[] = {
        "tokentape-record", "capacity", "--base-url", m->url, "--model", "null-endpoint",
        "--requests", m->streams, "--concurrency", m->streams, "--connect-rate", CONNECT_RATE,
        "--ctx-tokens", "64", "--max-model-len", "4096", "--max-tokens", "64",
        "--keep-bodies", "none", "--prompt-cache-mode", "unique", "--timeout", "30",
        "--tape", m->place->tape_path, "--quiet"
    };
    /* clang-format on */
    enum options_action action;
    enum tt_status code =
        options_parse((int)(sizeof(argv) / sizeof(argv[0])), (char **)(size_t)argv, "", &m->options, &action, err);
    if (code != TT_OK)
        return code;
    m->options.cpus = *m->place->cpus;
    return m->place->masking ? add_decoy(&m->options, err) : TT_OK;
}

static enum tt_status make(struct making *m, struct tt_error *err)
{
    enum tt_status code = null_endpoint_start(&m->endpoint, &m->plan, m->place->cpus, m->place->unpinned, err);
    if (code == TT_OK && !(m->witness = witness_create(m->plan.streams, m->plan.events, m->base)))
        code = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the errors of %u events", (unsigned)m->plan.events);
    return code == TT_OK ? make_options(m, err) : code;
}

/* Until every record has been seen by the witness. */
static void settle(struct making *m)
{
    struct engine *e = &m->session.engine;
    uint64_t until = stamp_now(m->base) + SETTLE_NS, now;
    while (sink_backlog_bytes(m->session.sink) > 0 && !sink_is_dead(m->session.sink) &&
           (now = stamp_now(m->base)) < until)
        engine_turn(e, true, now + LOOK_NS);
}

static void fill(const struct making *m, const struct null_facts *facts, struct calibration *out)
{
    const struct schedule_totals *t = schedule_totals(m->session.schedule);
    out->failed = t->measured.failed;
    out->interrupted_by = t->interrupted ? m->session.engine.last_signal : 0;
    out->endpoint_cpu_ns = facts->cpu_ns;
    double planned = (double)m->plan.interval_ns * (m->plan.events - (m->plan.step ? 1.0 : 1.0 / m->plan.streams));
    double actual = (double)(facts->last_ns - facts->first_ns);
    out->pace = planned > 0 && actual > planned ? planned / actual : 1;
}

static void forget_tape(const struct calibration_place *place)
{
    char head[4096];
    unlink(place->tape_path);
    if (snprintf(head, sizeof(head), "%s.head", place->tape_path) < (int)sizeof(head))
        unlink(head);
}

static void note_in_tape(struct making *m, const struct calibration *c)
{
    char detail[CALIBRATION_JSON_BYTES];
    calibration_json(c, NULL, detail);
    sink_put_event(m->session.sink, "calibration", false, detail);
}

static enum tt_status record(struct making *m, struct calibration *out, struct tt_error *err)
{
    struct session_watch watch = {witness_see, m->witness};
    struct null_facts facts;
    enum tt_status code = session_open(&m->session, &m->options, m->base, &watch, err);
    bool made = code == TT_OK;
    if (made) {
        schedule_run(m->session.schedule);
        settle(m);
        witness_sum(m->witness, &out->errors);
        null_endpoint_stop(m->endpoint, &facts);
        m->endpoint = NULL;
        fill(m, &facts, out);
        note_in_tape(m, out);
        code = session_finish(&m->session, err);
        if (code == TT_OK && facts.died)
            code = tt_fail(err, TT_IO, TT_NO_OFFSET, "the null endpoint died: the calibration says nothing");
    }
    session_clear(&m->session);
    if (made && !m->place->keep_tape)
        forget_tape(m->place);
    return code;
}

enum tt_status calibration_run(const struct calibration_load *load, const struct calibration_place *place,
                               const struct stamp_base *base, struct calibration *out, struct tt_error *err)
{
    struct null_facts none;
    struct making *m = calloc(1, sizeof(*m)); /* a session is large */
    *out = (struct calibration){.load = *load, .masking = place->masking, .cpus = cpus_allowed(place->unpinned)};
    if (!m)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for a calibration");
    m->place = place;
    m->base = base;
    m->plan = (struct null_plan){.streams = load->streams,
                                 .events = (uint32_t)events_of(load),
                                 .interval_ns = load->rate > 0 ? (uint64_t)(1e9 / load->rate) : 0,
                                 .step = load->step};
    enum tt_status code = calibration_check(load, err);
    if (code == TT_OK)
        code = make(m, err);
    if (code == TT_OK)
        code = record(m, out, err);
    null_endpoint_stop(m->endpoint, &none);
    witness_free(m->witness);
    options_free(&m->options);
    free(m);
    return code;
}

bool calibration_is_whole(const struct calibration *c)
{
    return !c->interrupted_by && c->failed == 0 && c->errors.lost_reads == 0 && c->errors.events == c->errors.expected;
}
