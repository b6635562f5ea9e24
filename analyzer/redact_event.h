/* One event of a stream with its comments: its lines, and what of each is text. */
#ifndef ANALYZER_REDACT_EVENT_H
#define ANALYZER_REDACT_EVENT_H

#include "redact_json.h"

/* first: a BOM may stand before it. Places of all bytes are put. */
void redact_event(struct redact_place event, bool first, const struct redact_json_rules *rules);

#endif
