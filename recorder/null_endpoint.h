/* A server that thinks nothing: a child process of the recorder on a loopback port that answers each request
 * with a stream of events, paced, each carrying the time of its own send. The truth a calibration is held
 * against. It shares the CPUs of the recorder (but for those of --cpus). */
#ifndef RECORDER_NULL_ENDPOINT_H
#define RECORDER_NULL_ENDPOINT_H

#include "cpus.h"
#include "stamp.h"

struct null_plan {
    uint32_t streams;     /* events begin when that many requests have come */
    uint32_t events;      /* of each stream */
    uint64_t interval_ns; /* between two events of a stream; 0: as fast as they are taken */
    bool step;            /* an event of every stream at once, as an engine's step gives them; else spread evenly */
};

/* What it did. Times are absolute CLOCK_MONOTONIC. */
struct null_facts {
    uint64_t sent;              /* events, whole */
    uint64_t first_ns, last_ns; /* stamps of the first and the last of them */
    uint64_t cpu_ns;            /* spent from the first event on */
    bool died;                  /* before it was told to end, not having done its work */
};

struct null_endpoint; /* opaque */

/* Listens, then forks. `cpus` are the recorder's, left to it where others are open (`unpinned`: what was, when
 * this thread is already pinned; NULL: it is not). Any thread may run meanwhile. TT_IO, TT_NOMEM. */
enum tt_status null_endpoint_start(struct null_endpoint **out, const struct null_plan *plan,
                                   const struct cpu_list *cpus, const struct cpus_before *unpinned,
                                   struct tt_error *err);
unsigned null_endpoint_port(const struct null_endpoint *e);
/* Ends the child and tells what it did. Accepts NULL (facts are zero then). */
void null_endpoint_stop(struct null_endpoint *e, struct null_facts *facts);

/* null_server.c: the child's life, with memory made before the fork alone: another thread may have held the lock
 * of malloc() then. `streams` holds null_server_bytes(). Returns when every stream has ended. */
size_t null_server_bytes(const struct null_plan *plan);
void null_server_run(int listener, const struct null_plan *plan, void *streams, volatile struct null_facts *facts);

#endif
