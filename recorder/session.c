#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyze_child.h"
#include "hostinfo.h"
#include "outputs.h"
#include "redact_forms.h"
#include "resolve.h"
#include "room.h"
#include "runinfo.h"
#include "stall.h"

#define MARKER_BYTES 1280
#define DRAIN_TICK_NS 200000000u
#define MOST_LOOKUP_MS 600000.0

/* A crash must not leave the key on the disk. */
static void forbid_core_dumps(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__ /* the leak check at exit traces this process */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

static enum tt_status make_masks(struct session *s, struct tt_error *err)
{
    const char *key = s->options->api_key;
    const struct secret_list *more = &s->options->transport.secrets;
    struct tt_view *secrets = calloc(more->n + 1, sizeof(*secrets));
    size_t n = 0, left_out = 0;
    if (!secrets)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for masking credentials");
    if (key)
        secrets[n++] = tt_view_str(key);
    for (size_t i = 0; i < more->n; i++)
        secrets[n++] = tt_view_str(more->at[i]);
    enum tt_status code = redact_rules_create(&s->rules, secrets, n, &left_out, err);
    s->key_masked = code == TT_OK && key && !redact_forms_is_filler(secrets[0]);
    free(secrets);
    if (code != TT_OK || s->options->quiet)
        return code;
    left_out -= key && !s->key_masked;
    if (key && !s->key_masked)
        talk_line(&s->talk,
                  "the API key is a placeholder or under 8 bytes: it is sent, but not searched for and masked");
    if (left_out > 0)
        talk_line(&s->talk,
                  "%zu values of headers, query or proxy are placeholders or under 8 bytes: they are sent, but not "
                  "searched for and masked",
                  left_out);
    return code;
}

static enum tt_status find_window(struct session *s, struct tt_error *err)
{
    uint32_t window = s->options->max_model_len;
    if (window == 0) {
        discover_window(&s->engine, &s->discovery);
        window = s->discovery.window;
    }
    if (s->engine.signals > 0)
        return tt_fail(err, TT_END, TT_NO_OFFSET, "interrupted before anything was recorded");
    if (window == 0 && !s->options->quiet)
        talk_line(&s->talk, "context window unknown, prompts are not capped: GET %s: %s (--max-model-len gives it)",
                  s->options->models_url, s->discovery.error);
    if (window > 0 && s->options->verbose > 0)
        talk_line(&s->talk, "context window %u tokens (%s)", (unsigned)window,
                  s->discovery.window > 0 ? "told by the server" : "given");
    return workload_create(&s->workload, s->options, window, err);
}

static enum tt_status append_run(struct session *s, const struct hostinfo *host, struct tt_error *err)
{
    struct runinfo info = {0};
    struct tape_record rec;
    struct runinfo_facts facts = {.workload = s->workload,
                                  .host = host,
                                  .api_key_masked = s->key_masked,
                                  .missing_writer_features = sink_missing_writer_features(s->sink),
                                  .timestamps = s->engine.capture.sockets.timestamps,
                                  .nice = sink_is_nice(s->sink),
                                  .ring_bytes = sink_room_bytes(s->sink)};
    enum tt_status code = runinfo_make(&info, &facts, stamp_now(&s->base), &rec, err);
    if (code == TT_OK)
        code = sink_append_now(s->sink, &rec, err);
    runinfo_clear(&info);
    return code;
}

static enum tt_status append_sample(struct session *s, struct tt_error *err)
{
    struct tape_record rec;
    if (!s->discovery.asked)
        return TT_OK;
    discover_sample(&s->discovery, &rec);
    return sink_append_now(s->sink, &rec, err);
}

static enum tt_status append_plan(struct session *s, uint32_t request, struct tt_error *err)
{
    const struct planned *p = &s->workload->requests[request];
    char marker[MARKER_BYTES] = "";
    struct tape_record rec = {.kind = TAPE_PLAN};
    workload_marker(s->workload, request, marker, sizeof(marker));
    rec.u.plan.request = request;
    rec.u.plan.context_tokens = p->context_tokens;
    rec.u.plan.body_sha256 = tt_view_of(p->buildable ? p->sha256 : NULL, 32);
    rec.u.plan.body_bytes = p->body_bytes;
    rec.u.plan.marker = tt_view_str(marker[0] ? marker : NULL);
    rec.u.plan.warmup = p->warmup;
    rec.u.plan.intended_start_ns = TAPE_NONE;
    rec.u.plan.fault = tt_view_str(p->buildable ? NULL : p->fault);
    return sink_append_now(s->sink, &rec, err);
}

static enum tt_status append_first_records(struct session *s, const struct hostinfo *host, struct tt_error *err)
{
    enum tt_status code = append_run(s, host, err);
    if (code == TT_OK)
        code = append_sample(s, err);
    if (code == TT_OK)
        code = sink_append_clock(s->sink, err);
    uint32_t count = s->workload->measured + s->workload->warmup;
    for (uint32_t i = 0; code == TT_OK && i < count; i++)
        code = append_plan(s, i, err);
    return code == TT_OK ? sink_sync_now(s->sink, err) : code;
}

static enum tt_status make_tape(struct session *s, struct tt_error *err)
{
    struct hostinfo host;
    hostinfo_read(&host, "");
    if (!cpus_pin_io(&s->options->cpus, &s->unpinned))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--cpus: the kernel refuses the CPU: %s", strerror(errno));
    if (!(s->ahead = ahead_create(s->workload, s->options->concurrency + SCHEDULE_AHEAD)))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the bodies");
    struct sink_options o = {.path = s->options->tape_path,
                             .base = s->base,
                             .concurrency = s->options->concurrency,
                             .host_root = "",
                             .cpus = &s->options->cpus,
                             .ring_bytes = room_ring_bytes(s->options, ""),
                             .seen = s->watch ? s->watch->see : NULL,
                             .seen_ctx = s->watch ? s->watch->ctx : NULL,
                             .idle_work = ahead_build_one,
                             .idle_ctx = s->ahead};
    memcpy(o.boot_hash, host.boot_hash, sizeof(o.boot_hash));
    if (getrandom(o.tape_id, sizeof(o.tape_id), 0) != (ssize_t)sizeof(o.tape_id))
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "no random bytes for the tape's id");
    enum tt_status code = sink_create(&s->sink, &o, err);
    if (code != TT_OK)
        return code;
    code = append_first_records(s, &host, err);
    if (code == TT_OK)
        return TT_OK;
    unlink(s->options->tape_path); /* nothing was sent yet: there is nothing to keep */
    return code;
}

