/* The RUN record: the resolved options without secrets, versions, host, and what was
 * not available. The keys are listed in format/RECORDS.md. */
#ifndef RECORDER_RUNINFO_H
#define RECORDER_RUNINFO_H

#include "../format/pack.h"
#include "hostinfo.h"
#include "workload.h"

struct runinfo {
    struct pack options, versions, host, features;
};

struct runinfo_facts {
    const struct workload *workload;
    const struct hostinfo *host;
    bool api_key_masked;
    const char *missing_writer_features; /* comma-separated */
    bool timestamps, nice;
    size_t ring_bytes;
};

/* Fills `info` (zeroed before; runinfo_clear afterwards) and a RUN record that borrows from it. TT_NOMEM. */
enum tt_status runinfo_make(struct runinfo *info, const struct runinfo_facts *facts, uint64_t now_ns,
                            struct tape_record *rec, struct tt_error *err);
void runinfo_clear(struct runinfo *info);

#endif
