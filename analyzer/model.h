/* A run as the analyzer understands it: what load.c takes from the tape, and what
 * eligibility.c decides about it. Everything after this (rows, metrics, result,
 * summary) reads it and adds nothing. */
#ifndef ANALYZER_MODEL_H
#define ANALYZER_MODEL_H

#include <float.h>

#include "../format/reader.h"
#include "calibration.h"
#include "client_limit.h"
#include "policy.h"
#include "stream.h"
#include "timing_tally.h"

/* A build whose doubles carry more bits than they have in memory rounds twice, and gives other bytes. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1, "on 32-bit x86: -msse2 -mfpmath=sse");

/* Options of the run, from RUN. Strings are owned, NULL is JSON null. */
struct run_options {
    char *base_url, *model, *engine, *gpu, *tier, *manifest, *source_recipe, *clock_domain_id,
        *configuration_fingerprint;
    char *context_seed; /* decimal text of any length */
    char *prompt_cache_mode, *controlled_output_policy, *thinking_mode, *reasoning_effort, *prompt_generator;
    char *connections, *endpoint;
    uint64_t requests, warmup, concurrency, max_tokens, response_words, shared_prefix_tokens, margin;
    uint64_t context_tokens;           /* 0: sampled */
    struct opt_u64 max_context_tokens; /* W */
    bool request_canaries, burst, no_thinking, insecure, proxy, unix_socket;
    double temperature_effective, top_p, temperature_requested, timeout_s, chars_per_token;
    bool has_temperature_requested, has_top_p;
};

enum failure_class {
    FAILURE_NONE,
    FAILURE_REQUEST_ERROR,
    FAILURE_STREAM_VALIDATION,
    FAILURE_CANARY,
    FAILURE_CONTROLLED_OUTPUT,
    FAILURE_RUNNER_ERROR
};

struct verdict {
    enum failure_class failure; /* FAILURE_NONE: a success */
    const char *error_type;     /* static: the finer reason */
    enum reason_code reason;    /* the same as a number; REASON_NONE: it counts */
    struct reason_set reasons;  /* all that apply to it and that the policy names */
    char message[256];          /* own words, never the server's text */
    bool response_received, has_metadata, has_timing;
};

/* One request, measured or warm-up. Times in ns since base, TAPE_NONE: did not happen. */
struct request {
    uint64_t number, context_tokens, body_bytes;
    char *marker;    /* owned; NULL without canaries */
    bool plan_fault; /* its body could not be built */
    bool warmup;
    bool planned; /* false: no PLAN on the tape; context_tokens is then what RUN implies, or 0 when that is unknown */
    uint64_t start_ns, conn_ns, send_first_ns, send_last_ns, sent_bytes, done_ns;
    uint64_t send_waited_us; /* SEND waited: TAPE_NONE: not known */
    uint64_t last_ns;        /* of its last record with a time: they never run backwards */
    uint64_t round_trip_us;  /* of its connection, what it varies by included; TAPE_NONE: not known */
    uint64_t read_ns;        /* of its last READ, TAPE_NONE: none; one of the same time is a further piece of it */
    uint64_t connection;     /* TAPE_NONE: no CONN */
    bool conn_reused, conn_tls, conn_refused, conn_no_port;
    char http_version[8];
    char done_reason[24]; /* RECORDS.md; "" when the tape ends before DONE */
    uint64_t curl_code, http_status;
    struct tape_timers timers;
    uint64_t body_bytes_received, redactions, lost_reads;
    bool behind_gap;              /* salvage: the tape has a hole while this request was not done */
    enum tt_status stream_status; /* why its bytes could not be read to the end, or TT_OK */
    bool has_facts;               /* a response head was seen or a DONE came: `facts` is final */
    struct stream_facts facts;    /* before that: of what has come so far */
    struct verdict verdict;
};

struct run {
    struct run_options options;
    struct policy policy; /* that it is judged under */
    struct reader_report tape;
    char *recorder_version;
    char *libcurl_version;
    bool no_lock;                      /* the recorder could take none: a killed one cannot be told from one at work */
    bool has_run_start;                /* false: run_start stands at RUN, nothing was dispatched */
    uint64_t run_start_ns, run_end_ns; /* run_end: TAPE_NONE without one */
    uint64_t run_start_realtime_ns, run_end_realtime_ns;
    uint64_t last_time_ns;                       /* last recorded time */
    char *end_reason;                            /* NULL without END */
    uint64_t end_planned, end_started, end_done; /* the recorder's own count, warm-ups too; planned 0: not told */
    uint64_t reads, read_bytes, events, events_sharing_a_read, payloads_not_json, lost_reads, redactions;
    uint64_t gaps;           /* salvage: holes met */
    char *origin_rules;      /* of ORIGIN: how this tape was made from another; NULL: it was recorded */
    uint8_t origin_head[32]; /* head of that one */
    struct timing_tally timing;
    struct calibrations calibrations;
    struct client_limit client_limit; /* from when on a time is the client's: set before the run is judged */
    size_t count;                     /* measured requests: options.requests */
    struct request *requests;
    size_t warmup_count;
    struct request *warmups;
};

/* The wall clock ends here: run_end, else the last recorded time. Never before run_start. */
uint64_t run_finish_ns(const struct run *run);
/* The same instant as Unix time; run_end's own stamp when there is one. */
uint64_t run_finish_realtime_ns(const struct run *run);
/* First reasoning or content delta; TAPE_NONE without output. */
uint64_t request_first_output_ns(const struct request *r);
/* End of the call: DONE, else the run's last recorded time; TAPE_NONE when never started. */
uint64_t request_end_of_call_ns(const struct run *run, const struct request *r);
static inline bool request_succeeded(const struct request *r)
{
    return r->verdict.failure == FAILURE_NONE;
}
size_t run_count_succeeded(const struct run *run);
/* Nothing that the policy names withholds it: under `capacity` all succeeded, END is present, nothing
 * was lost (result.md section 6). The requests have been judged. */
bool run_performance_eligible(const struct run *run);
void run_free(struct run *run); /* accepts NULL */

#endif
