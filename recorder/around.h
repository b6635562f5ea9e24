/* --calibrate: how late the recorder is at the run's own concurrency, right before the run and right after it. */
#ifndef RECORDER_AROUND_H
#define RECORDER_AROUND_H

#include "session.h"

/* `when`: "before" or "after". The session is open and nothing is in flight. Leaves an EVENT `calibration` on its
 * tape, or a `note` why there is none: the run itself does not depend on it. A signal meanwhile is handed on to the
 * session. */
void around_calibrate(struct session *s, const char *when);

#endif