static enum tt_status check_first(struct session *s, struct tt_error *err)
{
    const struct options *o = s->options;
    enum tt_status code = outputs_check(o->tape_path, o->output_path, err);
    if (code == TT_OK && analyze_child_find(s->analyzer, sizeof(s->analyzer), o->output_path ? err : NULL) != TT_OK) {
        s->analyzer[0] = '\0';
        code = o->output_path ? TT_USAGE : TT_OK;
    }
    if (code == TT_OK)
        code = cpus_check(&o->cpus, err);
    return code == TT_OK ? room_make(o, "", err) : code;
}

/* NULL: there is nothing to look up, or libcurl will say why it fails. */
static const char *find_addresses(struct session *s)
{
    const struct transport *t = &s->options->transport;
    if (t->resolve || t->unix_socket)
        return t->resolve;
    const char *url = transport_peer_url(t, s->options->base_url);
    double patience_ms = s->options->timeout_s * 1000.0;
    if (patience_ms > MOST_LOOKUP_MS)
        patience_ms = MOST_LOOKUP_MS;
    return resolve_url(url, (int)patience_ms, s->resolved, sizeof(s->resolved)) ? s->resolved : NULL;
}

enum tt_status session_open(struct session *s, const struct options *options, const struct stamp_base *base,
                            const struct session_watch *watch, struct tt_error *err)
{
    *s = (struct session){.options = options, .watch = watch, .base = *base};
    talk_open(&s->talk);
    forbid_core_dumps();
    enum tt_status code = check_first(s, err);
    if (code == TT_OK)
        code = make_masks(s, err);
    if (code != TT_OK)
        return code;
    const char *resolved = find_addresses(s);
    code = engine_create(&s->engine, options, base, s->rules, resolved, err);
    if (code == TT_OK)
        code = find_window(s, err);
    if (code == TT_OK)
        code = make_tape(s, err);
    if (code != TT_OK)
        return code;
    s->engine.capture.sink = s->sink;
    code = schedule_create(&s->schedule, &s->engine, s->workload, s->ahead, &s->talk, err);
    if (code == TT_OK)
        sink_start(s->sink);
    return code;
}

static const char *end_reason(const struct session *s)
{
    const struct schedule_totals *t = schedule_totals(s->schedule);
    if (t->starved)
        return sink_status(s->sink) == TT_NOSPC ? "enospc" : "write_error";
    return t->interrupted ? "interrupted" : "complete";
}

enum tt_status session_finish(struct session *s, struct tt_error *err)
{
    struct tape_record end = {.kind = TAPE_END};
    const struct schedule_totals *t = schedule_totals(s->schedule);
    end.u.end.reason = tt_view_str(end_reason(s));
    end.u.end.planned = t->planned;
    end.u.end.started = t->started;
    end.u.end.done = t->done;
    end.u.end.reads = s->engine.capture.reads;
    end.u.end.read_bytes = s->engine.capture.read_bytes;
    end.u.end.lost_reads = s->engine.capture.lost_reads;
    struct stall stall = {0};
    int done = sink_finish(s->sink, &end);
    /* The loop goes on turning so that a second signal still ends this. */
    if (loop_watch_wake(s->engine.loop, done, err) == TT_OK)
        while (!s->engine.woken) {
            engine_turn(&s->engine, true, stamp_now(&s->base) + DRAIN_TICK_NS);
            stall_heed_at_end(&stall, s->sink, s->engine.turn_ns, &s->talk);
        }
    cpus_unpin(&s->unpinned);
    enum tt_status code = sink_join(s->sink, err);
    if (code == TT_OK && t->starved)
        code = tt_fail(err, sink_status(s->sink), TT_NO_OFFSET, "%s", sink_why(s->sink));
    return code;
}

void session_clear(struct session *s)
{
    cpus_unpin(&s->unpinned);
    schedule_free(s->schedule);
    sink_free(s->sink);
    ahead_free(s->ahead);
    workload_free(s->workload);
    discover_clear(&s->discovery);
    engine_clear(&s->engine);
    redact_rules_free(s->rules);
    talk_close(&s->talk);
}
