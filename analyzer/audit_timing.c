/* The recorder's own error: bounds that fit the times they are of, and what is derived from them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit_parts.h"
#include "timing.h"
#include "timing_marks.h"

#define NS_UNKNOWN UINT64_MAX

/* Milliseconds as they are written, in ns; what is no whole number of them contradicts. */
static uint64_t ns_of(struct audit *a, const char *place, const struct json_node *object, const char *key)
{
    struct opt_double ms = audit_double(object, key);
    if (!ms.has)
        return NS_UNKNOWN;
    uint64_t ns = ms.v >= 0 && ms.v < 9e9 ? (uint64_t)llround(ms.v * 1e6) : NS_UNKNOWN;
    audit_expect(a, ns != NS_UNKNOWN && (double)ns / 1e6 == ms.v, "%s.%s %.17g ms is no number of nanoseconds", place,
                 key, ms.v);
    return ns;
}

static const char *error_key(enum timing_what what)
{
    static const char *const keys[TIMING_WHATS] = {[TIMING_E2E] = "client_error_e2e_ms",
                                                   [TIMING_TTFO] = "client_error_ttfo_ms",
                                                   [TIMING_TTFT] = "client_error_ttft_ms"};
    return keys[what];
}

/* The time that the bound is of, from the other members of the request. */
static uint64_t time_of(const struct json_node *r, enum timing_what what)
{
    struct opt_double end = audit_double(r, "end_ms"), content = audit_double(r, "first_content_ms"),
                      reasoning = audit_double(r, "first_reasoning_ms"), t = what == TIMING_E2E ? end : content;
    if (what == TIMING_TTFO && reasoning.has && (!content.has || reasoning.v < content.v))
        t = reasoning;
    return t.has && t.v >= 0 && t.v < 9e9 ? (uint64_t)llround(t.v * 1e6) : NS_UNKNOWN;
}

/* Never more than the time itself, never less than what came before the request was sent. Of a request without an
 * output there is none, nor of an E2E that was no server's (timing_deciding). */
static void check_error(struct audit *a, const char *place, const struct json_node *r, enum timing_what what,
                        uint64_t start)
{
    const char *key = error_key(what);
    uint64_t error = ns_of(a, place, r, key), time = time_of(r, what);
    if (!json_node_get(r, key))
        return;
    if (time_of(r, TIMING_TTFO) == NS_UNKNOWN)
        time = NS_UNKNOWN;
    bool given_up = what == TIMING_E2E && error == NS_UNKNOWN && !audit_is(r, "done_ms", JSON_NUMBER);
    audit_expect(a, given_up || (error == NS_UNKNOWN) == (time == NS_UNKNOWN),
                 "%s.%s does not go with the time that it is of", place, key);
    if (error == NS_UNKNOWN || time == NS_UNKNOWN)
        return;
    audit_expect(a, error <= time && error >= (start < time ? start : time),
                 "%s.%s is %.9g ms of a time of %.9g, with %.9g before it was sent", place, key, (double)error / 1e6,
                 (double)time / 1e6, start == NS_UNKNOWN ? NAN : (double)start / 1e6);
}

static void check_request(struct audit *a, const char *place, const struct json_node *r)
{
    uint64_t start = ns_of(a, place, r, "client_error_start_ms");
    struct opt_double upload = audit_double(r, "upload_ms");
    if (!json_node_get(r, "client_error_start_ms"))
        return;
    audit_expect(a, (start != NS_UNKNOWN) == upload.has, "%s.client_error_start_ms does not go with upload_ms", place);
    if (start != NS_UNKNOWN && upload.has)
        audit_expect(a, (double)start / 1e6 <= upload.v, "%s.client_error_start_ms %.9g is more than upload_ms %.9g",
                     place, (double)start / 1e6, upload.v);
    for (unsigned what = 0; what < TIMING_WHATS; what++)
        check_error(a, place, r, (enum timing_what)what, start);
    struct opt_double reasoning = audit_double(r, "first_reasoning_ms"), content = audit_double(r, "first_content_ms");
    if (content.has && !(reasoning.has && reasoning.v <= content.v)) /* one and the same delta */
        audit_expect_double(a, place, r, error_key(TIMING_TTFO), audit_double(r, error_key(TIMING_TTFT)));
}

static void expect_marks(struct audit *a, const char *place, const struct json_node *marks,
                         const struct timing_marks *m)
{
    audit_expect_count(a, place, marks, "n", m->n);
    for (unsigned i = 0; i < TIMING_MARKS; i++)
        audit_expect_double(a, place, marks, timing_mark_name(i),
                            (struct opt_double){m->n > 0, (double)m->ns[i] / 1e6});
}

