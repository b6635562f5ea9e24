/* Inside of load: shared by the files load*.c alone. */
#ifndef ANALYZER_LOAD_PARTS_H
#define ANALYZER_LOAD_PARTS_H

#include "load.h"
#include "pool.h"

/* Times and Unix times from here on (146 years) are taken for nonsense, so that sums never overflow. */
#define LOAD_TIME_LIMIT_NS (1ull << 62)

struct loader {
    struct run *run; /* NULL before RUN */
    struct reader *reader;
    struct stream **streams;              /* by request number; NULL outside its answer */
    struct load_connection **connections; /* of several streams each; NULL before the first of them */
    struct pool pool;                     /* for the events of all of them that are not yet whole */
    uint64_t text_left;                   /* for what is kept of texts: markers, finish reasons */
    uint64_t next_block;                  /* sequence expected of the next block */
    uint64_t run_time_ns;                 /* of RUN */
    bool has_run_end, has_end;
    bool strict, given_away; /* given_away: the run is another's */
    struct tt_error *err;    /* of the call under way */
    struct tt_error own;     /* stands in where the caller wants none */
};

/* Total of measured and warm-up requests. */
size_t loader_total(const struct loader *l);
/* The request of that number, or NULL. */
struct request *loader_request(const struct loader *l, uint64_t number);

/* TT_MALFORMED naming the record read last; with a hole before it (salvage) marks r
 * (may be NULL) instead and gives TT_OK: the record is then passed over. */
enum tt_status loader_contradiction(struct loader *l, const struct tape_record *rec, struct request *r, const char *fmt,
                                    ...) __attribute__((format(printf, 4, 5)));

/* Owned copy of a view; *out is NULL for nil. TT_MALFORMED for a NUL byte inside. */
enum tt_status load_copy_text(struct tt_view v, char **out, struct tt_error *err);

/* Any record: what it changes in the run. */
enum tt_status load_take_record(struct loader *l, const struct tape_record *rec);
/* RUN: creates l->run with its requests. */
enum tt_status load_take_run(struct loader *l, const struct tape_record *rec);
/* Requests without PLAN get the context that RUN implies, where it does. */
void load_imply_contexts(struct run *run);
/* Options map alone; checks every bound that the analyzer relies on. */
enum tt_status load_options(const struct tape_map *map, struct run_options *options, struct tt_error *err);
void load_options_free(struct run_options *options);

/* PLAN, START, CONN, SEND, HEAD, READ, DONE, REDACT, LOST. */
enum tt_status load_take_request_record(struct loader *l, const struct tape_record *rec);

/* The answer's bytes, given to the request's stream. */
enum tt_status load_stream_head(struct loader *l, const struct tape_record *rec, struct request *r);
enum tt_status load_stream_read(struct loader *l, const struct tape_record *rec, struct request *r);
/* Of the connection of an HTTP/2 request; *out is NULL where it is no other's. Give it back when its stream has ended.
 */
enum tt_status load_backlog_take(struct loader *l, const struct request *r, struct backlog **out);
void load_backlog_give(struct loader *l, struct backlog *shared); /* accepts NULL */
void load_backlogs_free(struct loader *l);
/* Completes the facts of the request and frees the stream. blind_us: DONE's; clean: the transport ended without a
 * fault.
 */
enum tt_status load_stream_end(struct loader *l, struct request *r, uint64_t time_ns, uint64_t blind_us, bool clean);
/* Nothing was lost so far, and the stream took every byte. */
bool load_stream_is_readable(const struct request *r);
/* Ends the answers that have no DONE. */
enum tt_status load_end_open_requests(struct loader *l);

#endif
