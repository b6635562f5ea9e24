/* usage: tape_errors run.tape — how late the recorder's times are, as errors_print() has it. */
#include "../../format/reader.h"
#include "errors.h"

#include <stdio.h>
#include <stdlib.h>

static struct errors_stream streams[65536];
static struct errors errors;

static int read_tape(struct reader *r, struct tt_error *err)
{
    struct tape_record rec;
    enum tt_status st;
    uint64_t base_ns = reader_report(r)->base_monotonic_ns;
    while ((st = reader_next(r, &rec, err)) == TT_OK) {
        if (rec.kind != TAPE_READ || rec.u.read.request >= sizeof streams / sizeof *streams)
            continue;
        const struct tt_view *b = &rec.u.read.bytes;
        if (errors_feed(&errors, &streams[rec.u.read.request], b->p, b->n, base_ns + rec.u.read.time_ns) != 0)
            return -1;
    }
    return st == TT_END ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct tt_error err = {0};
    struct reader *r = NULL;
    if (argc != 2 || reader_open(&r, argv[1], NULL, &err) != TT_OK || read_tape(r, &err) != 0) {
        fprintf(stderr, "tape_errors: %s\n", argc == 2 ? err.line : "usage: tape_errors run.tape");
        return 1;
    }
    reader_free(r);
    errors_print(&errors);
    errors_free(&errors);
    return 0;
}
