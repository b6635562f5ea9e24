/* Reads a tape into a struct run: one stream per request between its first
 * answer byte and DONE, so memory is O(requests) whatever the tape's length.
 *
 * Contradictions. A recorder writes RUN, then every PLAN, and for one request
 * START, then CONN / SEND / HEAD / READ, then DONE, in that order. A tape with
 * valid checksums that says otherwise was not written by a recorder, and no
 * number may be taken from it: load gives TT_MALFORMED, naming the record. These are:
 * no RUN or a second one; a record of a request before RUN, of a number past
 * the plan, without PLAN, before START or after DONE; a second PLAN, START or
 * DONE; times of one request that run backwards; a second run_start or run_end, or
 * an end before the start; RUN without a usable `requests`. Counts past the bounds of the command line
 * give TT_LIMIT. In salvage mode, behind a hole, what the hole explains is
 * tolerated instead: the request is marked and judged `lost_records`. */
#ifndef ANALYZER_LOAD_H
#define ANALYZER_LOAD_H

#include "model.h"

#define LOAD_MAX_REQUESTS 65536u
#define LOAD_MAX_WARMUPS 10000u

/* Facts only; eligibility_judge() decides. On error *out is NULL.
 * Errors: those of reader_open() and reader_next(), TT_MALFORMED, TT_LIMIT, TT_NOMEM. */
enum tt_status load_run(struct run **out, const char *path, const struct reader_options *options, struct tt_error *err);

#endif
