/* Texts that are sent but never shown and never kept: what an environment variable or a file of the user holds. */
#ifndef RECORDER_SECRET_H
#define RECORDER_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "../format/status.h"

#define SECRET_MAX_BYTES 8192

/* Letters, digits and '_', not beginning with a digit: no key by mistake. */
bool secret_is_variable_name(const char *name);
/* A malloc'd copy of what the variable holds: not empty, UTF-8, no control characters. `flag` and `what` ("the key")
 * are for the error, which shows the name but never the value; a "name" that is none is not shown either. TT_USAGE. */
enum tt_status secret_of_variable(const char *flag, const char *name, const char *what, char **out,
                                  struct tt_error *err);
void secret_free(char *text); /* wipes it; accepts NULL */

/* A list that owns its texts and wipes them. */
struct secret_list {
    char **at;
    size_t n;
};
bool secret_list_add(struct secret_list *list, const char *bytes, size_t n); /* copies; false: no memory */
void secret_list_clear(struct secret_list *list);

#endif
