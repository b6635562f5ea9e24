/* Tapes for the tests of the analyzer, written record by record with the real
 * writer. Times are milliseconds since the tape's base. */
#ifndef ANALYZER_TAPES_H
#define ANALYZER_TAPES_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../analyzer/eligibility.h"
#include "../analyzer/load.h"
#include "../format/pack.h"
#include "../format/writer.h"

#define MS 1000000ull
#define REALTIME_NS 1790043514000000000ull

static char tape_dir[256];

static inline int tape_dir_make(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(tape_dir, sizeof tape_dir, "%s/tape-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(tape_dir) ? 0 : -1;
}

static inline int tape_dir_remove(void **state)
{
    (void)state;
    DIR *d = opendir(tape_dir);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    return rmdir(tape_dir);
}

/* The same name gives the same pointer, for good. */
static inline const char *tape_path(const char *name)
{
    static char path[32][512];
    char wanted[512];
    size_t i = 0;
    snprintf(wanted, sizeof wanted, "%s/%s", tape_dir, name);
    while (path[i][0] && strcmp(path[i], wanted) != 0)
        i++;
    assert_true(i < 31);
    memcpy(path[i], wanted, sizeof wanted);
    return path[i];
}

struct maker_options {            /* zero: the value in brackets */
    uint64_t requests;            /* 2 */
    uint64_t concurrency, warmup; /* 2, 0 */
    uint64_t response_words;
    bool canaries, strict, shared, no_thinking, no_lock;
    uint64_t shared_prefix_tokens;
    const char *connections; /* "fresh" */
};

struct maker {
    struct writer *writer;
    struct maker_options options;
    uint64_t now_ns;
};

static inline void put(struct maker *m, struct tape_record *rec)
{
    struct tt_error err;
    uint64_t t = record_time(rec);
    if (t != TAPE_NONE && t > m->now_ns)
        m->now_ns = t;
    if (writer_append(m->writer, rec, m->now_ns, &err) != TT_OK)
        fail_msg("append: %s", err.line);
}

static inline void pack_text(struct pack *p, const char *key, const char *value)
{
    pack_str(p, tt_view_str(key));
    pack_str(p, tt_view_str(value));
}

static inline void pack_number(struct pack *p, const char *key, uint64_t value)
{
    pack_str(p, tt_view_str(key));
    pack_uint(p, value);
}

static inline void put_run(struct maker *m)
{
    const struct maker_options *o = &m->options;
    struct pack options = {0}, versions = {0}, empty = {0}, features = {0};
    pack_map(&options, o->no_thinking ? 22 : 21);
    if (o->no_thinking) {
        pack_str(&options, tt_view_str("no_thinking"));
        pack_bool(&options, true);
    }
    pack_text(&options, "base_url", "http://127.0.0.1:8000/v1");
    pack_text(&options, "model", "mock");
    pack_text(&options, "endpoint", "chat");
    pack_text(&options, "context_seed", "0");
    pack_number(&options, "requests", o->requests);
    pack_number(&options, "warmup", o->warmup);
    pack_number(&options, "concurrency", o->concurrency);
    pack_number(&options, "context_tokens", 1000);
    pack_number(&options, "max_context_tokens", 327680);
    pack_number(&options, "max_tokens", 64);
    pack_number(&options, "margin", 1024);
    pack_number(&options, "response_words", o->response_words);
    pack_number(&options, "shared_prefix_tokens", o->shared_prefix_tokens);
    pack_text(&options, "prompt_cache_mode", o->shared ? "shared" : "unique");
    pack_str(&options, tt_view_str("request_canaries"));
    pack_bool(&options, o->canaries);
    pack_text(&options, "controlled_output_policy", o->strict ? "strict" : "observe");
    pack_text(&options, "connections", o->connections ? o->connections : "fresh");
    pack_str(&options, tt_view_str("timeout_s"));
    pack_double(&options, 900);
    pack_str(&options, tt_view_str("temperature"));
    pack_double(&options, 0);
    pack_text(&options, "prompt_generator", "test");
    pack_str(&options, tt_view_str("top_p"));
    pack_nil(&options);
    pack_map(&versions, 1);
    pack_text(&versions, "recorder", "0.0.test");
    pack_map(&empty, 0);
    pack_map(&features, o->no_lock);
    if (o->no_lock)
        pack_text(&features, "ofd_lock", "none");
    struct tape_record rec = {.kind = TAPE_RUN};
    rec.u.run.time_ns = 0;
    rec.u.run.options.packed = tt_view_of(options.bytes, options.len);
    rec.u.run.versions.packed = tt_view_of(versions.bytes, versions.len);
    rec.u.run.host.packed = tt_view_of(empty.bytes, empty.len);
    rec.u.run.features.packed = tt_view_of(features.bytes, features.len);
    put(m, &rec);
    pack_free(&options);
    pack_free(&versions);
    pack_free(&empty);
    pack_free(&features);
}

static inline void put_plan(struct maker *m, uint64_t request)
{
    char marker[32];
    struct tape_record rec = {.kind = TAPE_PLAN};
    snprintf(marker, sizeof marker, "ANVIL_REQ_0_%05u", (unsigned)request);
    rec.u.plan.request = request;
    rec.u.plan.context_tokens = 1000;
    rec.u.plan.body_bytes = 4000;
    rec.u.plan.marker = m->options.canaries ? tt_view_str(marker) : tt_view_of(NULL, 0);
    rec.u.plan.warmup = request >= m->options.requests;
    rec.u.plan.intended_start_ns = TAPE_NONE;
    put(m, &rec);
}

static inline void put_event(struct maker *m, uint64_t ms, const char *name)
{
    struct tape_record rec = {.kind = TAPE_EVENT};
    rec.u.event.time_ns = ms * MS;
    rec.u.event.name = tt_view_str(name);
    rec.u.event.realtime_ns = REALTIME_NS + ms * MS;
    put(m, &rec);
}

/* FILE, RUN and, with `plans`, every PLAN and run_start at 1 ms. */
static inline struct maker maker_begin(const char *path, const struct maker_options *options, bool plans)
{
    struct maker m = {.options = options ? *options : (struct maker_options){0}};
    struct writer_options w = {.base_monotonic_ns = 1000, .base_realtime_ns = REALTIME_NS};
    struct tt_error err;
    char head[600];
    memset(w.tape_id, 7, sizeof w.tape_id);
    m.options.requests = m.options.requests ? m.options.requests : 2;
    m.options.concurrency = m.options.concurrency ? m.options.concurrency : 2;
    snprintf(head, sizeof head, "%s.head", path);
    unlink(path);
    unlink(head);
    if (writer_create(&m.writer, path, &w, &err) != TT_OK)
        fail_msg("create: %s", err.line);
    put_run(&m);
    for (uint64_t i = 0; plans && i < m.options.requests + m.options.warmup; i++)
        put_plan(&m, i);
    if (plans)
        put_event(&m, 1, "run_start");
    return m;
}

static inline void put_start(struct maker *m, uint64_t request, uint64_t ms)
{
    struct tape_record rec = {.kind = TAPE_START};
    rec.u.start.request = request;
    rec.u.start.time_ns = ms * MS;
    put(m, &rec);
}

static inline void put_conn(struct maker *m, uint64_t request, uint64_t ms)
{
    struct tape_record rec = {.kind = TAPE_CONN};
    rec.u.conn.request = request;
    rec.u.conn.time_ns = ms * MS;
    rec.u.conn.connection = request;
    rec.u.conn.http = tt_view_str("1.1");
    put(m, &rec);
}

static inline void put_send(struct maker *m, uint64_t request, uint64_t first_ms, uint64_t last_ms)
{
    struct tape_record rec = {.kind = TAPE_SEND};
    rec.u.send.request = request;
    rec.u.send.first_ns = first_ms * MS;
    rec.u.send.last_ns = last_ms * MS;
    rec.u.send.bytes = 4000;
    put(m, &rec);
}

/* headers: name, value, ..., NULL */
static inline void put_head_with(struct maker *m, uint64_t request, uint64_t ms, const char *status_line,
                                 const char *const *headers)
{
    struct pack p = {0};
    uint32_t n = 0;
    while (headers[n])
        n++;
    pack_array(&p, n);
    for (uint32_t i = 0; i < n; i++)
        pack_str(&p, tt_view_str(headers[i]));
    struct tape_record rec = {.kind = TAPE_HEAD};
    rec.u.head.request = request;
    rec.u.head.time_ns = ms * MS;
    rec.u.head.status_line = tt_view_str(status_line);
    rec.u.head.headers = tt_view_of(p.bytes, p.len);
    put(m, &rec);
    pack_free(&p);
}

/* An event stream that lasts until the connection closes. */
static inline void put_head(struct maker *m, uint64_t request, uint64_t ms)
{
    static const char *const headers[] = {"content-type", "text/event-stream", NULL};
    put_head_with(m, request, ms, "HTTP/1.1 200 OK", headers);
}

static inline void put_read(struct maker *m, uint64_t request, uint64_t ms, const char *text)
{
    struct tape_record rec = {.kind = TAPE_READ};
    rec.u.read.request = request;
    rec.u.read.time_ns = ms * MS;
    rec.u.read.lag_ns = 20000;
    rec.u.read.bytes = tt_view_str(text);
    put(m, &rec);
}

static inline void put_done_with(struct maker *m, uint64_t request, uint64_t ms, uint64_t curl_code, const char *reason,
                                 const char *error)
{
    struct tape_record rec = {.kind = TAPE_DONE};
    rec.u.done.request = request;
    rec.u.done.time_ns = ms * MS;
    rec.u.done.curl_code = curl_code;
    rec.u.done.http_status = 200;
    rec.u.done.reason = tt_view_str(reason);
    rec.u.done.error = tt_view_str(error);
    put(m, &rec);
}

static inline void put_done(struct maker *m, uint64_t request, uint64_t ms)
{
    put_done_with(m, request, ms, 0, "complete", NULL);
}

#define DELTA(field, text) "data: {\"choices\":[{\"delta\":{\"" field "\":\"" text "\"}}]}\n\n"
#define USAGE(prompt, completion)                                                                                      \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" #prompt ",\"completion_tokens\":" #completion "}}\n\n"
#define STOP "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define GOOD_CANARY DELTA("content", "ANVIL_REQ_0_00000 code code code")
#define FINISH "data: [DONE]\n\n"

/* A good answer from START at ms on: head +10, reasoning +20, content +40, end +60, DONE +61. */
static inline void put_answer(struct maker *m, uint64_t request, uint64_t ms, const char *content_event)
{
    put_start(m, request, ms);
    put_conn(m, request, ms + 1);
    put_send(m, request, ms + 2, ms + 4);
    put_head(m, request, ms + 10);
    put_read(m, request, ms + 20, DELTA("reasoning_content", "hm"));
    put_read(m, request, ms + 40, content_event);
    put_read(m, request, ms + 60, STOP USAGE(980, 12) FINISH);
    put_done(m, request, ms + 61);
}

static inline void put_end(struct maker *m, uint64_t ms, const char *reason)
{
    struct tape_record rec = {.kind = TAPE_END};
    rec.u.end.time_ns = ms * MS;
    rec.u.end.reason = tt_view_str(reason);
    put(m, &rec);
}

static inline void put_lost(struct maker *m, uint64_t ms, uint64_t request)
{
    struct pack p = {0};
    pack_array(&p, 1);
    pack_uint(&p, request);
    struct tape_record rec = {.kind = TAPE_LOST};
    rec.u.lost.time_ns = ms * MS;
    rec.u.lost.count = 3;
    rec.u.lost.bytes = 300;
    rec.u.lost.reason = tt_view_str("ring_full");
    rec.u.lost.requests = tt_view_of(p.bytes, p.len);
    put(m, &rec);
    pack_free(&p);
}

/* run_end, END, INDEX and the head file. */
static inline void maker_finish(struct maker *m, uint64_t ms)
{
    struct tt_error err;
    put_event(m, ms, "run_end");
    put_end(m, ms, "complete");
    if (writer_finish(m->writer, ms * MS, &err) != TT_OK)
        fail_msg("finish: %s", err.line);
    writer_free(m->writer);
}

/* What was put so far is on the tape, which is still being written. */
static inline void maker_sync(struct maker *m)
{
    struct tt_error err;
    if (writer_sync(m->writer, m->now_ns, &err) != TT_OK)
        fail_msg("sync: %s", err.line);
}

/* As a killed recorder leaves it: what was synced, no END. */
static inline void maker_abandon(struct maker *m)
{
    maker_sync(m);
    writer_free(m->writer);
}

static inline struct run *load_judged(const char *path)
{
    struct tt_error err;
    struct run *run;
    if (load_run(&run, path, NULL, &err) != TT_OK)
        fail_msg("load: %s", err.line);
    eligibility_judge(run, NULL);
    return run;
}

/* The whole of a file, zero-terminated; the caller frees it. */
static inline char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

#endif
