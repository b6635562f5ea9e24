/* Are the times of a request those of the server, or may they be the client's? */
#include "client_limit.h"
#include "reason_parts.h"
#include "timing.h"

void reason_client_limited(const struct reason_case *c, struct reason_finding *f)
{
    static const char *const names[TIMING_WHATS] = {
        [TIMING_E2E] = "E2E", [TIMING_TTFO] = "TTFO", [TIMING_TTFT] = "TTFT"};
    const struct request *r = c->request;
    enum timing_what what;
    bool limited = timing_client_limited(c->run, r, &what);
    struct opt_u64 value = timing_interval_ns(r, what), error = timing_error_ns(r, what);
    if (!error.has && reason_skip(f, "there was no output, so no time of it is used"))
        return;
    reason_decide(f, limited);
    reason_see(f, "of %s, %.6f ms, up to %.6f ms may be the recorder's own", names[what], (double)value.v / 1e6,
               (double)error.v / 1e6);
    reason_want(f, "at most %.6f ms", (double)client_limit_ns(&c->run->client_limit, value.v) / 1e6);
    if (timing_deciding(r, what)->time_ns == r->done_ns)
        reason_at(f, TAPE_DONE, r->done_ns, r->done_ns);
    else
        reason_at(f, TAPE_READ, timing_deciding(r, what)->time_ns, timing_deciding(r, what)->time_ns);
}
