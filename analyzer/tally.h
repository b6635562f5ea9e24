/* The numbers of a recording so far, counted record by record: memory O(requests), and
 * nothing is read twice. At its end they are those of the result. */
#ifndef ANALYZER_TALLY_H
#define ANALYZER_TALLY_H

#include "model.h"
#include "rate.h"
#include "standing.h"

struct tally { /* starts zeroed */
    uint64_t planned, started, done, failed, warmups_done;
    size_t samples; /* of the two arrays, in any order */
    double *ttfo_ms, *ttft_ms;
    struct traffic seen;
    struct rate rate;
    bool stale; /* a LOST may change a verdict that was given */
};

/* Takes the record that loader_next() gave (in prefix or strict mode), and judges the request that ended with it.
 * TT_NOMEM. */
enum tt_status tally_take(struct tally *t, struct run *run, const struct tape_record *rec, struct tt_error *err);
/* The numbers as of the last record; run is NULL before RUN. The state is the caller's to fill in. */
void tally_standing(struct tally *t, struct run *run, const struct reader_report *report, struct standing *out);
void tally_free(struct tally *t);

#endif
