#include "sink.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../format/limits.h"
#include "../format/writer.h"
#include "entry.h"
#include "hostinfo.h"
#include "ring.h"

#define RING_BYTES ((size_t)32 << 20)
#define SLACK_BYTES 16384u /* for the few records that belong to no request */
#define NICER 7
#define IDLE_WAIT_MS 10
#define BATCH_ENTRIES 256
#define CLOCK_EVERY_NS 10000000000ull
#define HOST_EVERY_NS 1000000000ull

struct sink {
    struct stamp_base base;
    struct writer *writer;
    struct hostinfo_sampler *host;
    struct ring *ring;
    bool (*idle_work)(void *ctx);
    void *idle_ctx;
    size_t claims; /* requests with room set aside; I/O thread */
    /* thread */
    pthread_t thread;
    bool thread_made, joined;
    sem_t ready, go;
    int wake_fd, done_fd;
    atomic_bool started, stopping, nice, dead;
    atomic_int status;
    _Atomic uint64_t longest_turn_ns;
    struct tape_record end; /* valid once `stopping` is set */
    /* writer thread */
    uint64_t next_clock_ns, next_host_ns;
    struct tt_error error;
};

/* The first failure is kept. A record the writer refuses (TT_LIMIT, TT_USAGE) is a bug of ours, not the end. */
static void note(struct sink *s, enum tt_status code, const struct tt_error *error)
{
    if (code == TT_OK || code == TT_LIMIT || code == TT_USAGE || atomic_load(&s->dead))
        return;
    s->error = *error;
    atomic_store(&s->status, (int)code);
    atomic_store(&s->dead, true);
}

/* After a failure the writer itself knows what it still takes. */
static void append(struct sink *s, const struct tape_record *rec, uint64_t now)
{
    struct tt_error error;
    note(s, writer_append(s->writer, rec, now, &error), &error);
}

/* A body in pieces, or only its hash and length. */
static void append_body(struct sink *s, const struct entry_body *e, uint64_t now)
{
    struct tape_record rec = {.kind = TAPE_BLOB};
    rec.u.blob.sha256 = tt_view_of(e->body->sha256, 32);
    rec.u.blob.total_bytes = e->body->n;
    if (!e->with_bytes)
        append(s, &rec, now);
    for (size_t at = 0; e->with_bytes && at < e->body->n; at += TAPE_MAX_BLOB_PIECE_BYTES) {
        size_t left = e->body->n - at;
        rec.u.blob.offset_bytes = at;
        rec.u.blob.bytes =
            tt_view_of(e->body->bytes + at, left < TAPE_MAX_BLOB_PIECE_BYTES ? left : TAPE_MAX_BLOB_PIECE_BYTES);
        append(s, &rec, now);
    }
    body_release(e->body);
}

static bool is_failure(const struct tape_record *rec)
{
    return rec->kind == TAPE_DONE && (!tt_view_equal(rec->u.done.reason, "complete") || rec->u.done.http_status < 200 ||
                                      rec->u.done.http_status > 299);
}

static size_t drain(struct sink *s, size_t most)
{
    size_t count = 0, n;
    void *entry;
    uint64_t now = stamp_now(&s->base);
    for (; count < most && (entry = ring_peek(s->ring, &n)) != NULL; count++) {
        const struct entry_body *body = entry_as_body(entry);
        const struct tape_record *rec = entry;
        if (body) {
            append_body(s, body, now);
        } else {
            append(s, rec, now);
            if (is_failure(rec))
                writer_note_failure(s->writer, now);
        }
        ring_release(s->ring);
    }
    return count;
}

static void append_host(struct sink *s, uint64_t now)
{
    struct tape_record rec = {.kind = TAPE_HOST};
    hostinfo_sample(s->host, &rec);
    rec.u.host.time_ns = now;
    rec.u.host.max_turn_gap_ns = atomic_exchange(&s->longest_turn_ns, 0);
    rec.u.host.ring_bytes = ring_used(s->ring);
    rec.u.host.ring_high_water_bytes = ring_take_high_water(s->ring);
    append(s, &rec, now);
}