static void check_errors(struct audit *a, const struct json_node *timing, const struct json_node *requests)
{
    uint64_t *room = calloc(requests->children + 1, sizeof *room);
    const struct json_node *errors = json_node_get(timing, "client_error_ms");
    if (!room)
        a->status = tt_fail(&a->error, TT_NOMEM, TT_NO_OFFSET, "no memory for %zu requests", requests->children);
    for (unsigned what = 0; room && what < TIMING_WHATS; what++) {
        char place[AUDIT_PLACE_BYTES];
        struct timing_marks m;
        size_t n = 0;
        for (const struct json_node *r = requests->child; r; r = r->next) {
            struct opt_double ms = audit_double(r, error_key((enum timing_what)what));
            if (ms.has && ms.v >= 0 && ms.v < 9e9)
                room[n++] = (uint64_t)llround(ms.v * 1e6);
        }
        timing_marks_of(room, n, &m);
        snprintf(place, sizeof place, "trace.timing.client_error_ms.%s", timing_name((enum timing_what)what));
        expect_marks(a, place, json_node_get(errors, timing_name((enum timing_what)what)), &m);
    }
    free(room);
}

static bool is_limited(const struct json_node *r, const struct client_limit *limit)
{
    for (unsigned what = 0; what < TIMING_WHATS; what++) {
        struct opt_double error = audit_double(r, error_key((enum timing_what)what));
        uint64_t time = time_of(r, (enum timing_what)what);
        if (error.has && time != NS_UNKNOWN && error.v * 1e6 > (double)client_limit_ns(limit, time) + 0.5)
            return true;
    }
    return false;
}

/* Where the policy names the reason, it stands with those requests and with no others. */
static void check_limited(struct audit *a, const char *place, const struct json_node *r, bool limited)
{
    bool told = audit_has_reason(r, REASON_CLIENT_LIMITED),
         due = limited && policy_effect(&a->policy, REASON_CLIENT_LIMITED) != REASON_IGNORED;
    if (a->names_policy && a->knows_policy)
        audit_expect(a, told == due, "%s.reasons %s client_limited, and its bounds %s the limit", place,
                     told ? "has" : "lacks", limited ? "pass" : "are within");
}

static void check_limit(struct audit *a, const struct json_node *timing, const struct json_node *requests)
{
    const struct json_node *told = json_node_get(timing, "client_limited");
    struct client_limit limit = CLIENT_LIMIT_DEFAULT;
    struct opt_double ms = audit_double(told, "limit_ms"), percent = audit_double(told, "limit_percent");
    char place[AUDIT_PLACE_BYTES];
    uint64_t limited = 0;
    size_t i = 0;
    if (!ms.has || !percent.has)
        return;
    if (!audit_expect(a, client_limit_from_json(ms.v, percent.v, &limit),
                      "trace.timing.client_limited: %.17g ms and %.17g %% are no limit", ms.v, percent.v))
        return;
    for (const struct json_node *r = requests->child; r; r = r->next, i++) {
        bool passes = is_limited(r, &limit);
        check_limited(a, audit_place(place, "trace.requests", i), r, passes);
        limited += passes;
    }
    audit_expect_count(a, "trace.timing.client_limited", told, "requests", limited);
    if (a->knows_policy)
        audit_expect_bool(a, "trace.timing.client_limited", told, "strict", audit_excludes(a, REASON_CLIENT_LIMITED));
}

/* Ranks rise, and are there with samples alone. Returns the greatest. */
static uint64_t check_ranks(struct audit *a, const char *place, const struct json_node *marks)
{
    struct opt_u64 n = audit_count(marks, "n");
    uint64_t last = 0;
    for (unsigned i = 0; i < TIMING_MARKS; i++) {
        const char *key = timing_mark_name(i);
        uint64_t ns = ns_of(a, place, marks, key);
        if (!json_node_get(marks, key))
            continue;
        audit_expect(a, !n.has || (ns != NS_UNKNOWN) == (n.v > 0), "%s.%s does not go with n", place, key);
        if (ns == NS_UNKNOWN)
            continue;
        audit_expect(a, ns >= last, "%s.%s is less than the rank before it", place, key);
        audit_expect(a, n.v != 1 || i == 0 || ns == last, "%s.%s is another than the rank before it, of one sample",
                     place, key);
        last = ns;
    }
    return last;
}

