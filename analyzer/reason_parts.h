/* Inside of the reasons: shared by reason*.c alone. */
#ifndef ANALYZER_REASON_PARTS_H
#define ANALYZER_REASON_PARTS_H

#include "reason.h"

/* The two texts of a finding; they do nothing where no texts are wanted. */
void reason_see(struct reason_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void reason_want(struct reason_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void reason_decide(struct reason_finding *f, bool applies)
{
    f->outcome = applies ? REASON_APPLIES : REASON_PASSES;
    f->count = applies;
}

/* There is nothing to judge for this reason; NULL: there is. Returns whether. */
static inline bool reason_skip(struct reason_finding *f, const char *why)
{
    if (!why)
        return false;
    f->outcome = REASON_NOT_APPLICABLE;
    reason_see(f, "%s", why);
    return true;
}

static inline void reason_at(struct reason_finding *f, enum tape_kind kind, uint64_t from_ns, uint64_t to_ns)
{
    f->place = (struct reason_place){true, kind, from_ns, to_ns};
}

struct reason_case reason_case_of(const struct run *run, const struct request *r);
bool reason_is_2xx(const struct request *r);
bool reason_was_lost(const struct request *r);
/* Its events were read as such. */
bool reason_events_were_read(const struct stream_facts *f);

/* ---- the rules, each with the reasons that it judges ---- */

/* reason_call.c: what became of the call */
void reason_not_built(const struct reason_case *c, struct reason_finding *f);
void reason_not_sent(const struct reason_case *c, struct reason_finding *f);
void reason_not_recorded(const struct reason_case *c, struct reason_finding *f);
void reason_cancelled(const struct reason_case *c, struct reason_finding *f);
void reason_status(const struct reason_case *c, struct reason_finding *f);
void reason_lost(const struct reason_case *c, struct reason_finding *f);
void reason_call_end(const struct reason_case *c, struct reason_finding *f);
/* reason_stream.c: is it an answer? */
void reason_empty_body(const struct reason_case *c, struct reason_finding *f);
void reason_compressed(const struct reason_case *c, struct reason_finding *f);
void reason_not_events(const struct reason_case *c, struct reason_finding *f);
void reason_in_band_error(const struct reason_case *c, struct reason_finding *f);
void reason_silence(const struct reason_case *c, struct reason_finding *f);
void reason_no_terminal(const struct reason_case *c, struct reason_finding *f);
void reason_finish(const struct reason_case *c, struct reason_finding *f);
void reason_usage(const struct reason_case *c, struct reason_finding *f);
void reason_no_row(const struct reason_case *c, struct reason_finding *f);
/* reason_observed.c: is it the answer that was asked for? */
void reason_canary(const struct reason_case *c, struct reason_finding *f);
void reason_reasoning_marker(const struct reason_case *c, struct reason_finding *f);
void reason_capture(const struct reason_case *c, struct reason_finding *f);
void reason_controlled(const struct reason_case *c, struct reason_finding *f);
void reason_canaries_off(const struct reason_case *c, struct reason_finding *f);
/* reason_warning.c */
void reason_cached(const struct reason_case *c, struct reason_finding *f);
void reason_prefix(const struct reason_case *c, struct reason_finding *f);
void reason_upload(const struct reason_case *c, struct reason_finding *f);
void reason_prompt(const struct reason_case *c, struct reason_finding *f);
void reason_burst(const struct reason_case *c, struct reason_finding *f);
void reason_usage_odd(const struct reason_case *c, struct reason_finding *f);
void reason_payloads(const struct reason_case *c, struct reason_finding *f);
void reason_after_done(const struct reason_case *c, struct reason_finding *f);
/* reason_client.c */
void reason_client_limited(const struct reason_case *c, struct reason_finding *f);
/* reason_run.c */
void reason_tape(const struct reason_case *c, struct reason_finding *f);
void reason_end(const struct reason_case *c, struct reason_finding *f);
void reason_p95(const struct reason_case *c, struct reason_finding *f);
void reason_reads_lost(const struct reason_case *c, struct reason_finding *f);
void reason_holes(const struct reason_case *c, struct reason_finding *f);
void reason_complete(const struct reason_case *c, struct reason_finding *f);
void reason_excluded(const struct reason_case *c, struct reason_finding *f);
void reason_tokens(const struct reason_case *c, struct reason_finding *f);
void reason_duration(const struct reason_case *c, struct reason_finding *f);
void reason_protocol(const struct reason_case *c, struct reason_finding *f);
void reason_arms(const struct reason_case *c, struct reason_finding *f);

#endif
