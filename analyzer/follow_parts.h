/* Inside of follow: shared by the files follow*.c alone. */
#ifndef ANALYZER_FOLLOW_PARTS_H
#define ANALYZER_FOLLOW_PARTS_H

#include "follow.h"
#include "screen.h"
#include "tally.h"

struct follow {
    const struct follow_options *options;
    struct output *output;
    struct json_out *json;
    struct loader *loader; /* NULL: not open yet */
    struct tally tally;
    bool on_screen;
    struct screen screen;
    bool looked, seen_locked; /* before it could be opened */
};

/* One try. On failure *later tells whether another is worth it: a recorder is about to write
 * the first bytes, or the options ask to wait for a tape. */
enum tt_status follow_open(struct follow *f, bool *later, struct tt_error *err);

#endif
