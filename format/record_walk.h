/* Checks of the packed maps and arrays inside records. Internal to format/. */
#ifndef TAPE_RECORD_WALK_H
#define TAPE_RECORD_WALK_H

#include "cursor.h"
#include "record_layout.h"

#define RECORD_HASH_BYTES 32u

/* Passes over the container at the cursor, checking that it is what `type`
 * (FIELD_MAP, FIELD_HEADERS, FIELD_REQUESTS) says. Errors, without text:
 * TT_TRUNCATED, TT_MALFORMED, TT_LIMIT. */
enum tt_status record_walk_packed(struct cursor *c, enum field_type type);

/* The same for a view that must hold just that one container. */
enum tt_status record_check_packed(struct tt_view packed, enum field_type type);

#endif
