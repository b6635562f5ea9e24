#include "model.h"

#include <stdlib.h>

#include "load_parts.h"

uint64_t run_finish_ns(const struct run *run)
{
    uint64_t end = run->run_end_ns != TAPE_NONE ? run->run_end_ns : run->last_time_ns;
    return end < run->run_start_ns ? run->run_start_ns : end;
}

uint64_t run_finish_realtime_ns(const struct run *run)
{
    if (run->run_end_ns != TAPE_NONE && run->run_end_realtime_ns != TAPE_NONE)
        return run->run_end_realtime_ns;
    return run->run_start_realtime_ns + (run_finish_ns(run) - run->run_start_ns);
}

uint64_t request_first_output_ns(const struct request *r)
{
    uint64_t reasoning = r->facts.first_reasoning_ns, content = r->facts.first_content_ns;
    return reasoning < content ? reasoning : content; /* TAPE_NONE is the greatest value */
}

uint64_t request_end_of_call_ns(const struct run *run, const struct request *r)
{
    if (r->start_ns == TAPE_NONE)
        return TAPE_NONE;
    return r->done_ns != TAPE_NONE ? r->done_ns : run->last_time_ns;
}

size_t run_count_succeeded(const struct run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->count; i++)
        n += request_succeeded(&run->requests[i]);
    return n;
}

static void requests_free(struct request *requests, size_t n)
{
    for (size_t i = 0; requests && i < n; i++) {
        struct request *r = &requests[i];
        stream_facts_free(&r->facts);
        free(r->marker);
    }
    free(requests);
}

void run_free(struct run *run)
{
    if (!run)
        return;
    requests_free(run->requests, run->count);
    requests_free(run->warmups, run->warmup_count);
    load_options_free(&run->options);
    free(run->recorder_version);
    free(run->libcurl_version);
    free(run->end_reason);
    free(run->origin_rules);
    free(run);
}
