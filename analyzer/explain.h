/* Why a request counts or not, and why a run's throughput is withheld: each rule of the policy with
 * what it saw, its threshold, its verdict, and the records of the tape that show it. */
#ifndef ANALYZER_EXPLAIN_H
#define ANALYZER_EXPLAIN_H

#include "output.h"
#include "reason.h"

/* A record as `dump` prints it. */
struct explain_record {
    uint64_t block, record, time_ns;
};

/* What shows a finding: the first and the last record that its place means. */
struct explain_evidence {
    uint64_t request; /* TAPE_NONE: of the run */
    struct reason_place place;
    uint64_t records; /* found; 0: none, and the rest means nothing */
    struct explain_record first, last;
    uint64_t body_from, body_to; /* of READs: bytes of the request's body, as it came, [from, to) */
};

/* One rule of one request, or of the run. Its texts are judged anew when they are shown. */
struct explain_rule {
    enum reason_code code;
    enum reason_outcome outcome;
    size_t evidence; /* index, or EXPLAIN_NONE */
};
#define EXPLAIN_NONE SIZE_MAX

struct explain_subject { /* a request with its rules; of the run: request TAPE_NONE */
    uint64_t request;
    size_t rules_at, rule_count;
};

struct explain {
    const struct run *run;
    const struct run *const *arms; /* all the runs that are compared, this one among them */
    size_t arm_count;
    struct explain_subject *subjects; /* by request */
    struct explain_rule *rules;
    struct explain_evidence *evidence; /* by request; those of the run last */
    size_t subject_count, rule_count, evidence_count;
};

/* What is to be explained; each adds a subject. Errors: TT_NOMEM. The run has been judged. */
enum tt_status explain_add_request(struct explain *e, const struct request *r, bool all_rules);
enum tt_status explain_add_run(struct explain *e);
/* Finds the evidence by reading the tape once more. Errors: those of the reader, TT_NOMEM. */
enum tt_status explain_find(struct explain *e, const char *tape, const struct reader_options *options,
                            struct tt_error *err);
void explain_free(struct explain *e);

/* The request of that number, a warm-up too. */
const struct request *explain_request(const struct explain *e, uint64_t number);
/* Judges the rule again, with its texts. */
void explain_judge(const struct explain *e, const struct explain_subject *s, const struct explain_rule *rule,
                   struct reason_finding *f);

/* All of it for people; the requests that are subjects in full. `every`: each request on a line of its own. */
void explain_write_requests(const struct explain *e, bool every, struct output *o);
void explain_write_one(const struct explain *e, struct output *o);
void explain_write_run(const struct explain *e, struct output *o);
/* One object: tape, policy, requests, run. `all_requests`: those that are no subject, too. */
void explain_write_json(const struct explain *e, const char *tape, bool all_requests, struct json_out *json);

#endif
