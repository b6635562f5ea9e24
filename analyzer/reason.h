/* Every reason for which a request is left out, a number withheld or a warning given: one table.
 * Each has a rule that looks at facts and says whether it applies, what it saw, and where on the
 * tape that stands. What follows from it is the policy's affair (policy.h). */
#ifndef ANALYZER_REASON_H
#define ANALYZER_REASON_H

#include "../format/record.h"
#include "model.h"

enum reason_outcome {
    REASON_PASSES,        /* the rule is kept: the reason does not apply */
    REASON_APPLIES,       /* the rule is broken */
    REASON_NOT_APPLICABLE /* there is nothing to judge */
};

/* Where it is seen: the records of this kind with a time from from_ns to to_ns, of the request if it is one of
 * a request's. TAPE_NONE: of any time. */
struct reason_place {
    bool has;
    enum tape_kind kind;
    uint64_t from_ns, to_ns;
};

#define REASON_SEEN_BYTES 200u
#define REASON_WANTED_BYTES 120u

struct reason_finding {
    enum reason_outcome outcome;
    uint64_t count;                   /* of a run's reason that is counted; else 1 where it applies */
    bool wants_text;                  /* else the two texts stay empty, which is faster */
    char seen[REASON_SEEN_BYTES];     /* inputs; of what is not applicable: why */
    char wanted[REASON_WANTED_BYTES]; /* the threshold */
    struct reason_place place;
};

struct reason_case {
    const struct run *run;
    const struct request *request; /* NULL for a reason of the run */
    const struct policy *policy;
    enum reason_code code;
    enum reason_code ended;        /* of the call: see reason_of_transport(); REASON_NONE: well */
    const struct run *const *arms; /* reasons of arms: all the runs compared, `run` among them */
    size_t arm_count;
};

struct reason_entry {
    const char *id;         /* unique */
    const char *error_type; /* as the schema has it: the id, but for the capture limits */
    enum reason_scope scope;
    enum reason_effect standard; /* under `capacity`, version 1 */
    enum failure_class class;    /* of a request that it excludes */
    const char *phase;           /* plan, resolve, connect, tls, send, headers, body, content, run; NULL: no failure */
    const char *fault;           /* who has to look: server, client, network, either */
    const char *meaning;
    const char *kept;   /* what of it is on the tape */
    const char *source; /* of the rule: section of result.md, or another document */
    const char *inputs; /* the facts looked at */
    /* Not of the reason itself but of what follows. */
    bool always;     /* no policy has a say: there is nothing to count. Of a run: it leaves performance_eligible */
    bool of_rows;    /* a warning about requests that count, and no others */
    bool is_warning; /* of a run: stands in trace.warnings even where it withholds */
    void (*judge)(const struct reason_case *c, struct reason_finding *f);
};

/* code < REASON_CODES */
const struct reason_entry *reason_describe(enum reason_code code);
/* By id; REASON_NONE: there is none. */
enum reason_code reason_find(struct tt_view id);
const char *reason_effect_name(enum reason_effect effect);
const char *reason_scope_name(enum reason_scope scope);
const char *reason_outcome_name(enum reason_outcome outcome);

/* Judges one reason of one request under the run's policy. */
void reason_judge_request(enum reason_code code, const struct run *run, const struct request *r,
                          struct reason_finding *f);
/* ... one of the run; all requests have been judged. */
void reason_judge_run(enum reason_code code, const struct run *run, struct reason_finding *f);
/* ... one of several runs that are compared. */
void reason_judge_arms(enum reason_code code, const struct run *const *arms, size_t n, struct reason_finding *f);
/* The first of the run's reasons that withholds its throughput under its policy; REASON_NONE: none. */
enum reason_code reason_withholding(const struct run *run);

/* Why the call itself did not end well: DONE's reason, libcurl's code and the body's framing, read with
 * how far the request had come. REASON_NONE: it did end well. */
enum reason_code reason_of_transport(const struct run *run, const struct request *r);
/* 2xx came, whole, and nothing of it was lost: the answer can be judged. */
bool reason_answer_is_whole(const struct run *run, const struct request *r);
/* A row needs a start, an output, a content and an end. */
bool reason_row_can_be_formed(const struct run *run, const struct request *r);

#endif
