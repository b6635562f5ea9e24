/* What the writer thread does, without the thread: ring entries to the tape, CLOCK and
 * HOST when they are due, the tape's end. Only the atomic fields are for other threads. */
#ifndef RECORDER_DRAIN_H
#define RECORDER_DRAIN_H

#include <stdatomic.h>

#include "../format/writer.h"
#include "hostinfo.h"
#include "ring.h"
#include "stamp.h"

struct drain {
    struct stamp_base base;
    struct writer *writer;
    struct hostinfo_sampler *host;
    struct ring *ring;
    void (*seen)(void *ctx, const struct tape_record *rec); /* of each record out of the ring; NULL */
    void *seen_ctx;
    uint64_t next_clock_ns, next_host_ns;
    size_t high_water_bytes; /* of the ring, in the whole run */
    struct tt_error trouble; /* why nothing new should start; any thread once `status` is set */
    struct tt_error error;   /* the first failure; any thread once `dead` is set */
    /* any thread */
    atomic_int status;                /* enum tt_status: TT_OK, or what `trouble` or `error` is */
    atomic_bool dead;                 /* nothing more can be written */
    _Atomic uint64_t beat_ns;         /* when the writer last had nothing to wait for */
    atomic_size_t body_bytes;         /* of bodies in the ring */
    _Atomic uint64_t longest_turn_ns; /* of the loop since the last HOST */
};

#define DRAIN_CLOCK_EVERY_NS 10000000000ull
#define DRAIN_HOST_EVERY_NS 1000000000ull

/* Up to `most` ring entries; returns how many there were. */
size_t drain_entries(struct drain *d, size_t most);
/* CLOCK, HOST, blocks and syncs that are due. Call it at least every 50 ms. */
void drain_tick(struct drain *d);
/* HOST, CLOCK and END (its time is set here), then the index and the head file. */
void drain_close(struct drain *d, struct tape_record *end);
/* Lets go of bodies still in the ring. */
void drain_discard(struct drain *d);

#endif
