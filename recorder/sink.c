#include "sink_parts.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define RING_BYTES ((size_t)32 << 20)
#define MUCH_BYTES ((size_t)8 << 20)
#define NICER 5
#define IDLE_WAIT_MS 10
#define BATCH_ENTRIES 256

static bool lower_priority(struct sink *s)
{
    s->thread_id = (id_t)gettid();
    errno = 0;
    s->usual_nice = getpriority(PRIO_PROCESS, s->thread_id);
    return errno == 0 && setpriority(PRIO_PROCESS, s->thread_id, s->usual_nice + NICER) == 0;
}

/* On a crowded machine the lower priority could let the ring overflow: it is given up while much of it
 * waits (which takes the right to, and is else left at that). */
static void keep_pace(struct sink *s)
{
    size_t waiting = ring_used(s->d.ring), quarter = ring_capacity(s->d.ring) / 4;
    size_t much = quarter < MUCH_BYTES ? quarter : MUCH_BYTES;
    bool hurry = waiting > (s->hurrying ? much / 4 : much);
    if (hurry == s->hurrying || !atomic_load(&s->nice))
        return;
    setpriority(PRIO_PROCESS, s->thread_id, s->usual_nice + (hurry ? 0 : NICER));
    s->hurrying = hurry;
}

static void rest(struct sink *s)
{
    struct pollfd p = {.fd = s->wake_fd, .events = POLLIN};
    poll(&p, 1, IDLE_WAIT_MS);
}

static void *writer_main(void *arg)
{
    struct sink *s = arg;
    pthread_setname_np(pthread_self(), "tape-writer");
    if (s->cpus)
        s->pinned = cpus_pin_writer(s->cpus);
    atomic_store(&s->nice, lower_priority(s));
    sem_post(&s->ready);
    while (sem_wait(&s->go) != 0) {
    }
    if (!atomic_load(&s->started))
        return NULL;
    for (;;) {
        /* Asked before draining: what was put in before the stop is then seen by this drain. */
        bool stopping = atomic_load_explicit(&s->stopping, memory_order_acquire);
        size_t taken = drain_entries(&s->d, stopping ? SIZE_MAX : BATCH_ENTRIES);
        drain_tick(&s->d);
        keep_pace(s);
        if (stopping)
            break;
        if (taken == 0 && !(s->idle_work && s->idle_work(s->idle_ctx)))
            rest(s);
    }
    drain_close(&s->d, &s->end);
    eventfd_write(s->done_fd, 1);
    return NULL;
}

static enum tt_status make_parts(struct sink *s, const struct sink_options *o, struct tt_error *err)
{
    s->d.ring = ring_create((o->ring_bytes ? o->ring_bytes : RING_BYTES) + SINK_SLACK_BYTES +
                            (size_t)o->concurrency * SINK_RESERVE_BYTES);
    s->d.host = hostinfo_sampler_create(o->host_root);
    s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!s->d.ring)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET,
                       "no memory for a ring of %zu MiB (a smaller --ring-mib, or more memory: ulimit -v)",
                       o->ring_bytes >> 20);
    if (!s->d.host || s->wake_fd < 0 || s->done_fd < 0)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the writer");
    struct writer_options w = {
        .base_monotonic_ns = o->base.monotonic_ns, .base_realtime_ns = o->base.realtime_ns, .io = o->io};
    memcpy(w.tape_id, o->tape_id, sizeof(w.tape_id));
    memcpy(w.boot_hash, o->boot_hash, sizeof(w.boot_hash));
    enum tt_status code = writer_create(&s->d.writer, o->path, &w, err);
    if (code != TT_OK)
        return code;
    if (pthread_create(&s->thread, NULL, writer_main, s) != 0)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "cannot start the writer thread: %s", strerror(errno));
    s->thread_made = true;
    while (sem_wait(&s->ready) != 0) {
    }
    if (s->cpus && !s->pinned)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--cpus: the kernel refuses the writer thread's CPUs");
    return TT_OK;
}

enum tt_status sink_create(struct sink **out, const struct sink_options *options, struct tt_error *err)
{
    *out = NULL;
    struct sink *s = calloc(1, sizeof(*s));
    if (!s)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the writer");
    s->d.base = options->base;
    s->d.seen = options->seen;
    s->d.seen_ctx = options->seen_ctx;
    s->idle_work = options->idle_work;
    s->idle_ctx = options->idle_ctx;
    s->cpus = options->cpus;
    s->wake_fd = s->done_fd = -1;
    s->d.next_clock_ns = DRAIN_CLOCK_EVERY_NS;
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
    return writer_missing_features(s->d.writer);
}

bool sink_is_nice(const struct sink *s)
{
    return atomic_load(&s->nice);
}

enum tt_status sink_append_now(struct sink *s, const struct tape_record *rec, struct tt_error *err)
{
    return writer_append(s->d.writer, rec, stamp_now(&s->d.base), err);
}

enum tt_status sink_append_clock(struct sink *s, struct tt_error *err)
{
    struct tape_record rec;
    stamp_clock(&s->d.base, &rec);
    return sink_append_now(s, &rec, err);
}

enum tt_status sink_sync_now(struct sink *s, struct tt_error *err)
{
    return writer_sync(s->d.writer, stamp_now(&s->d.base), err);
}

void sink_start(struct sink *s)
{
    atomic_store(&s->started, true);
    sem_post(&s->go);
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
    if (!sink_is_dead(s))
        return TT_OK;
    if (err)
        *err = s->d.error;
    return s->d.error.code;
}

void sink_free(struct sink *s)
{
    if (!s)
        return;
    sink_join(s, NULL);
    if (s->d.ring)
        drain_discard(&s->d);
    writer_free(s->d.writer);
    hostinfo_sampler_free(s->d.host);
    ring_free(s->d.ring);
    if (s->wake_fd >= 0)
        close(s->wake_fd);
    if (s->done_fd >= 0)
        close(s->done_fd);
    sem_destroy(&s->ready);
    sem_destroy(&s->go);
    free(s);
}
