/* Looks, before anything is sent, whether what the run is to leave can be written. */
#ifndef RECORDER_OUTPUTS_H
#define RECORDER_OUTPUTS_H

#include "../format/status.h"

/* One file that is to be made. `flag` names it in the message. Errors: TT_EXISTS (there already, or a
 * symbolic link), TT_USAGE (its folder is missing), TT_IO (the folder cannot be written). */
enum tt_status outputs_check_file(const char *path, const char *flag, struct tt_error *err);
/* The tape, its head file, and the result (NULL: none). TT_USAGE too when two of them are one. */
enum tt_status outputs_check(const char *tape, const char *result, struct tt_error *err);

#endif
