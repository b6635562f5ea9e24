/* Inside of summary: shared by summary*.c alone. */
#ifndef ANALYZER_SUMMARY_PARTS_H
#define ANALYZER_SUMMARY_PARTS_H

#include "metrics.h"
#include "model.h"
#include "overlap.h"
#include "output.h"

#define SUMMARY_COLUMNS 100u

/* Prints go on after a failed one without effect; `status` keeps the first failure. */
struct summary {
    const struct run *run;
    struct output *output;
    struct tt_error *err;
    enum tt_status status;
    struct metrics metrics;
    struct overlap overlap;
    size_t succeeded;
};

void summary_print(struct summary *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The lines above the table. */
void summary_print_head(struct summary *s);
/* summary_timing.c: the greatest bound of what counts, a piece of the first line; and the lines about the client. */
void summary_print_client_error(struct summary *s);
void summary_print_timing(struct summary *s);
/* The table itself. `rows` are those of the successful requests. */
void summary_print_table(struct summary *s, const struct row *rows, size_t n);

#endif
