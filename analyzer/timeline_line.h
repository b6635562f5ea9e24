/* Lines of a timeline, as text or as JSON. */
#ifndef ANALYZER_TIMELINE_LINE_H
#define ANALYZER_TIMELINE_LINE_H

#include "json_out.h"
#include "model.h"
#include "output.h"

#define TIMELINE_MAX_LABELS 16u

struct timeline_line {
    uint64_t time_ns;
    const char *what; /* static: start, connected, connection_reused, sent, head, read, end */
    struct opt_u64 bytes;
    unsigned status;    /* of a final head, else 0 */
    const char *reason; /* of the end, else NULL */
    bool has_lag;
    int64_t lag_ns;
    size_t labels; /* what its events are, in order of appearance */
    struct {
        const char *name; /* static */
        uint64_t count;
    } label[TIMELINE_MAX_LABELS];
};

struct timeline_writer {
    const struct request *r;
    struct output *output;
    struct json_out *json; /* NULL: text */
    struct tt_error *err;
    uint64_t last_ns;
};

/* Writes what stands above the lines: plan and verdict. */
enum tt_status timeline_begin(struct timeline_writer *w, const struct run *run, const struct request *r, bool json,
                              struct output *o, struct tt_error *err);
void timeline_count_label(struct timeline_line *line, const char *label);
enum tt_status timeline_write_line(struct timeline_writer *w, const struct timeline_line *line);
void timeline_end(struct timeline_writer *w);

#endif
