#include "schedule.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "deadlines.h"
#include "pace.h"
#include "progress.h"
#include "slots.h"
#include "stall.h"
#include "warm.h"

/* The reads of the others wait while requests are started: some 100 us for each, with its connection. (And one for each
 * that has ended since: else those in flight would become fewer.) */
#define MAX_STARTS_EACH_TURN 4
#define AHEAD_BYTES ((size_t)16 << 20)
#define BURST_FILL_BYTES ((size_t)512 << 20)
#define FILL_PATIENCE_NS 10000000000ull
#define FILL_LOOK_NS 2000000u
#define ROOM_RETRY_NS 2000000u
#define LATE_NS 1000000000u
#define TICK_NS 200000000u /* looks at the writer's state and the progress line */

struct schedule {
    struct engine *e;
    const struct workload *w;
    const struct options *o;
    struct talk *talk;
    struct deadlines limits;
    struct slots slots;
    struct pace connects;
    /* the phase */
    uint32_t next, phase_end; /* in the order of starts, see ahead.h */
    uint64_t done_before;     /* totals.done when requests were started last */
    bool measuring, stopping, no_room;
    bool late;             /* nothing was looked at for a while, and not all of it has been since */
    uint64_t last_look_ns; /* when it was last seen who is idle */
    struct stall stall;
    uint64_t phase_start_ns, next_progress_ns;
    struct outcomes warmup;
    struct schedule_totals totals;
};

static uint64_t now_of(const struct schedule *s)
{
    return stamp_now(&s->e->capture.base);
}

static struct outcomes *outcomes_of(struct schedule *s)
{
    return s->measuring ? &s->totals.measured : &s->warmup;
}

static void request_over(void *ctx, struct request *r, const struct request_outcome *outcome)
{
    struct schedule *s = ctx;
    outcomes_add(outcomes_of(s), outcome, s->o->base_url);
    slots_give_back(&s->slots, r);
    s->totals.done++;
}

enum tt_status schedule_create(struct schedule **out, struct engine *engine, const struct workload *workload,
                               struct ahead *ahead, struct talk *talk, struct tt_error *err)
{
    *out = NULL;
    struct schedule *s = calloc(1, sizeof(*s));
    if (!s)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the schedule");
    s->e = engine;
    s->w = workload;
    s->o = workload->options;
    s->talk = talk;
    s->limits.timeout_ns = (uint64_t)(s->o->timeout_s * 1e9);
    s->limits.grace_ns = (uint64_t)(s->o->done_grace_s * 1e9);
    s->totals.planned = (uint64_t)workload->measured + workload->warmup;
    pace_init(&s->connects, s->o->burst ? 0 : s->o->connect_rate); /* a burst is asked for: all at once */
    engine->request.over = request_over;
    engine->request.ctx = s;
    enum tt_status code = slots_init(&s->slots, engine, workload, ahead, err);
    if (code == TT_OK)
        *out = s;
    else
        schedule_free(s);
    return code;
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    slots_clear(&s->slots);
    free(s);
}

const struct schedule_totals *schedule_totals(const struct schedule *s)
{
    return &s->totals;
}

static bool has_next(const struct schedule *s)
{
    return !s->stopping && s->next < s->phase_end && !slots_all_busy(&s->slots);
}

/* What would open a connection too early waits, and with it its START: TTFO is not longer for it. */
static bool is_held_back(const struct schedule *s)
{
    return slots_next_connects(&s->slots) && !pace_allows(&s->connects, now_of(s));
}

/* Starts the next request, or passes over one that cannot be sent. False: not now. */
static bool start_next(struct schedule *s)
{
    const char *why;
    bool connects = slots_next_connects(&s->slots);
    switch (slots_start(&s->slots, s->next, &why)) {
    case SLOTS_NO_ROOM:
        s->no_room = true;
        return false;
    case SLOTS_UNSENT:
        outcomes_add_unsent(outcomes_of(s), why);
        break;
    case SLOTS_STARTED:
        s->totals.started++;
        if (connects)
            pace_note(&s->connects, now_of(s));
    }
    s->next++;
    return true;
}

static bool may_start(const struct schedule *s)
{
    return has_next(s) && !is_held_back(s);
}

/* True when more could be started right away. */
static bool start_some(struct schedule *s)
{
    uint64_t most = MAX_STARTS_EACH_TURN + (s->totals.done - s->done_before);
    s->done_before = s->totals.done;
    s->no_room = false;
    for (uint64_t i = 0; i < most && may_start(s); i++)
        if (!start_next(s))
            return false;
    return may_start(s);
}

static uint64_t wake_at(struct schedule *s)
{
    uint64_t tick = s->e->turn_ns + (s->no_room ? ROOM_RETRY_NS : TICK_NS);
    uint64_t deadline = deadlines_next(&s->e->capture, &s->limits);
    uint64_t connect = has_next(s) && is_held_back(s) ? pace_next(&s->connects) : LOOP_NEVER;
    uint64_t at = deadline < tick ? deadline : tick;
    return connect < at ? connect : at;
}

static const char *name_of_signal(int signal)
{
    return signal == SIGINT ? "SIGINT" : signal == SIGQUIT ? "SIGQUIT" : "SIGTERM";
}

