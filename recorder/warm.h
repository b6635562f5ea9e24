/* Opens connections ahead of a run: one GET of the models page on each, which leaves
 * it open for the requests that follow. */
#ifndef RECORDER_WARM_H
#define RECORDER_WARM_H

#include "engine.h"

/* Opens as many as there are streams, all at once, within 30 s. Returns how many answered. A
 * server that closes them between the phases makes libcurl open new ones: CONN says which it was. */
uint32_t warm_connections(struct engine *e);

#endif
