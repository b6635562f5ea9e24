/* `tokentape-record calibrate`: how late this machine's times are at a planned load, and how much it bears. */
#ifndef RECORDER_CALIBRATE_H
#define RECORDER_CALIBRATE_H

#include "options.h"
#include "stamp.h"

/* Returns the exit status: 0; 1 when the load was not measured whole; else as capacity_run(). */
int calibrate_run(const struct options *options, const struct stamp_base *base);

#endif
