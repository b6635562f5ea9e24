#include "engine.h"

#include <signal.h>
#include <unistd.h>

#define CONNECT_SPARE_MS 60000.0
#define STEPS_TOLD_EVERY_NS 1000000000u

static enum tt_status make_multi(struct engine *e, const char *resolved, struct tt_error *err)
{
    const struct options *o = e->options;
    struct multi_options m = {.loop = e->loop,
                              .base = e->capture.base,
                              .sockets = &e->capture.sockets,
                              .streams = o->concurrency,
                              .resolved = resolved,
                              .connect_timeout_ms = (uint64_t)(o->timeout_s * 1000.0 + CONNECT_SPARE_MS),
                              .transport = &o->transport,
                              .kept = o->connections != CONNECTIONS_FRESH,
                              .uploading = request_note_upload,
                              .heading = capture_stirred};
    enum tt_status code = multi_create(&e->multi, &m, err);
    if (code != TT_OK)
        return code;
    e->request.headers = multi_headers_create(o->api_key, &o->transport.headers, true);
    e->get_headers = multi_headers_create(o->api_key, &o->transport.headers, false);
    if (!e->request.headers || !e->get_headers)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "the headers cannot be sent: one holds a control character, or the API key is over 8 KiB");
    e->request.multi = e->multi;
    return TT_OK;
}

enum tt_status engine_create(struct engine *e, const struct options *options, const struct stamp_base *base,
                             const struct redact_rules *rules, const char *resolved, struct tt_error *err)
{
    *e = (struct engine){.options = options};
    e->capture.base = *base;
    e->capture.rules = rules;
    idle_init(&e->capture.active);
    idle_init(&e->capture.closing);
    idle_init(&e->capture.sending);
    if (!sockets_init(&e->capture.sockets))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the sockets");
    e->capture.shared_sockets = options->transport.http2;
    e->request.capture = &e->capture;
    e->request.options = options;
    enum tt_status code = loop_create(&e->loop, base->monotonic_ns, err);
    if (code == TT_OK)
        code = make_multi(e, resolved, err);
    bool has_stamps = !options->transport.http2 && !options->transport.unix_socket; /* a Unix socket has none */
    if (code == TT_OK && has_stamps && !multi_intake_is_missed())
        sockets_probe_timestamps(&e->capture.sockets);
    return code;
}

void engine_clear(struct engine *e)
{
    multi_free(e->multi);
    multi_headers_free(e->request.headers);
    multi_headers_free(e->get_headers);
    loop_free(e->loop);
    sockets_clear(&e->capture.sockets);
    pack_free(&e->capture.scratch);
    *e = (struct engine){0};
}

static void take_signal(struct engine *e, int signal)
{
    if (signal == SIGCONT)
        e->continued = true;
    if (signal == 0 || signal == SIGCONT)
        return;
    if (++e->signals > 1)
        _exit(130); /* as good as a kill: the tape ends at its last block */
    e->last_signal = signal;
}

/* As loop_wait(). A socket that all streams share is among what a wait brings, almost always: that it had nothing
 * before is seen by a look that does not wait. libcurl keeps nothing of what it took then, since none of its timers is
 * due. */
static int wait_for_events(struct engine *e, struct loop_event *events, uint64_t asked_ns, unsigned most_ms,
                           bool *whole)
{
    struct look *look = &e->capture.sockets.look;
    if (e->capture.shared_sockets && most_ms > 0 && multi_deadline(e->multi) > asked_ns) {
        int n = loop_wait(e->loop, events, 0, whole);
        if (n > 0)
            return n;
        look_begin(look, asked_ns);
        look_end(look, asked_ns, *whole);
    }
    return loop_wait(e->loop, events, most_ms, whole);
}

void engine_turn(struct engine *e, bool wait, uint64_t until_ns)
{
    struct loop_event events[LOOP_MAX_EVENTS];
    uint64_t deadline = multi_deadline(e->multi);
    loop_arm(e->loop, deadline < until_ns ? deadline : until_ns);
    bool whole;
    uint64_t asked_ns = e->asked_ns ? e->asked_ns : stamp_now(&e->capture.base);
    unsigned most_ms = wait ? look_again_ms(asked_ns, e->capture.last_start_ns) : 0;
    int n = wait_for_events(e, events, asked_ns, most_ms, &whole);
    e->turn_ns = stamp_offset_refresh(&e->capture.offset, &e->capture.base);
    look_begin(&e->capture.sockets.look, e->turn_ns);
    e->saw_all = whole;
    e->woken = false;
    for (int i = 0; i < n; i++) {
        if (events[i].what == LOOP_SOCKET)
            multi_ready(e->multi, &events[i]);
        else if (events[i].what == LOOP_SIGNAL)
            take_signal(e, events[i].signal);
        else if (events[i].what == LOOP_WAKE)
            e->woken = true;
    }
    bool ran = multi_run_timers(e->multi, stamp_now(&e->capture.base));
    if (ran || e->capture.shared_sockets || e->options->transport.unix_socket) /* whose socket it was is not known */
        request_note_uploads(&e->capture);
    uint64_t waited_ns = asked_ns + most_ms * UINT64_C(1000000); /* epoll never gives up before that */
    look_end(&e->capture.sockets.look, n == 0 ? waited_ns : asked_ns, whole);
    e->due_ns = waited_ns < e->turn_ns ? waited_ns : e->turn_ns;
    e->asked_ns = 0;
}

/* The wall clock was stepped: the tape should know when, but a clock that is nudged all the time is told of once
 * a second only. */
static void tell_step(struct engine *e, uint64_t now)
{
    if (e->capture.offset.steps == e->steps || now < e->next_clock_ns)
        return;
    struct tape_record rec;
    stamp_clock(&e->capture.base, &rec);
    sink_put_lossy(e->capture.sink, &rec);
    e->steps = e->capture.offset.steps;
    e->next_clock_ns = now + STEPS_TOLD_EVERY_NS;
}

void engine_end_turn(struct engine *e)
{
    uint64_t now = stamp_now(&e->capture.base);
    struct sink *sink = e->capture.sink;
    if (!sink)
        return;
    e->asked_ns = now;
    tell_step(e, now);
    sink_note_turn(sink, now - e->due_ns);
    if (now - e->due_ns <= ENGINE_LONG_TURN_NS)
        return;
    struct tape_record rec = {.kind = TAPE_TURN};
    rec.u.turn.before_ns = e->due_ns;
    rec.u.turn.after_ns = now;
    sink_put_lossy(sink, &rec);
}
