/* The progress of a run as one line, and when it is due. No clock, no output. */
#ifndef RECORDER_PROGRESS_H
#define RECORDER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *phase; /* "" for the measured part, else what is going on, "warm-up" */
    uint64_t planned, done, failed, in_flight, bytes;
    uint64_t elapsed_ns;
    bool over; /* the last line: nothing is left */
};

#define PROGRESS_TERMINAL_NS 200000000ull /* redrawn this often */
#define PROGRESS_PLAIN_NS 10000000000ull  /* a plain line this often */
#define PROGRESS_LINE 160

/* "done 12/60, failed 1, in flight 4, 1.2 MB, 0:12 elapsed, about 0:48 left" */
void progress_format(const struct progress *p, char out[PROGRESS_LINE]);
/* "0:07", "12:30", "1:02:03" */
void progress_time(uint64_t ns, char *out, size_t cap);
/* "512 B", "1.2 MB" (powers of 1000) */
void progress_bytes(uint64_t bytes, char *out, size_t cap);
/* Is a line due? Moves *next_ns on when it is. */
bool progress_due(uint64_t *next_ns, uint64_t now_ns, bool terminal);

#endif
