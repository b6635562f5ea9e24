/* Reads a tape into a struct run, at once or as it grows: one stream per request between
 * its first answer byte and DONE, so memory is O(requests) whatever the tape's length.
 *
 * Contradictions. A recorder writes RUN, then every PLAN, and for one request
 * START, then CONN / SEND / HEAD / READ, then DONE, in that order. A tape with
 * valid checksums that says otherwise was not written by a recorder, and no
 * number may be taken from it: load gives TT_MALFORMED, naming the record. These are:
 * no RUN or a second one; a record of a request before RUN, of a number past
 * the plan, without PLAN, before START or after DONE; a second PLAN, START or
 * DONE; times of one request that run backwards; a second run_start or run_end, or
 * an end before the start; RUN without a usable `requests`. Counts past the bounds of the command line
 * give TT_LIMIT, and so do markers that pass LOAD_TEXT_BYTES. A stream that holds too much is a fact about
 * its request, finish reasons past that bound are counted and not kept. In salvage mode, behind a hole, what the hole
 * explains is tolerated instead: the request is marked and judged `lost_records`. */
#ifndef ANALYZER_LOAD_H
#define ANALYZER_LOAD_H

#include "model.h"

#define LOAD_MAX_REQUESTS 65536u
#define LOAD_MAX_WARMUPS 10000u
#define LOAD_POOL_BYTES (64u << 20) /* events of all streams that are not yet whole; see pool.h */
#define LOAD_TEXT_BYTES (16u << 20) /* markers, and finish reasons but the first of each request */

/* Facts only; eligibility_judge() decides. On error *out is NULL.
 * Errors: those of reader_open() and reader_next(), TT_MALFORMED, TT_LIMIT, TT_NOMEM. */
enum tt_status load_run(struct run **out, const char *path, const struct reader_options *options, struct tt_error *err);

/* ---- the same in steps, for a tape that may still be written ---- */

struct loader; /* opaque */

/* Errors: those of reader_open(), TT_NOMEM. */
enum tt_status loader_create(struct loader **out, const char *path, const struct reader_options *options,
                             struct tt_error *err);
/* The next record, taken into the run. TT_END and further calls behind it: as reader_next(). */
enum tt_status loader_next(struct loader *l, struct tape_record *rec, struct tt_error *err);
/* The run so far, the loader's own; NULL before RUN. Counts and times grow, a request's facts are
 * there from its DONE on. */
struct run *loader_run(struct loader *l);
const struct reader_report *loader_report(const struct loader *l);
/* Behind TT_END, once: requests without DONE end here, and the run is the caller's. */
enum tt_status loader_finish(struct loader *l, struct run **out, struct tt_error *err);
void loader_free(struct loader *l); /* accepts NULL */

/* The request that a record is about: of the kinds PLAN to REDACT. */
uint64_t load_request_of(const struct tape_record *rec);

#endif