static void append_clock(struct sink *s)
{
    struct tape_record rec;
    stamp_clock(&s->base, &rec);
    append(s, &rec, rec.u.clock.time_ns);
}

static void tick(struct sink *s)
{
    uint64_t now = stamp_now(&s->base);
    if (now >= s->next_clock_ns) {
        append_clock(s);
        s->next_clock_ns = now + CLOCK_EVERY_NS;
    }
    if (now >= s->next_host_ns) {
        append_host(s, now);
        s->next_host_ns = now + HOST_EVERY_NS;
    }
    struct tt_error error;
    note(s, writer_tick(s->writer, now, &error), &error);
    if (!atomic_load(&s->dead) && writer_space_is_short(s->writer))
        atomic_store(&s->status, TT_NOSPC);
}

static void close_tape(struct sink *s)
{
    struct tt_error error;
    append_host(s, stamp_now(&s->base));
    append_clock(s);
    s->end.u.end.time_ns = stamp_now(&s->base);
    if (sink_status(s) == TT_NOSPC) /* it may have come to that after the run's end */
        s->end.u.end.reason = tt_view_str("enospc");
    append(s, &s->end, s->end.u.end.time_ns);
    note(s, writer_finish(s->writer, stamp_now(&s->base), &error), &error);
}

static bool lower_priority(void)
{
    id_t self = (id_t)gettid();
    errno = 0;
    int now = getpriority(PRIO_PROCESS, self);
    return errno == 0 && setpriority(PRIO_PROCESS, self, now + NICER) == 0;
}

static void rest(struct sink *s)
{
    struct pollfd p = {.fd = s->wake_fd, .events = POLLIN};
    poll(&p, 1, IDLE_WAIT_MS);
}

static void *writer_main(void *arg)
{
    struct sink *s = arg;
    atomic_store(&s->nice, lower_priority());
    sem_post(&s->ready);
    while (sem_wait(&s->go) != 0) {
    }
    if (!atomic_load(&s->started))
        return NULL;
    for (;;) {
        /* Asked before draining: what was put in before the stop is then seen by this drain. */
        bool stopping = atomic_load_explicit(&s->stopping, memory_order_acquire);
        size_t taken = drain(s, stopping ? SIZE_MAX : BATCH_ENTRIES);
        tick(s);
        if (stopping)
            break;
        if (taken == 0 && !(s->idle_work && s->idle_work(s->idle_ctx)))
            rest(s);
    }
    close_tape(s);
    eventfd_write(s->done_fd, 1);
    return NULL;
}

static enum tt_status make_parts(struct sink *s, const struct sink_options *o, struct tt_error *err)
{
    s->ring = ring_create((o->ring_bytes ? o->ring_bytes : RING_BYTES) + SLACK_BYTES +
                          (size_t)o->concurrency * SINK_RESERVE_BYTES);
    s->host = hostinfo_sampler_create(o->host_root);
    s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!s->ring || !s->host || s->wake_fd < 0 || s->done_fd < 0)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the ring");
    struct writer_options w = {
        .base_monotonic_ns = o->base.monotonic_ns, .base_realtime_ns = o->base.realtime_ns, .io = o->io};
    memcpy(w.tape_id, o->tape_id, sizeof(w.tape_id));
    memcpy(w.boot_hash, o->boot_hash, sizeof(w.boot_hash));
    enum tt_status code = writer_create(&s->writer, o->path, &w, err);
    if (code != TT_OK)
        return code;
    if (pthread_create(&s->thread, NULL, writer_main, s) != 0)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "cannot start the writer thread: %s", strerror(errno));
    s->thread_made = true;
    while (sem_wait(&s->ready) != 0) {
    }
    return TT_OK;
}

enum tt_status sink_create(struct sink **out, const struct sink_options *options, struct tt_error *err)
{
    *out = NULL;
    struct sink *s = calloc(1, sizeof(*s));
    if (!s)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the writer");
    s->base = options->base;
    s->idle_work = options->idle_work;
    s->idle_ctx = options->idle_ctx;
    s->wake_fd = s->done_fd = -1;
    s->next_clock_ns = CLOCK_EVERY_NS;
    sem_init(&s->ready, 0, 0);
    sem_init(&s->go, 0, 0);
    enum tt_status code = make_parts(s, options, err);
    if (code != TT_OK) {
        sink_free(s);
        return code;
    }
    *out = s;
    return TT_OK;
}