static void check_lags(struct audit *a, const struct json_node *timing)
{
    const struct json_node *lags = json_node_get(timing, "read_lag_ms"), *all = json_node_get(lags, "all"),
                           *errors = json_node_get(timing, "client_error_ms"), *reads = json_node_get(timing, "reads");
    struct opt_u64 with = audit_count(reads, "with_kernel_time");
    char place[AUDIT_PLACE_BYTES];
    uint64_t most = check_ranks(a, "trace.timing.read_lag_ms.all", all);
    if (with.has)
        audit_expect_count(a, "trace.timing.read_lag_ms.all", all, "n", with.v);
    for (unsigned what = 0; what < TIMING_WHATS; what++) {
        const char *name = timing_name((enum timing_what)what);
        const struct json_node *marks = json_node_get(lags, name);
        struct opt_u64 n = audit_count(marks, "n"), times = audit_count(json_node_get(errors, name), "n");
        snprintf(place, sizeof place, "trace.timing.read_lag_ms.%s", name);
        audit_expect(a, check_ranks(a, place, marks) <= most, "%s is later than any read", place);
        if (n.has && times.has)
            audit_expect(a, n.v <= times.v && n.v <= with.v, "%s.n %llu is more than there are times or reads", place,
                         (unsigned long long)n.v);
    }
}

static struct opt_double share_of(uint64_t part, uint64_t whole)
{
    return (struct opt_double){whole > 0, whole > 0 ? (double)part / (double)whole : 0};
}

static void check_reads(struct audit *a, const struct json_node *timing)
{
    const struct json_node *reads = json_node_get(timing, "reads"), *tape = json_node_get(a->trace, "tape");
    struct opt_u64 count = audit_count(reads, "count"), turns = audit_count(reads, "turns"),
                   most = audit_count(reads, "most_per_turn"), with = audit_count(reads, "with_kernel_time"),
                   events = audit_count(tape, "events"), sharing = audit_count(tape, "events_sharing_a_read"),
                   all = audit_count(tape, "reads");
    if (events.has && sharing.has)
        audit_expect_double(a, "trace.timing", timing, "events_sharing_a_read_share", share_of(sharing.v, events.v));
    if (!count.has || !turns.has || !most.has || !with.has)
        return;
    audit_expect_double(a, "trace.timing.reads", reads, "per_turn", share_of(count.v, turns.v));
    audit_expect_double(a, "trace.timing.reads", reads, "with_kernel_time_share", share_of(with.v, count.v));
    audit_expect(a, with.v <= count.v && turns.v <= count.v && most.v <= count.v,
                 "trace.timing.reads: %llu reads are too few for what is said of them", (unsigned long long)count.v);
    audit_expect(a, !all.has || count.v <= all.v, "trace.timing.reads.count %llu is more than the tape's %llu",
                 (unsigned long long)count.v, (unsigned long long)all.v);
    audit_expect(a,
                 turns.v == 0 ? count.v == 0
                              : most.v > 0 && most.v - 1 + turns.v <= count.v && (count.v - 1) / most.v < turns.v,
                 "trace.timing.reads: %llu reads do not go into %llu turns with %llu at the most",
                 (unsigned long long)count.v, (unsigned long long)turns.v, (unsigned long long)most.v);
}

static void check_loop(struct audit *a, const struct json_node *loop)
{
    static const char place[] = "trace.timing.loop";
    struct opt_u64 turns = audit_count(loop, "late_turns");
    uint64_t greatest = ns_of(a, place, loop, "late_greatest_ms"), total = ns_of(a, place, loop, "late_total_ms");
    ns_of(a, place, loop, "greatest_gap_ms");
    if (!turns.has)
        return;
    audit_expect(a, (turns.v > 0) == (greatest != NS_UNKNOWN) && (turns.v > 0) == (total != NS_UNKNOWN),
                 "%s: late_turns %llu does not go with late_greatest_ms and late_total_ms", place,
                 (unsigned long long)turns.v);
    if (turns.v > 0 && greatest != NS_UNKNOWN && total != NS_UNKNOWN)
        audit_expect(a,
                     greatest <= total && (turns.v > 1 || greatest == total) &&
                         (double)total <= (double)turns.v * (double)greatest,
                     "%s: %llu turns of at most %.9g ms are not late by %.9g ms", place, (unsigned long long)turns.v,
                     (double)greatest / 1e6, (double)total / 1e6);
}