static void heed_signal(struct schedule *s)
{
    if (s->e->continued) {
        s->e->continued = false;
        sink_put_event(s->e->capture.sink, "signal", false, "SIGCONT");
        talk_line(s->talk, "stopped and continued: what came meanwhile was read late");
    }
    if (s->e->signals == 0 || s->totals.interrupted)
        return;
    s->totals.interrupted = true;
    s->stopping = true;
    sink_put_event(s->e->capture.sink, "signal", false, name_of_signal(s->e->last_signal));
    deadlines_cancel_all(&s->e->capture);
    if (!s->o->quiet)
        talk_line(s->talk, "stopping: requests in flight are recorded as cancelled; once more to leave at once");
}

/* What was not looked at for a second - the process was stopped, the machine overloaded - has not been idle: first all
 * that came in the meantime is read, and the turn that noticed it may have been told of its events before. */
static void end_idle(struct schedule *s)
{
    uint64_t now = now_of(s);
    s->late = (s->late && !s->e->saw_all) || now - s->last_look_ns > LATE_NS;
    s->last_look_ns = now;
    if (!s->late)
        deadlines_end_idle(&s->e->capture, &s->limits, now);
}

/* The tape cannot grow: start nothing, let what is in flight end. Nothing can be written at all: stop now. */
static void heed_writer(struct schedule *s)
{
    struct sink *sink = s->e->capture.sink;
    if (sink_status(sink) == TT_OK)
        return;
    if (!s->stopping && (s->next < s->totals.planned || sink_is_dead(sink))) {
        s->totals.starved = s->next < s->totals.planned;
        s->stopping = true;
        sink_put_event(s->e->capture.sink, "stop", false,
                       sink_status(sink) == TT_NOSPC ? "no space for the tape" : "the tape cannot be written");
        if (!s->o->quiet)
            talk_line(s->talk, "%s: no new requests, %u in flight", sink_why(sink),
                      (unsigned)slots_in_flight(&s->slots));
    }
    if (sink_is_dead(sink))
        deadlines_cancel_all(&s->e->capture);
}

static void show_progress(struct schedule *s, bool over)
{
    char line[PROGRESS_LINE];
    if (s->o->quiet || !(progress_due(&s->next_progress_ns, s->e->turn_ns, s->talk->is_terminal) || over))
        return;
    const struct outcomes *o = outcomes_of(s);
    struct progress p = {.phase = s->measuring ? "" : "warm-up",
                         .planned = s->measuring ? s->w->measured : s->w->warmup,
                         .done = o->succeeded,
                         .failed = o->failed,
                         .in_flight = slots_in_flight(&s->slots),
                         .bytes = s->e->capture.read_bytes,
                         .elapsed_ns = now_of(s) - s->phase_start_ns,
                         .over = over};
    progress_format(&p, line);
    if (s->talk->is_terminal && !over)
        talk_draw(s->talk, line);
    else
        talk_line(s->talk, "%s", line);
}

/* Has the bodies of the first fill ready before the first of them starts: a burst then is one. */
static void make_ready(struct schedule *s, uint32_t first)
{
    uint32_t total = (uint32_t)s->totals.planned;
    uint64_t until = now_of(s) + FILL_PATIENCE_NS;
    ahead_aim(s->slots.ahead, first, total, s->slots.most, s->o->burst ? BURST_FILL_BYTES : AHEAD_BYTES);
    while (!ahead_is_ready(s->slots.ahead) && s->e->signals == 0 && now_of(s) < until)
        engine_turn(s->e, true, now_of(s) + FILL_LOOK_NS);
    ahead_aim(s->slots.ahead, first, total, SCHEDULE_AHEAD, AHEAD_BYTES);
}

static void run_phase(struct schedule *s, uint32_t first, uint32_t end)
{
    bool more = true;
    s->next = first;
    s->phase_end = end;
    make_ready(s, first);
    s->phase_start_ns = s->e->turn_ns = s->last_look_ns = now_of(s);
    s->next_progress_ns = 0;
    if (s->measuring)
        sink_put_event(s->e->capture.sink, "run_start", true, NULL);
    while ((!s->stopping && s->next < s->phase_end) || slots_in_flight(&s->slots) > 0) {
        engine_turn(s->e, !more, wake_at(s));
        end_idle(s);
        heed_signal(s);
        if (!s->late)
            stall_heed(&s->stall, s->e->capture.sink, s->e->turn_ns, s->o->quiet ? NULL : s->talk);
        heed_writer(s);
        more = start_some(s);
        show_progress(s, false);
        engine_end_turn(s->e);
    }
    if (s->measuring)
        sink_put_event(s->e->capture.sink, "run_end", true, NULL);
    show_progress(s, true);
}

void schedule_run(struct schedule *s)
{
    if (s->o->connections == CONNECTIONS_WARM) {
        char note[96];
        snprintf(note, sizeof(note), "%u connections opened ahead", (unsigned)warm_connections(s->e));
        sink_put_event(s->e->capture.sink, "note", false, note);
        heed_signal(s);
    }
    if (s->w->warmup > 0)
        run_phase(s, 0, s->w->warmup);
    s->measuring = true;
    if (!s->stopping)
        run_phase(s, s->w->warmup, (uint32_t)s->totals.planned);
}
