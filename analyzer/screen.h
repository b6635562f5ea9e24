/* A few lines that are drawn over themselves on a terminal; elsewhere there is none. */
#ifndef ANALYZER_SCREEN_H
#define ANALYZER_SCREEN_H

#include "output.h"

struct screen {     /* starts zeroed */
    unsigned drawn; /* lines above the cursor that are ours */
};

/* Is stdout a terminal that can be drawn on? */
bool screen_is_there(void);
/* Draws the lines over those drawn before and leaves the cursor below, so that the program may be
 * interrupted at any time. They are cut to the width of the terminal. Statuses of output_write(). */
enum tt_status screen_draw(struct screen *s, struct output *o, const char *const *lines, unsigned n,
                           struct tt_error *err);

#endif
