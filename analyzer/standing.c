#include "standing.h"

#include <stdio.h>
#include <string.h>

#include "json_put.h"
#include "number.h"

static const char *number_opt(struct opt_double v, double unit, unsigned decimals, char out[NUMBER_BYTES])
{
    if (v.has)
        return number_double(v.v / unit, decimals, out);
    snprintf(out, NUMBER_BYTES, "-");
    return out;
}

static void format_requests(const struct standing *s, char out[STANDING_LINE_BYTES])
{
    char n[5][NUMBER_BYTES];
    int used = snprintf(out, STANDING_LINE_BYTES, "planned %s · started %s · in flight %s · done %s · failed %s",
                        number_u64(s->planned, n[0]), number_u64(s->started, n[1]), number_u64(s->in_flight, n[2]),
                        number_u64(s->done, n[3]), number_u64(s->failed, n[4]));
    if (s->warmups_done < s->warmups)
        snprintf(out + used, STANDING_LINE_BYTES - (size_t)used, " · warm-up %s/%s", number_u64(s->warmups_done, n[0]),
                 number_u64(s->warmups, n[1]));
}

static void format_rates(const struct standing *s, char out[STANDING_LINE_BYTES])
{
    char n[3][NUMBER_BYTES];
    snprintf(out, STANDING_LINE_BYTES, "%s reads/s · %s events/s · %s kB/s", number_opt(s->reads_per_s, 1, 0, n[0]),
             number_opt(s->events_per_s, 1, 0, n[1]), number_opt(s->bytes_per_s, 1e3, 1, n[2]));
}

/* "512.0 kB", "1.2 MB": powers of 1000 */
static const char *number_bytes(uint64_t bytes, char out[NUMBER_BYTES])
{
    bool small = bytes < 1000000;
    char n[NUMBER_BYTES];
    snprintf(out, NUMBER_BYTES, "%.30s %s", number_double((double)bytes / (small ? 1e3 : 1e6), 1, n),
             small ? "kB" : "MB");
    return out;
}

static void format_totals(const struct standing *s, char out[STANDING_LINE_BYTES])
{
    char n[3][NUMBER_BYTES];
    snprintf(out, STANDING_LINE_BYTES, "%s reads · %s events · %s", number_u64(s->reads, n[0]),
             number_u64(s->events, n[1]), number_bytes(s->read_bytes, n[2]));
}

/* "83.2 s · 1.2 MB on the tape" */
static void format_extent(const struct standing *s, char out[STANDING_LINE_BYTES])
{
    char n[2][NUMBER_BYTES];
    snprintf(out, STANDING_LINE_BYTES, "%s s · %s on the tape", number_double((double)s->wall_clock_ns / 1e9, 1, n[0]),
             number_bytes(s->tape_bytes, n[1]));
}

static void format_metric(const char *name, size_t samples, struct opt_double p50, struct opt_double p95,
                          char out[STANDING_LINE_BYTES])
{
    char n[3][NUMBER_BYTES];
    snprintf(out, STANDING_LINE_BYTES, "%-9s %9s %12s %12s", name, number_u64(samples, n[0]),
             number_opt(p50, 1, 1, n[1]), number_opt(p95, 1, 1, n[2]));
}

void standing_screen(const struct standing *s, const char *tape, char lines[STANDING_LINES][STANDING_LINE_BYTES])
{
    char part[STANDING_LINE_BYTES];
    format_extent(s, part);
    snprintf(lines[0], STANDING_LINE_BYTES, "%s · %.100s · %.120s", s->state, part, tape);
    format_requests(s, part);
    snprintf(lines[1], STANDING_LINE_BYTES, "requests  %.300s", part);
    format_rates(s, part);
    snprintf(lines[2], STANDING_LINE_BYTES, "traffic   %.300s", part);
    format_totals(s, part);
    snprintf(lines[3], STANDING_LINE_BYTES, "in all    %.300s", part);
    snprintf(lines[4], STANDING_LINE_BYTES, "%-9s %9s %12s %12s", "", "n", "p50", "p95");
    format_metric("TTFO ms", s->samples, s->ttfo_p50_ms, s->ttfo_p95_ms, lines[5]);
    format_metric("TTFT ms", s->samples, s->ttft_p50_ms, s->ttft_p95_ms, lines[6]);
    for (unsigned i = 0; i < STANDING_LINES; i++)
        tt_line_sanitize(lines[i]);
}

void standing_line(const struct standing *s, char out[STANDING_LINE_BYTES])
{
    char requests[STANDING_LINE_BYTES], rates[STANDING_LINE_BYTES], n[5][NUMBER_BYTES];
    format_requests(s, requests);
    format_rates(s, rates);
    snprintf(out, STANDING_LINE_BYTES, "%s s %s · %.150s · %.80s · TTFO p50 %s p95 %s ms · TTFT p50 %s p95 %s ms",
             number_double((double)s->wall_clock_ns / 1e9, 1, n[0]), s->state, requests, rates,
             number_opt(s->ttfo_p50_ms, 1, 1, n[1]), number_opt(s->ttfo_p95_ms, 1, 1, n[2]),
             number_opt(s->ttft_p50_ms, 1, 1, n[3]), number_opt(s->ttft_p95_ms, 1, 1, n[4]));
}

void standing_json(const struct standing *s, struct json_out *o)
{
    json_out_object(o);
    json_put_opt_double(o, "bytes_per_s", s->bytes_per_s);
    json_put_u64(o, "done", s->done);
    json_put_u64(o, "events", s->events);
    json_put_opt_double(o, "events_per_s", s->events_per_s);
    json_put_u64(o, "failed", s->failed);
    json_put_u64(o, "in_flight", s->in_flight);
    json_put_u64(o, "planned", s->planned);
    json_put_u64(o, "read_bytes", s->read_bytes);
    json_put_u64(o, "reads", s->reads);
    json_put_opt_double(o, "reads_per_s", s->reads_per_s);
    json_put_u64(o, "started", s->started);
    json_put_text(o, "state", s->state);
    json_put_u64(o, "tape_bytes", s->tape_bytes);
    json_put_opt_double(o, "time_to_first_output_p50_ms", s->ttfo_p50_ms);
    json_put_opt_double(o, "time_to_first_output_p95_ms", s->ttfo_p95_ms);
    json_put_opt_double(o, "ttft_p50_ms", s->ttft_p50_ms);
    json_put_opt_double(o, "ttft_p95_ms", s->ttft_p95_ms);
    json_put_u64(o, "ttft_samples", s->samples);
    json_put_double(o, "wall_clock_ms", (double)s->wall_clock_ns / 1e6);
    json_put_u64(o, "warmups", s->warmups);
    json_put_u64(o, "warmups_done", s->warmups_done);
    json_out_object_end(o);
    json_out_newline(o);
}