/* Between two clocks nothing moved, or more than can be told from nothing; in whole nanoseconds. */
static void check_move(struct audit *a, const struct json_node *clock, const char *key, bool is_sum)
{
    struct opt_double ms = audit_double(clock, key);
    if (!ms.has)
        return;
    bool whole = fabs(ms.v) > 9e12 || (double)llround(ms.v * 1e6) / 1e6 == ms.v;
    audit_expect(a, whole && (is_sum || ms.v == 0 || fabs(ms.v) * 1e6 > TIMING_STEP_NS),
                 "trace.timing.clock.%s cannot be %.17g ms", key, ms.v);
}

/* Of two records there is one rate. */
static void check_rates(struct audit *a, const struct json_node *clock)
{
    struct opt_u64 records = audit_count(clock, "records");
    struct opt_double least = audit_double(clock, "slew_least_ppm"), most = audit_double(clock, "slew_most_ppm"),
                      mean = audit_double(clock, "slew_ppm"), error = audit_double(clock, "slew_uncertainty_ppm");
    audit_expect(a, least.has == most.has && (!least.has || least.v <= most.v),
                 "trace.timing.clock: slew_least_ppm %.9g and slew_most_ppm %.9g", least.v, most.v);
    audit_expect(a, mean.has == error.has && (!error.has || error.v >= 0),
                 "trace.timing.clock: slew_ppm %.9g with slew_uncertainty_ppm %.9g", mean.v, error.v);
    if (records.v == 2 && mean.has && least.has)
        audit_expect(a, least.v == mean.v && most.v == mean.v, "trace.timing.clock: one rate is %.17g, %.17g and %.17g",
                     least.v, mean.v, most.v);
}

static void check_clock(struct audit *a, const struct json_node *clock)
{
    static const char *const of_two[] = {"greatest_step_ms", "slept_ms", "stepped_ms"};
    struct opt_u64 records = audit_count(clock, "records"), steps = audit_count(clock, "steps");
    struct opt_double greatest = audit_double(clock, "greatest_step_ms"), all = audit_double(clock, "stepped_ms");
    for (size_t i = 0; records.has && i < sizeof of_two / sizeof *of_two; i++)
        audit_expect(a, audit_double(clock, of_two[i]).has == (records.v > 1),
                     "trace.timing.clock.%s does not go with %llu records", of_two[i], (unsigned long long)records.v);
    if (records.has && steps.has)
        audit_expect(a, steps.v == 0 || steps.v < records.v, "trace.timing.clock: %llu steps between %llu records",
                     (unsigned long long)steps.v, (unsigned long long)records.v);
    if (steps.has && greatest.has && all.has)
        audit_expect(a, steps.v > 1 || all.v == greatest.v, "trace.timing.clock: %llu steps of %.9g ms are not %.9g",
                     (unsigned long long)steps.v, greatest.v, all.v);
    if (steps.has && greatest.has)
        audit_expect(a, (steps.v > 0) == (greatest.v != 0), "trace.timing.clock: %llu steps, the greatest of %.9g ms",
                     (unsigned long long)steps.v, greatest.v);
    check_move(a, clock, "greatest_step_ms", false);
    check_move(a, clock, "slept_ms", false);
    check_move(a, clock, "stepped_ms", true);
    check_rates(a, clock);
}

/* Whatever it says fits together, as on a tape. */
static void check_calibrations(struct audit *a, const struct json_node *all)
{
    struct calibration c;
    for (unsigned when = 0; when < CALIBRATION_WHENS; when++) {
        const char *name = calibration_when_name((enum calibration_when)when);
        const struct json_node *told = json_node_get(all, name);
        if (told && told->type != JSON_NULL)
            audit_expect(a, calibration_read(&c, told), "trace.timing.calibration.%s contradicts itself", name);
    }
}

void audit_trace_timing(struct audit *a)
{
    const struct json_node *timing = json_node_get(a->trace, "timing"), *requests = json_node_get(a->trace, "requests");
    char place[AUDIT_PLACE_BYTES];
    size_t i = 0;
    if (!timing || timing->type != JSON_OBJECT_BEGIN || !requests || requests->type != JSON_ARRAY_BEGIN)
        return;
    for (const struct json_node *r = requests->child; r; r = r->next, i++)
        check_request(a, audit_place(place, "trace.requests", i), r);
    check_calibrations(a, json_node_get(timing, "calibration"));
    check_errors(a, timing, requests);
    check_limit(a, timing, requests);
    check_lags(a, timing);
    check_reads(a, timing);
    check_loop(a, json_node_get(timing, "loop"));
    check_clock(a, json_node_get(timing, "clock"));
}