const char *sink_missing_writer_features(const struct sink *s)
{
    return writer_missing_features(s->writer);
}

bool sink_is_nice(const struct sink *s)
{
    return atomic_load(&s->nice);
}

enum tt_status sink_append_now(struct sink *s, const struct tape_record *rec, struct tt_error *err)
{
    return writer_append(s->writer, rec, stamp_now(&s->base), err);
}

enum tt_status sink_append_clock(struct sink *s, struct tt_error *err)
{
    struct tape_record rec;
    stamp_clock(&s->base, &rec);
    return sink_append_now(s, &rec, err);
}

enum tt_status sink_sync_now(struct sink *s, struct tt_error *err)
{
    return writer_sync(s->writer, stamp_now(&s->base), err);
}

void sink_start(struct sink *s)
{
    atomic_store(&s->started, true);
    sem_post(&s->go);
}

static bool room_for(const struct sink *s, size_t n)
{
    return ring_capacity(s->ring) - ring_used(s->ring) >= n;
}

bool sink_claim_room(struct sink *s)
{
    if (!room_for(s, SLACK_BYTES + (s->claims + 1) * SINK_RESERVE_BYTES))
        return false;
    s->claims++;
    return true;
}

void sink_release_room(struct sink *s)
{
    s->claims--;
}

bool sink_put(struct sink *s, const struct tape_record *rec)
{
    return entry_put(s->ring, rec, 0);
}

bool sink_put_lossy(struct sink *s, const struct tape_record *rec)
{
    return entry_put(s->ring, rec, SLACK_BYTES + s->claims * SINK_RESERVE_BYTES);
}

bool sink_put_body(struct sink *s, struct body *body, bool with_bytes)
{
    if (entry_put_body(s->ring, body_hold(body), with_bytes))
        return true;
    body_release(body);
    return false;
}

void sink_note_turn(struct sink *s, uint64_t ns)
{
    uint64_t longest = atomic_load_explicit(&s->longest_turn_ns, memory_order_relaxed);
    while (ns > longest && !atomic_compare_exchange_weak(&s->longest_turn_ns, &longest, ns)) {
    }
}

enum tt_status sink_status(const struct sink *s)
{
    return (enum tt_status)atomic_load_explicit(&s->status, memory_order_relaxed);
}

bool sink_is_dead(const struct sink *s)
{
    return atomic_load_explicit(&s->dead, memory_order_relaxed);
}

size_t sink_backlog_bytes(const struct sink *s)
{
    return ring_used(s->ring);
}

int sink_finish(struct sink *s, const struct tape_record *end)
{
    s->end = *end;
    atomic_store_explicit(&s->stopping, true, memory_order_release);
    eventfd_write(s->wake_fd, 1);
    return s->done_fd;
}

enum tt_status sink_join(struct sink *s, struct tt_error *err)
{
    if (s->thread_made && !s->joined) {
        sem_post(&s->go);
        pthread_join(s->thread, NULL);
        s->joined = true;
    }
    if (err && atomic_load(&s->dead))
        *err = s->error;
    return sink_status(s);
}

uint64_t sink_tape_bytes(const struct sink *s)
{
    return writer_bytes(s->writer);
}

void sink_tape_head(const struct sink *s, uint8_t head[32])
{
    writer_head(s->writer, head);
}

void sink_free(struct sink *s)
{
    if (!s)
        return;
    sink_join(s, NULL);
    for (size_t n; s->ring;) { /* bodies still in the ring */
        void *entry = ring_peek(s->ring, &n);
        if (!entry)
            break;
        if (entry_as_body(entry))
            body_release(entry_as_body(entry)->body);
        ring_release(s->ring);
    }
    writer_free(s->writer);
    hostinfo_sampler_free(s->host);
    ring_free(s->ring);
    if (s->wake_fd >= 0)
        close(s->wake_fd);
    if (s->done_fd >= 0)
        close(s->done_fd);
    sem_destroy(&s->ready);
    sem_destroy(&s->go);
    free(s);
}
