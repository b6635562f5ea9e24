#include "summary.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure_count.h"
#include "number.h"
#include "reason.h"
#include "result.h"
#include "summary_parts.h"
#include "warnings.h"

void summary_print(struct summary *s, const char *fmt, ...)
{
    if (s->status != TT_OK)
        return;
    va_list args;
    va_start(args, fmt);
    s->status = output_vprintf(s->output, s->err, fmt, args);
    va_end(args);
}

static void print_line(struct summary *s, const char *name, const struct stats *stats, unsigned decimals)
{
    char text[5][NUMBER_BYTES];
    const double values[] = {stats->mean, stats->p50, stats->p95, stats->p99};
    summary_print(s, "%-14s %7s", name, number_u64(stats->samples, text[4]));
    for (size_t i = 0; i < 4; i++)
        summary_print(s, " %12s", stats->samples ? number_double(values[i], decimals, text[i]) : "-");
    summary_print(s, "\n");
}

/* Time between the first output and the first visible one: reasoning, where there was any. */
static void print_thinking(struct summary *s, const struct row *rows, size_t n)
{
    struct stats stats = {0};
    double *values = malloc((n ? n : 1) * sizeof *values);
    size_t used = 0;
    for (size_t i = 0; values && i < n; i++)
        if (rows[i].reasoning_chunks > 0)
            values[used++] = rows[i].ttft_ms - rows[i].time_to_first_output_ms;
    if (!values || stats_compute(values, used, &stats) != TT_OK)
        s->status = tt_fail(s->err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    else
        print_line(s, "thinking ms", &stats, 1);
    free(values);
}

static void print_withheld(struct summary *s)
{
    enum reason_code code = reason_withholding(s->run);
    const struct reason_entry *e = reason_describe(code);
    struct reason_finding f = {.wants_text = true};
    if (code == REASON_NONE) /* the sum or the quotient is none that a number holds */
        summary_print(s, "throughput: none can be formed\n");
    else if (e->scope == REASON_OF_REQUEST)
        summary_print(s, "throughput withheld, because of a request: %s\n", e->meaning);
    else {
        reason_judge_run(code, s->run, &f);
        summary_print(s, "throughput withheld, because %s\n", f.seen);
    }
}

static void print_throughput(struct summary *s)
{
    char text[NUMBER_BYTES];
    if (s->metrics.throughput_tok_s.has)
        summary_print(s, "throughput %s tok/s\n", number_double(s->metrics.throughput_tok_s.v, 1, text));
    else
        print_withheld(s);
}

void summary_print_table(struct summary *s, const struct row *rows, size_t n)
{
    const struct stats *d = s->metrics.distribution;
    summary_print(s, "%-14s %7s %12s %12s %12s %12s\n", "", "n", "mean", "p50", "p95", n < 100 ? "p99*" : "p99");
    print_line(s, "TTFO ms", &d[METRICS_TIME_TO_FIRST_OUTPUT], 1);
    print_thinking(s, rows, n);
    print_line(s, "TTFT ms", &d[METRICS_TTFT], 1);
    print_line(s, "TPOT ms", &d[METRICS_TPOT], 2);
    print_line(s, "decode tok/s", &d[METRICS_DECODE_TOK_S], 1);
    print_line(s, "prefill tok/s", &d[METRICS_EFFECTIVE_PREFILL_TOK_S], 1);
    print_line(s, "E2E ms", &d[METRICS_E2E], 1);
    print_line(s, "output tokens", &d[METRICS_COMPLETION_TOKENS], 1);
    print_throughput(s);
    if (n < 100)
        summary_print(s, "* descriptive below 100 samples\n");
}

/* " (requests 3, 7)", where it is about some of them: as many as the room left on the line takes, one at least. */
static const char *format_requests(const struct warning *w, size_t room, char *out, size_t cap)
{
    static const char more[] = ", ...)";
    size_t used = 0, shown = 0;
    out[0] = 0;
    while (shown < w->listed) {
        char next[NUMBER_BYTES + 16];
        size_t n = (size_t)snprintf(next, sizeof next, "%s%llu",
                                    shown > 0        ? ", "
                                    : w->listed == 1 ? " (request "
                                                     : " (requests ",
                                    (unsigned long long)w->requests[shown]);
        if (used + n + sizeof more > cap || (shown > 0 && used + n + strlen(more) > room))
            break;
        memcpy(out + used, next, n + 1);
        used += n;
        shown++;
    }
    if (shown > 0)
        snprintf(out + used, cap - used, "%s", w->count > shown ? more : ")");
    return out;
}

/* A request that no verdict or no record knows of would falsify everything else: nothing is said when all is well. */
static void print_accounts(struct summary *s)
{
    struct failure_counts c;
    failure_count(s->run, &c);
    if (c.hold)
        return;
    summary_print(
        s, "ACCOUNTS DO NOT BALANCE: planned %llu, succeeded %llu + failed %llu + cancelled %llu + not sent %llu\n",
        (unsigned long long)c.planned, (unsigned long long)c.succeeded, (unsigned long long)c.failed,
        (unsigned long long)c.cancelled, (unsigned long long)c.not_sent);
    summary_print(s, "  the recorder counted %llu sent and %llu ended, the tape has %llu and %llu\n",
                  (unsigned long long)c.sent_by_count, (unsigned long long)c.ended_by_count,
                  (unsigned long long)c.sent_on_tape, (unsigned long long)c.ended_on_tape);
}

static void print_warnings(struct summary *s)
{
    struct warning warnings[WARNINGS_MAX];
    char text[NUMBER_BYTES], requests[WARNING_REQUESTS * NUMBER_BYTES];
    size_t n = warnings_collect(s->run, warnings);
    for (size_t i = 0; i < n; i++) {
        const struct warning *w = &warnings[i];
        size_t used = strlen("warning (): ") + strlen(number_u64(w->count, text)) + strlen(w->text);
        size_t room = used < SUMMARY_COLUMNS ? SUMMARY_COLUMNS - used : 0;
        summary_print(s, "warning (%s): %s%s\n", text, w->text, format_requests(w, room, requests, sizeof requests));
    }
}

enum tt_status summary_write(const struct run *run, struct output *o, struct tt_error *err)
{
    struct summary s = {.run = run, .output = o, .err = err, .succeeded = run_count_succeeded(run)};
    struct row *rows = NULL;
    size_t n = 0;
    s.status = result_rows(run, &rows, &n, err);
    if (s.status == TT_OK)
        s.status = result_metrics(run, &s.metrics, err);
    if (s.status == TT_OK && overlap_compute(run, &s.overlap) != TT_OK)
        s.status = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (s.status == TT_OK) {
        summary_print_head(&s);
        summary_print_table(&s, rows, n);
        print_warnings(&s);
        print_accounts(&s);
    }
    overlap_free(&s.overlap);
    free(rows);
    return s.status;
}
