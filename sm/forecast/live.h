/*
 * live: what the running daemon starts from, asked by its control socket.
 */
#ifndef HEDDLE_FORECAST_LIVE_H
#define HEDDLE_FORECAST_LIVE_H

#include <jansson.h>

#include "sm/base/reason.h"

/*
 * A new snapshot (sm/ctl/snapshot.h); NULL, why, and the exit code in
 * *code.
 */
json_t *live_snapshot(const char *socket, int *code, struct reason *why);

#endif
