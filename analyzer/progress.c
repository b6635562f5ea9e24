#include "progress.h"

#include <stdio.h>
#include <unistd.h>

/* Never waited for: a terminal that takes nothing misses a percentage. */
static void put(const struct progress *p, const char *line, int n)
{
    ssize_t written = write(p->fd, line, (size_t)n);
    (void)written;
}

void progress_show(void *ctx, uint64_t done_bytes, uint64_t total_bytes)
{
    struct progress *p = ctx;
    char line[64];
    if (total_bytes < PROGRESS_LEAST_BYTES)
        return;
    unsigned percent = (unsigned)(done_bytes / (total_bytes / 100));
    if (done_bytes >= total_bytes) {
        if (p->percent > 0)
            put(p, "\r\033[K", 4);
        p->percent = 0;
    } else if (percent + 1 != p->percent) {
        p->percent = percent + 1;
        put(p, line,
            snprintf(line, sizeof line, "\rread %u %% of %llu MB", percent < 99 ? percent : 99,
                     (unsigned long long)(total_bytes / 1000000)));
    }
}
