/* The way of records to the disk: the I/O thread puts them into the ring, the writer
 * thread, at lower priority, takes them out, packs, compresses, hashes, writes and
 * syncs. CLOCK and HOST are the writer thread's own. */
#ifndef RECORDER_SINK_H
#define RECORDER_SINK_H

#include <stdatomic.h>

#include "../format/record.h"
#include "body.h"
#include "cpus.h"
#include "stamp.h"

struct sink; /* opaque */
struct writer_io;

struct sink_options {
    const char *path;
    struct stamp_base base;
    uint8_t tape_id[16], boot_hash[16];
    uint32_t concurrency;
    const char *host_root;       /* "" on a real machine */
    const struct cpu_list *cpus; /* the writer thread's place is in it; NULL: anywhere */
    size_t ring_bytes;           /* room for what the disk has not taken yet, at least 4 MiB; 0: 32 MiB */
    const struct writer_io *io;  /* NULL: the real calls */
    /* Called by the writer thread for each record out of the ring. NULL: nobody looks. */
    void (*seen)(void *ctx, const struct tape_record *rec);
    void *seen_ctx;
    /* Called by the writer thread when it has nothing to write; true: call again soon. NULL: nothing to do. */
    bool (*idle_work)(void *ctx);
    void *idle_ctx;
};

/* Creates the tape and the (still waiting) writer thread. Errors as writer_create(), TT_NOMEM. */
enum tt_status sink_create(struct sink **out, const struct sink_options *options, struct tt_error *err);
/* What the writer does without, by name; NULL when it was available. */
const char *sink_missing_writer_features(const struct sink *s);
bool sink_is_nice(const struct sink *s); /* the writer thread runs at lower priority */

/* Before sink_start() only: straight to the tape, in this thread. */
enum tt_status sink_append_now(struct sink *s, const struct tape_record *rec, struct tt_error *err);
enum tt_status sink_append_clock(struct sink *s, struct tt_error *err);
enum tt_status sink_sync_now(struct sink *s, struct tt_error *err);

/* From here on the writer belongs to its thread, and everything goes through the ring. */
void sink_start(struct sink *s);

#define SINK_RESERVE_BYTES 2048u /* kept for one request's START, CONN, SEND, LOST and DONE */

/* I/O thread. Room for one request more? Then it is set aside until sink_release_room(). */
bool sink_claim_room(struct sink *s);
void sink_release_room(struct sink *s);
/* A small record that must not be lost, inside claimed room. False only when there is none left. */
bool sink_put(struct sink *s, const struct tape_record *rec);
/* A record that gives way: false when it would touch the claimed room. */
bool sink_put_lossy(struct sink *s, const struct tape_record *rec);
/* An EVENT of this moment; `detail` NULL: none. Belongs to no request. */
void sink_put_event(struct sink *s, const char *name, bool with_realtime, const char *detail);
/* A request's body (BLOB records): by pointer, holds a reference until written. */
bool sink_put_body(struct sink *s, struct body *body, bool with_bytes);
size_t sink_unwritten_body_bytes(const struct sink *s);

/* I/O thread: a turn of the loop took this long. */
void sink_note_turn(struct sink *s, uint64_t ns);
/* Any thread: TT_OK, or why nothing new should start: see writer_trouble(), or the writer's failure. */
enum tt_status sink_status(const struct sink *s);
const char *sink_why(const struct sink *s); /* the same in a line; "": TT_OK */
/* Any thread: true when nothing more can be written at all. */
bool sink_is_dead(const struct sink *s);
/* Bytes put into the ring and not yet taken out, and how many there is room for. */
size_t sink_backlog_bytes(const struct sink *s);
size_t sink_room_bytes(const struct sink *s);
/* Any thread: for how long the writer has been waiting for the disk. */
uint64_t sink_silence_ns(const struct sink *s, uint64_t now_ns);

/* I/O thread: the last record. The writer drains, adds CLOCK and `end`, closes the tape;
 * then the returned descriptor becomes readable. */
int sink_finish(struct sink *s, const struct tape_record *end);
/* Waits for the writer thread (started or not) and tells what failed. */
enum tt_status sink_join(struct sink *s, struct tt_error *err);
/* After sink_join(). The path is what was asked for, unless the file was moved or deleted meanwhile. */
const char *sink_tape_path(const struct sink *s);
bool sink_tape_is_whole(const struct sink *s); /* nothing that was put in is missing */
uint64_t sink_tape_bytes(const struct sink *s);
size_t sink_high_water_bytes(const struct sink *s); /* the greatest backlog of the run */
void sink_tape_head(const struct sink *s, uint8_t head[32]);
void sink_free(struct sink *s); /* accepts NULL; joins first when need be */

#endif
