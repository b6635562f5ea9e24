/* One calibration: a run against the null endpoint at a given load, by the whole path that any run goes - libcurl,
 * capture, ring, writer, a tape on the disk - and how late its times were. */
#ifndef RECORDER_CALIBRATION_H
#define RECORDER_CALIBRATION_H

#include <stdio.h>

#include "null_endpoint.h"
#include "witness.h"

struct calibration_load {
    uint32_t streams;
    double rate;       /* events a second of each stream; 0: as fast as they are taken */
    double duration_s; /* with a rate */
    uint32_t events;   /* of each stream, without one */
    bool step;         /* events of all streams at once */
};

struct calibration_place {
    const char *tape_path; /* not there yet */
    bool keep_tape;
    const struct cpu_list *cpus;
    const struct cpus_before *unpinned; /* NULL: this thread is not pinned */
    bool masking; /* with a decoy to look for in every read, as a run with an API key does with the key */
};

struct calibration {
    struct calibration_load load;
    unsigned cpus; /* open to recorder and endpoint together */
    bool masking;
    struct witness_sum errors;
    uint64_t failed;          /* requests */
    uint64_t endpoint_cpu_ns; /* between the first event and the last */
    double pace;              /* of the endpoint: 1 as planned, 0.5 half as fast; 1 without a rate */
    int interrupted_by;       /* signal, 0: none */
};

/* TT_USAGE when the load is more than is kept of one. */
enum tt_status calibration_check(const struct calibration_load *load, struct tt_error *err);
/* A name for the tape of a calibration in a folder whose path has n bytes. */
#define CALIBRATION_PATH_BYTES 4096
void calibration_tape_path(const char *folder, size_t n, unsigned number, char out[CALIBRATION_PATH_BYTES]);
/* Nothing but 127.0.0.1 is talked to, no credential is sent. Errors: those of a run and
 * of calibration_check(). */
enum tt_status calibration_run(const struct calibration_load *load, const struct calibration_place *place,
                               const struct stamp_base *base, struct calibration *out, struct tt_error *err);
/* Every event came, none lost, no request failed: the numbers are those of the whole load. */
bool calibration_is_whole(const struct calibration *c);

#define CALIBRATION_AROUND_S 2     /* before and after a run, each */
#define CALIBRATION_PACE_HELD 0.95 /* below it the load was not the one that was asked for */

/* calibration_text.c: a few lines for people. */
void calibration_text(const struct calibration *c, FILE *to);
/* As one JSON object on one line (the detail of an EVENT); `when`: "before", "after" or NULL. */
#define CALIBRATION_JSON_BYTES 1024
void calibration_json(const struct calibration *c, const char *when, char out[CALIBRATION_JSON_BYTES]);
/* "64 streams x 50 events/s for 3 s" */
#define CALIBRATION_LOAD_BYTES 96
void calibration_load_text(const struct calibration_load *load, char out[CALIBRATION_LOAD_BYTES]);

#endif
