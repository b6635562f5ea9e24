#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

void progress_time(uint64_t ns, char *out, size_t cap)
{
    uint64_t s = ns / 1000000000u;
    if (s < 3600)
        snprintf(out, cap, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
    else
        snprintf(out, cap, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
}

void progress_bytes(uint64_t bytes, char *out, size_t cap)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double v = (double)bytes;
    size_t unit = 0;
    for (; v >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
        v /= 1000.0;
    snprintf(out, cap, unit == 0 ? "%.0f %s" : "%.1f %s", v, units[unit]);
}

static void time_left(const struct progress *p, char *out, size_t cap)
{
    uint64_t finished = p->done + p->failed;
    if (finished == 0 || finished >= p->planned) {
        snprintf(out, cap, "%s", finished == 0 ? "?" : "0:00");
        return;
    }
    double each = (double)p->elapsed_ns / (double)finished;
    progress_time((uint64_t)(each * (double)(p->planned - finished)), out, cap);
}

void progress_format(const struct progress *p, char out[PROGRESS_LINE])
{
    char bytes[24], elapsed[32], left[32];
    progress_bytes(p->bytes, bytes, sizeof(bytes));
    progress_time(p->elapsed_ns, elapsed, sizeof(elapsed));
    time_left(p, left, sizeof(left));
    int n = snprintf(out, PROGRESS_LINE,
                     "%s%sdone %" PRIu64 "/%" PRIu64 ", failed %" PRIu64 ", in flight %" PRIu64 ", %s, %s elapsed",
                     p->phase, p->phase[0] ? ": " : "", p->done, p->planned, p->failed, p->in_flight, bytes, elapsed);
    if (!p->over && n > 0 && n < PROGRESS_LINE)
        snprintf(out + n, PROGRESS_LINE - (size_t)n, ", about %s left", left);
}

bool progress_due(uint64_t *next_ns, uint64_t now_ns, bool terminal)
{
    if (now_ns < *next_ns)
        return false;
    *next_ns = now_ns + (terminal ? PROGRESS_TERMINAL_NS : PROGRESS_PLAIN_NS);
    return true;
}
