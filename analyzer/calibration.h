/* How late a recorder was against a null endpoint: the detail of an EVENT `calibration` (RECORDS.md), read strictly.
 * What lacks a member, has one of another type, or contradicts itself was not written by a recorder, and nothing of it
 * is used. Members that are not known are passed over. */
#ifndef ANALYZER_CALIBRATION_H
#define ANALYZER_CALIBRATION_H

#include "json_tree.h"
#include "stream.h"

struct json_out;

#define CALIBRATION_MAX_BYTES 4096u /* a recorder writes less than 1 KiB */
#define CALIBRATION_ARRIVALS_BYTES 8u

struct opt_real {
    bool has;
    double v;
};

struct calibration {
    char arrivals[CALIBRATION_ARRIVALS_BYTES]; /* "spread", "step", "flood" */
    bool masking;
    uint64_t cpus, streams, events, events_planned, reads, lost_reads, failed_requests, early, over_1ms, over_5ms;
    uint64_t p50_ns, p90_ns, p99_ns, p99_9_ns, max_ns, span_ns, recorder_cpu_ns, endpoint_cpu_ns;
    struct opt_real rate, duration_s, endpoint_pace;
};

/* Of a run: alone on the tape of a calibration. */
enum calibration_when { CALIBRATION_AFTER, CALIBRATION_ALONE, CALIBRATION_BEFORE, CALIBRATION_WHENS };

struct calibrations {
    struct calibration at[CALIBRATION_WHENS];
    bool has[CALIBRATION_WHENS];
    uint64_t damaged; /* records that could not be read, or the second of a kind */
};

/* "after", "alone", "before": keys in the result. */
const char *calibration_when_name(enum calibration_when when);
/* False: it is no calibration. Of a detail as well as of what a result repeats of it. */
bool calibration_read(struct calibration *c, const struct json_node *object);
/* The detail of one more EVENT. TT_NOMEM alone; what cannot be read is counted. */
enum tt_status calibration_take(struct calibrations *all, struct tt_view detail);
/* As an object, with the members that the tape has but `when`. */
void calibration_write(const struct calibration *c, struct json_out *o);

#endif
