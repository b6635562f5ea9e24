/* Inside of the policies: shared by policy*.c alone. */
#ifndef ANALYZER_POLICY_PARTS_H
#define ANALYZER_POLICY_PARTS_H

#include "policy.h"

/* TT_USAGE with this line. */
enum tt_status policy_wrong(struct tt_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool policy_is_name(struct tt_view v);
/* The file of a built-in one; NULL: there is none of that name. */
const char *policy_built_in_text(const char *name);

/* Made by the Makefile from policies/NAME.json. */
extern const char policy_capacity_text[], policy_serving_comparison_text[];

#endif
