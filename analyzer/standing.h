/* How a recording stands, as numbers and as text: for a screen, a line, a JSON object. */
#ifndef ANALYZER_STANDING_H
#define ANALYZER_STANDING_H

#include "json_out.h"
#include "row.h"

#define STANDING_LINES 7u
#define STANDING_LINE_BYTES 512u

struct standing {
    char state[24]; /* of the reader, or "waiting", "reading 35 %" */
    uint64_t planned, started, in_flight, done,
        failed; /* measured requests; failed: no good answer, judged at its end */
    uint64_t warmups, warmups_done;
    uint64_t reads, read_bytes, events, tape_bytes; /* tape_bytes: in sound blocks */
    uint64_t wall_clock_ns;                         /* of the measured part: to its end, or to what was recorded last */
    struct opt_double reads_per_s, events_per_s, bytes_per_s; /* over the last seconds: rate.h */
    size_t samples;                                           /* requests that ended well: those below are theirs */
    struct opt_double ttfo_p50_ms, ttfo_p95_ms, ttft_p50_ms, ttft_p95_ms;
};

/* STANDING_LINES lines of at most 80 columns (but for the name of the tape), no line ends. */
void standing_screen(const struct standing *s, const char *tape, char lines[STANDING_LINES][STANDING_LINE_BYTES]);
/* The same in one line. */
void standing_line(const struct standing *s, char out[STANDING_LINE_BYTES]);
/* One object, and a newline. Metrics have their names in the result. */
void standing_json(const struct standing *s, struct json_out *o);

#endif
