/* The table for people: first what a sceptic asks first, then the distributions. */
#ifndef ANALYZER_SUMMARY_H
#define ANALYZER_SUMMARY_H

#include "model.h"
#include "output.h"

/* The run has been judged. TT_NOMEM, or an error of the output. At most 100 columns. */
enum tt_status summary_write(const struct run *run, struct output *o, struct tt_error *err);

#endif
